// Converts the blocks of a recorded run to trace samples.
#include "traces/run_trace.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace equipoise {
namespace {

/// Collects the times between two iterations of the kernel's phases: from the end of the last block
/// of the one to the handing out of the first block of the other. (In files of version 1.0,
/// `iteration_started` does not say when the merge was done.)
class Merges {
 public:
  Merges(const RecordedRun& run, const std::string& kernel) : run_(run), kernel_(kernel) {}

  void saw_iteration() { began_ = last_end_; }

  /// Blocks come in the order of their ends, so the first one of an iteration need not be the first
  /// that was handed out.
  void saw(const BlockRecord& record) {
    const Block& block = record.block;
    last_end_ = record.end;
    const bool is_merged =
        block.iteration > 0 && run_.phases[static_cast<std::size_t>(block.phase)].kernel == kernel_;
    if (!is_merged || !began_) return;
    const Seconds after = record.assigned - *began_;
    const auto [place, is_new] = spans_.try_emplace({block.phase, block.iteration}, after);
    if (!is_new) place->second = std::min(place->second, after);
  }

  [[nodiscard]] std::optional<Seconds> mean() const {
    if (spans_.empty()) return std::nullopt;
    Seconds sum;
    for (const auto& [iteration, span] : spans_) sum += span;
    return (1.0 / static_cast<double>(spans_.size())) * sum;
  }

 private:
  const RecordedRun& run_;
  const std::string& kernel_;
  std::optional<Seconds> last_end_;  ///< of a block so far
  std::optional<Seconds> began_;     ///< end of the iteration before the current one
  std::map<std::pair<int, int>, Seconds> spans_;
};

/// What a unit's blocks with inputs showed, where their bytes are not in the run.
struct CopiedIn {
  double items = 0.0;
  Seconds time;
  Seconds setup;  ///< of its first block

  /// Bytes of an item, such that the resident data take as long as they did.
  [[nodiscard]] double bytes_of_item(double resident_bytes) const {
    if (resident_bytes == 0.0) return 1.0;
    if (setup == Seconds{}) return resident_bytes;
    return resident_bytes * (time / setup) / items;
  }
};

}  // namespace

Trace trace_of_run(const RecordedRun& run, const std::string& kernel,
                   const std::string& provenance) {
  Trace trace;
  trace.source = "recorded";
  trace.kernel = kernel;
  trace.item = "item";
  trace.provenance = provenance;
  trace.units = run.units;
  for (const Workload& workload : run.phases) {
    if (workload.kernel != kernel) continue;
    trace.grain_items = workload.grain_items;
    trace.resident_bytes = workload.resident_bytes;
    trace.resident_memory_bytes = workload.resident_memory_bytes;
    trace.memory_bytes_per_item = workload.memory_bytes_per_item;
  }
  std::set<std::pair<std::uint32_t, int>> has_resident;
  std::map<std::uint32_t, CopiedIn> copied_in;
  double resident_bytes = 0.0;
  Merges merges(run, kernel);
  for (const RecordedLine& line : run.lines) {
    if (event_of<IterationBegin>(line) != nullptr) merges.saw_iteration();
    if (const auto* const lost = event_of<UnitLost>(line)) {
      std::erase_if(has_resident, [&](const auto& of) { return of.first == lost->unit.index; });
    }
    const auto* b = std::get_if<BlockRecord>(&line.what);
    if (b == nullptr) continue;
    merges.saw(*b);
    const Workload& workload = run.phases[static_cast<std::size_t>(b->block.phase)];
    if (workload.kernel != kernel || b->times.compute <= Seconds{}) continue;
    const bool is_first = has_resident.insert({b->unit.index, b->block.phase}).second;
    TraceSample& sample = trace.samples.emplace_back();
    sample.unit = b->unit.index;
    sample.items = static_cast<double>(b->block.items);
    sample.compute_mean_s = b->times.compute.value;
    sample.out_s = b->times.out.value;
    const bool may_include_resident =
        is_first && workload.first_bytes(0) > 0.0 && b->times.setup == Seconds{};
    if (!may_include_resident) sample.in_s = b->times.in.value;
    const bool has_bytes = workload.in_bytes_per_item > 0.0 || workload.out_bytes_per_item > 0.0;
    if (has_bytes) continue;
    if (b->times.out > Seconds{}) sample.out_bytes = sample.items;
    if (b->times.in == Seconds{}) continue;
    sample.in_bytes = sample.items;
    resident_bytes = workload.first_bytes(0);
    CopiedIn& copied = copied_in[b->unit.index];
    copied.items += sample.items;
    copied.time += b->times.in;
    if (is_first) copied.setup = b->times.setup;
  }
  for (TraceSample& sample : trace.samples) {
    const auto copied = copied_in.find(sample.unit);
    if (!sample.in_bytes || copied == copied_in.end()) continue;
    sample.in_bytes = *sample.in_bytes * copied->second.bytes_of_item(resident_bytes);
  }
  trace.merge = merges.mean();
  return trace;
}

}  // namespace equipoise
