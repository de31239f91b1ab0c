// Runs many simulations in parallel, each in a separate process, and survives a crash of one.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace equipoise {

/// A stop was requested (Ctrl-C, SIGTERM) before the work was finished.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  [[nodiscard]] int signal() const { return signal_; }

 private:
  int signal_;
};

/// The result of one job.
struct JobResult {
  std::string text;     ///< the result of the job
  std::string failure;  ///< why there is none: an exception's text, or how the process ended
};

/// Runs `job(0)` to `job(jobs - 1)`, each in a forked child, at most `at_once` at a time, started
/// in order. `ended` is called in this process with each result when it arrives. Throws Interrupted
/// if a stop is requested, after the children have been killed.
void run_in_children(std::size_t jobs, std::size_t at_once,
                     const std::function<std::string(std::size_t job)>& job,
                     const std::function<void(std::size_t job, JobResult result)>& ended);

/// The number of processes to run at a time: the cores that this program may use.
[[nodiscard]] std::size_t cores_to_use();

}  // namespace equipoise
