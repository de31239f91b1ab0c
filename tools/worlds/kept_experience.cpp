// Reads an experience file before the runs of a world, and adds a run to it.
#include "tools/worlds/kept_experience.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "real/machine.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "traces/files/input_file.hpp"
#include "traces/files/locked_file.hpp"

namespace equipoise {

KeptExperience::KeptExperience(const RunOptions& options, ExperienceUse use)
    : path_(options.experience_file), platform_file_(options.platform_file) {
  if (path_.empty()) return;
  if (use == ExperienceUse::extend) {
    check_writable(path_, "--experience");
  } else if (!std::filesystem::exists(path_)) {
    throw InputError(path_, "there is no such file; simulate or run with --experience to make it");
  }
  file_ = read_experience(path_);
}

RunPlace KeptExperience::place_of(const World& world) const {
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  if (world.name() == "real") {
    return {fmt::format("{}, {}", this_machine().name, this_machine().cpu_model), today};
  }
  const std::string file = std::filesystem::path(platform_file_).filename().string();
  return {fmt::format("{} units of {}", world.name() == "sim" ? "simulated" : world.name(), file),
          today};
}

void KeptExperience::give(PolicyChoice& choice, const World& world) const {
  choice.experience.reset();
  if (!choice.info->uses_experience) return;
  Experience known = known_before(file_, world.phases(), world.units(), place_of(world));
  const bool any = std::ranges::any_of(known, [](const auto& phase) {
    return std::ranges::any_of(phase, [](const auto& cost) { return cost.has_value(); });
  });
  if (any) choice.experience = std::make_shared<const Experience>(std::move(known));
}

void KeptExperience::add(const RunReport& report, const World& world) const {
  if (path_.empty() || report.outcome.interrupted || !report.run.verified) return;
  constexpr std::chrono::seconds patience{30};
  const LockedFile locked(path_, patience);
  ExperienceFile file = read_experience(path_);  // other runs may have added to it
  add_run(file, world.phases(), world.units(), place_of(world), report.shown);
  forget_input(path_);
  write_whole_file(path_, experience_text(file));
}

}  // namespace equipoise
