// Reads the busy time of cores from /proc/stat and subtracts the CPU time of our threads on them.
#include "real/core_watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "real/commands/command_process.hpp"
#include "real/threads/clock.hpp"

namespace equipoise {
namespace {

std::optional<double> busy_seconds_now(const std::vector<int>& cores) {
  std::ifstream file("/proc/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return busy_seconds(text, cores, static_cast<double>(sysconf(_SC_CLK_TCK)));
}

}  // namespace

std::optional<double> busy_seconds(const std::string& proc_stat, const std::vector<int>& cores,
                                   double ticks_per_s) {
  std::map<std::string, double> ticks_by_core;
  std::istringstream lines(proc_stat);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("cpu")) continue;
    std::istringstream words(line);
    std::string name;
    double user = 0.0, nice = 0.0, system = 0.0, idle = 0.0, waiting = 0.0, interrupts = 0.0,
           soft_interrupts = 0.0, stolen = 0.0;
    words >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> soft_interrupts >>
        stolen;
    if (words) ticks_by_core[name] = user + nice + system + interrupts + soft_interrupts + stolen;
  }
  double ticks = 0.0;
  for (const int core : cores) {
    const auto found = ticks_by_core.find("cpu" + std::to_string(core));
    if (found == ticks_by_core.end()) return std::nullopt;
    ticks += found->second;
  }
  return ticks / ticks_per_s;
}

CoreWatch::CoreWatch(const Placement& placement) {
  for (const std::vector<int>& cores : placement.cores) {
    cores_.insert(cores_.end(), cores.begin(), cores.end());
  }
  std::ranges::sort(cores_);
  cores_.erase(std::unique(cores_.begin(), cores_.end()), cores_.end());
  is_apart_ = std::ranges::find_first_of(cores_, placement.waiting) == cores_.end();
  busy_s_ = busy_seconds_now(cores_);
  own_s_ = own_seconds_now();
  at_s_ = seconds_of(CLOCK_MONOTONIC);
}

CoreUse CoreWatch::since() const {
  const std::optional<double> busy_s = busy_seconds_now(cores_);
  if (!busy_s_ || !busy_s) return {};
  const double own_s = own_seconds_now() - own_s_;
  const double passed_s = seconds_of(CLOCK_MONOTONIC) - at_s_;
  // The clocks are read one after another, so their differences are not exact.
  const double cores_s = passed_s * static_cast<double>(cores_.size());
  return {.cores_s = cores_s,
          .other_programs_s = std::clamp(*busy_s - *busy_s_ - own_s, 0.0, cores_s)};
}

double CoreWatch::own_seconds_now() const {
  const double all_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID) + commands_cpu_seconds();
  return is_apart_ ? all_s - seconds_of(CLOCK_THREAD_CPUTIME_ID) : all_s;
}

std::string disturbance_text(const CoreUse& use) {
  const double share = share_of_others(use).value_or(0.0);
  if (share <= other_programs_share_max) return {};
  return fmt::format(
      "other programs had {:.0f} % of the units' cores meanwhile: the times are those of a busy "
      "machine",
      100.0 * share);
}

}  // namespace equipoise
