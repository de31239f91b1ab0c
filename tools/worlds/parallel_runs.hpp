// Runs many simulations at once, each in a process of its own; survives one that dies.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace equipoise {

/// A stop was requested (Ctrl-C, SIGTERM) before the work was done.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  [[nodiscard]] int signal() const { return signal_; }

 private:
  int signal_;
};

/// What became of one job.
struct JobResult {
  std::string text;     ///< what the job returned
  std::string failure;  ///< why it did not: an exception's words, or how its process died
};

/// Runs `job(0)` to `job(jobs - 1)`, each in a forked child, at most `at_once` at a time, begun in
/// order. `ended` is told each result as it comes, in this process. Throws Interrupted when a stop
/// is requested; the children are dead then.
void run_in_children(std::size_t jobs, std::size_t at_once,
                     const std::function<std::string(std::size_t job)>& job,
                     const std::function<void(std::size_t job, JobResult result)>& ended);

/// How many processes run at once on this machine: its cores that this program may use.
[[nodiscard]] std::size_t cores_to_use();

}  // namespace equipoise
