// A run whose blocks are done by threads of the user's program: the controller's thread, and the
// units.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "real/loop/pulled_unit.hpp"
#include "tools/loop/equipoise/loop.hpp"
#include "tools/loop/loop_run.hpp"

namespace equipoise {

class Pull::Run {
 public:
  /// Begins. Throws InputError if a name of a unit cannot be used, and the Error of a run that does
  /// not begin.
  Run(LoopWork work, const std::vector<std::string>& names, const std::string& program,
      const std::vector<std::string>& arguments);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  /// The units leave, if it is not over.
  ~Run();

  /// Throws std::out_of_range if there is none.
  [[nodiscard]] PulledUnit& unit(std::size_t number);
  /// Waits for its end and returns what it did, or throws why it failed.
  [[nodiscard]] Summary finish();

 private:
  std::vector<std::unique_ptr<PulledUnit>> units_;
  Summary summary_;
  std::exception_ptr failure_;
  std::thread controller_;
};

}  // namespace equipoise
