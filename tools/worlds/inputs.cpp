// Reads traces and prints warnings.
#include "tools/worlds/inputs.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <utility>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {

namespace {

/// Throws InputError if two traces time the same kernel on the same unit, because either could be
/// right.
void expect_timed_once(const std::vector<Trace>& traces, const std::vector<std::string>& files) {
  std::map<std::pair<std::string, std::string>, std::size_t> timed;  // by kernel and unit
  for (std::size_t i = 0; i < traces.size(); ++i) {
    for (std::uint32_t unit = 0; unit < traces[i].units.size(); ++unit) {
      if (!has_samples(traces[i], unit)) continue;
      const std::string& name = traces[i].units[unit].name;
      const auto [found, is_new] = timed.emplace(std::pair(traces[i].kernel, name), i);
      if (is_new) continue;
      throw InputError(files[i], fmt::format("times {} on {}, as {} does; leave one of them out",
                                             traces[i].kernel, name, files[found->second]));
    }
  }
}

/// Names one of the optional members of traces that describe the workload.
template <class T>
using OfWorkload = std::optional<T> Trace::*;

/// Gives all traces of a kernel the value that some of them have. Throws InputError if two differ.
template <class T>
void agree_on(OfWorkload<T> member, const char* name, std::vector<Trace>& traces,
              const std::vector<std::string>& files) {
  std::map<std::string, std::size_t> giver;  // by kernel
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (!(traces[i].*member)) continue;
    const std::size_t first = giver.emplace(traces[i].kernel, i).first->second;
    if (traces[first].*member == traces[i].*member) continue;
    throw InputError(files[i], fmt::format("has {} {} for {}, and {} has {}; make them agree", name,
                                           *(traces[i].*member), traces[i].kernel, files[first],
                                           *(traces[first].*member)));
  }
  for (Trace& trace : traces) {
    const auto first = giver.find(trace.kernel);
    if (first != giver.end()) trace.*member = traces[first->second].*member;
  }
}

}  // namespace

std::vector<Trace> read_traces(const std::vector<std::string>& files) {
  std::vector<Trace> traces;
  std::vector<std::string> warnings;
  for (const std::string& file : files) traces.push_back(read_trace(file, &warnings));
  for (const std::string& warning : warnings) warn(warning);
  expect_timed_once(traces, files);
  agree_on(&Trace::grain_items, "grain_items", traces, files);
  agree_on(&Trace::resident_bytes, "resident_bytes", traces, files);
  agree_on(&Trace::resident_memory_bytes, "resident_memory_bytes", traces, files);
  agree_on(&Trace::memory_bytes_per_item, "memory_bytes_per_item", traces, files);
  return traces;
}

void complete_watts(Unit& unit, const Unit& recorded) {
  if (unit.idle_w || unit.busy_w || !recorded.idle_w) return;
  unit.idle_w = recorded.idle_w;
  unit.busy_w = recorded.busy_w;
}

void add_block_limits(Unit& unit, const Unit& recorded) {
  unit.max_block_items.insert(recorded.max_block_items.begin(), recorded.max_block_items.end());
}

bool takes_part(const Unit& unit, const std::vector<Workload>& phases) {
  for (const Workload& phase : phases) {
    if (holds_a_grain(unit, phase)) continue;
    const auto limit = unit.max_block_items.find(phase.kernel);
    if (limit != unit.max_block_items.end() && limit->second < phase.grain_items) {
      warn(
          fmt::format("{} takes no part: its times hold for blocks of at most {} items, and those "
                      "of {} are multiples of {}",
                      unit.name, limit->second, phase.kernel, phase.grain_items));
      return false;
    }
    const double grain_bytes = phase.memory_bytes_per_item * static_cast<double>(phase.grain_items);
    const std::string kept =
        streamed_data(unit, phase)
            ? ""
            : fmt::format("{} there for data that stays and ", bytes_text(phase.bytes_kept()));
    warn(fmt::format(
        "{} takes no part: {} needs {}{} {}for a block of {} items, and its memory_bytes are {}",
        unit.name, phase.kernel, kept, bytes_text(grain_bytes), kept.empty() ? "there " : "",
        phase.grain_items, bytes_text(unit.memory_bytes.value_or(0.0))));
    return false;
  }
  return true;
}

}  // namespace equipoise
