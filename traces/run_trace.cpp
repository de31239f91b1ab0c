// Blocks to samples.
#include "traces/run_trace.hpp"

#include <cstdint>
#include <set>
#include <utility>

namespace equipoise {

Trace trace_of_run(const RecordedRun& run, const std::string& kernel,
                   const std::string& provenance) {
  Trace trace;
  trace.source = "recorded";
  trace.kernel = kernel;
  trace.item = "item";
  trace.provenance = provenance;
  trace.machine = "{}";
  trace.units = run.units;
  for (const Workload& workload : run.phases) {
    if (workload.kernel != kernel) continue;
    trace.grain_items = workload.grain_items;
    trace.resident_bytes = workload.resident_bytes;
    trace.memory_bytes_per_item = workload.memory_bytes_per_item;
  }
  std::set<std::pair<std::uint32_t, int>> has_resident;
  for (const RecordedLine& line : run.lines) {
    const auto* b = std::get_if<BlockRecord>(&line.what);
    if (b == nullptr) continue;
    const Workload& workload = run.phases[static_cast<std::size_t>(b->block.phase)];
    if (workload.kernel != kernel || b->times.compute <= Seconds{}) continue;
    const bool is_first = has_resident.insert({b->unit.index, b->block.phase}).second;
    TraceSample& sample = trace.samples.emplace_back();
    sample.unit = b->unit.index;
    sample.items = static_cast<double>(b->block.items);
    sample.compute_mean_s = b->times.compute.value;
    sample.out_s = b->times.out.value;
    if (!is_first || workload.resident_bytes == 0.0) sample.in_s = b->times.in.value;
  }
  return trace;
}

}  // namespace equipoise
