// --experience FILE: what the runs of a world may use of earlier ones, and what they add.
#pragma once

#include <string>

#include "tools/runs/options.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/worlds/world.hpp"
#include "traces/experience_file.hpp"

namespace equipoise {

/// What a command does with an experience file.
enum class ExperienceUse {
  read,   ///< it must be there
  extend  ///< it may be there, and a run is added
};

/// The experience file that `options` names, for the runs of a world. Without one, does nothing.
class KeptExperience {
 public:
  /// Reads the file. Throws InputError if it cannot be read, or not be used like this.
  KeptExperience(const RunOptions& options, ExperienceUse use);

  /// Gives `choice` what is known of the phases and units of `world`, if its policy uses
  /// experience. What it was given before is gone.
  void give(PolicyChoice& choice, const World& world) const;
  /// Adds what a run of `world` has shown to what is in the file by now; other programs that add to
  /// it wait meanwhile. Runs that were interrupted or are not verified add nothing. Throws
  /// std::runtime_error if the file cannot be locked or written.
  void add(const RunReport& report, const World& world) const;

 private:
  [[nodiscard]] RunPlace place_of(const World& world) const;

  std::string path_;
  std::string platform_file_;
  ExperienceFile file_;  ///< as it was at the start
};

}  // namespace equipoise
