// Runs numbered jobs in a limited number of child processes.
#include "tools/worlds/parallel_runs.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>

#include <cstring>
#include <map>

#include "sim/child_process.hpp"
#include "tools/report/console.hpp"

namespace equipoise {
namespace {

constexpr int failed_with_words = 1;

ChildProcess start(const std::function<std::string(std::size_t)>& job, std::size_t number) {
  return ChildProcess([&job, number](int write_fd) {
    try {
      write_all(write_fd, job(number));
      return 0;
    } catch (const std::exception& failure) {
      write_all(write_fd, failure.what());
      return failed_with_words;
    }
  });
}

JobResult result_of(const ChildProcess::Outcome& outcome) {
  if (outcome.succeeded()) return {outcome.output, {}};
  if (outcome.signal != 0) {
    return {{},
            fmt::format("its process died of signal {} ({})", outcome.signal,
                        ::strsignal(outcome.signal))};
  }
  if (outcome.exit_code == failed_with_words) return {{}, outcome.output};
  return {{}, fmt::format("its process ended with {}", outcome.exit_code)};
}

}  // namespace

void run_in_children(std::size_t jobs, std::size_t at_once,
                     const std::function<std::string(std::size_t job)>& job,
                     const std::function<void(std::size_t job, JobResult result)>& ended) {
  std::map<std::size_t, ChildProcess> running;
  std::size_t next = 0;
  while (next < jobs || !running.empty()) {
    while (next < jobs && running.size() < at_once) {
      running.emplace(next, start(job, next));
      ++next;
    }
    std::vector<pollfd> fds;
    for (const auto& [number, child] : running) fds.push_back({child.read_fd(), POLLIN, 0});
    static_cast<void>(::poll(fds.data(), fds.size(), 200));
    if (stop_signal() != 0) throw Interrupted(stop_signal());
    for (auto it = running.begin(); it != running.end();) {
      if (it->second.receive()) {
        ++it;
        continue;
      }
      ended(it->first, result_of(it->second.wait()));
      it = running.erase(it);
    }
  }
}

std::size_t cores_to_use() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

}  // namespace equipoise
