// Units alone or together, block by block, through the executor that runs use.
#include "real/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "real/machine.hpp"
#include "real/real_executor.hpp"
#include "real/unit_recorder.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/pool.hpp"

namespace equipoise {
namespace {

/// Units that are recorded at a time: one, or all.
class GroupRecorder {
 public:
  GroupRecorder(const RecordSetup& setup, std::size_t first, std::size_t count)
      : setup_(setup), first_(first) {
    const Workload& workload = setup.kernel->workload();
    const Items part =
        workload.items / static_cast<Items>(count) / workload.grain_items * workload.grain_items;
    for (std::size_t i = 0; i < count; ++i) {
      ItemSegment segment{static_cast<Items>(i) * part, part};
      if (count == 1) segment = {0, workload.items};
      units_.emplace_back(setup, first + i, segment);
    }
  }

  /// Records. False: a stop was requested.
  bool run(const Placement& placement) {
    RealSetup real;
    real.placement = Placement{{}, placement.free, {}};
    for (std::size_t i = 0; i < units_.size(); ++i) {
      real.units.push_back(setup_.units[first_ + i]);
      real.placement->cores.push_back(placement.cores[first_ + i]);
    }
    real.phases = {setup_.kernel};
    real.stop_requested = setup_.stop_requested;
    const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
    bool is_whole = false;
    executor->run([&] { is_whole = drive(*executor); });
    return is_whole;
  }

  [[nodiscard]] const std::vector<UnitRecorder>& units() const { return units_; }

 private:
  bool drive(Executor& executor) {
    for (std::size_t i = 0; i < units_.size(); ++i) start_next(executor, i);
    while (!std::ranges::all_of(units_, &UnitRecorder::is_done)) {
      if (setup_.stop_requested && setup_.stop_requested()) return false;
      const std::optional<Event> event = executor.next(Seconds::infinity());
      const Seconds heard = executor.now();
      if (!event) return false;
      const auto* const finished = std::get_if<BlockFinished>(&event->what);
      if (finished == nullptr) {
        const UnitId lost = std::get<UnitLost>(event->what).unit;
        throw BackendError(fmt::format("unit {} was lost while it was recorded",
                                       setup_.units[first_ + lost.index].unit.name));
      }
      UnitRecorder& unit = units_[finished->unit.index];
      const Seconds besides = heard - finished->assigned - total(finished->times);
      const bool counts = unit.take({finished->times, besides}, heard);
      if (counts && setup_.progress) setup_.progress(unit.progress());
      start_next(executor, finished->unit.index);
    }
    return true;
  }

  void start_next(Executor& executor, std::size_t unit) {
    executor.start(units_[unit].next_block(id_++), UnitId{static_cast<std::uint32_t>(unit)});
  }

  const RecordSetup& setup_;
  std::size_t first_;  ///< of the setup's units
  std::vector<UnitRecorder> units_;
  std::uint64_t id_ = 0;
};

/// Runs whole iterations, to time what the kernel does between them.
class MergeRecorder {
 public:
  MergeRecorder(const RecordSetup& setup, Executor& executor)
      : setup_(setup), workload_(setup.kernel->workload()), executor_(executor) {}

  void run() {
    constexpr int iterations_max = 4;
    const int iterations = std::min(workload_.iterations, iterations_max);
    for (int i = 0; i < iterations && executor_.now() <= setup_.budget; ++i) {
      if (!run_iteration(i)) return;
    }
  }

  /// The mean; nothing where there was no second iteration.
  [[nodiscard]] std::optional<Seconds> merge() const {
    if (merges_ == 0) return std::nullopt;
    return (1.0 / merges_) * merging_;
  }

 private:
  /// False: a stop was requested.
  bool run_iteration(int iteration) {
    pool_ = Pool(workload_.items, workload_.grain_items);
    outstanding_ = 0;
    const Seconds begin = executor_.now();
    start(UnitId{0}, iteration);
    if (iteration > 0) {
      merging_ += executor_.now() - begin;
      ++merges_;
    }
    for (std::uint32_t unit = 1; unit < setup_.units.size(); ++unit) start(UnitId{unit}, iteration);
    while (outstanding_ > 0) {
      const std::optional<Event> event = executor_.next(Seconds::infinity());
      if (!event) return false;
      const auto* const finished = std::get_if<BlockFinished>(&event->what);
      if (finished == nullptr) throw BackendError("a unit was lost while it was recorded");
      --outstanding_;
      start(finished->unit, iteration);
    }
    return true;
  }

  void start(UnitId unit, int iteration) {
    constexpr Items blocks_for_a_unit = 8;
    if (pool_.remaining() == 0) return;
    const auto units = static_cast<Items>(setup_.units.size());
    const Items cap = largest_block(setup_.units[unit.index].unit, workload_);
    const ItemRange range = pool_.cut(workload_.items / (blocks_for_a_unit * units) + 1, cap);
    executor_.start(
        {.id = id_++, .first = range.first, .items = range.items, .iteration = iteration}, unit);
    ++outstanding_;
  }

  const RecordSetup& setup_;
  const Workload& workload_;
  Executor& executor_;
  Pool pool_{1, 1};
  std::uint64_t id_ = 0;
  int outstanding_ = 0;
  int merges_ = 0;
  Seconds merging_;
};

/// What the kernel takes between iterations; nothing where there are none.
std::optional<Seconds> record_merges(const RecordSetup& setup, const Placement& placement) {
  if (setup.kernel->workload().iterations < 2) return std::nullopt;
  RealSetup real;
  real.units = setup.units;
  real.placement = placement;
  real.phases = {setup.kernel};
  real.stop_requested = setup.stop_requested;
  const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
  MergeRecorder recorder(setup, *executor);
  executor->run([&] { recorder.run(); });
  return recorder.merge();
}

/// `text` as a JSON string.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) continue;
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

/// The header of the trace: all but samples and what is measured.
Trace empty_trace(const RecordSetup& setup) {
  const Machine& machine = this_machine();
  Trace trace;
  trace.source = "recorded";
  trace.kernel = setup.kernel->workload().kernel;
  trace.item = setup.kernel->item();
  trace.problem = setup.kernel->problem();
  trace.grain_items = setup.kernel->workload().grain_items;
  trace.provenance = fmt::format("equipoise record on {}", machine.name);
  trace.machine = fmt::format(R"({{"host":{},"cpu":{},"cpu_threads":{},"memory_bytes":{}}})",
                              quoted(machine.name), quoted(machine.cpu_model),
                              machine.threads.size(), machine.memory_bytes);
  for (const UnitSpec& spec : setup.units) trace.units.push_back(spec.unit);
  return trace;
}

void check_sizes(const RecordSetup& setup) {
  for (const Items items : setup.sizes) {
    for (const UnitSpec& spec : setup.units) {
      const Items most = largest_block(spec.unit, setup.kernel->workload());
      if (items >= 1 && items <= most) continue;
      throw InputError("--sizes",
                       fmt::format("{} has no block of {} items; give sizes from 1 to {}",
                                   spec.unit.name, items, most));
    }
  }
}

}  // namespace

Recording record(const RecordSetup& setup) {
  check_sizes(setup);
  Recording recording;
  recording.trace = empty_trace(setup);
  const Placement placement = place_units(setup.units, this_machine());
  const std::size_t at_a_time = setup.concurrent ? setup.units.size() : 1;
  std::vector<double> besides_s;
  Seconds first_use;
  std::size_t recorded = 0;
  for (; recorded < setup.units.size() && !recording.interrupted; recorded += at_a_time) {
    GroupRecorder group(setup, recorded, at_a_time);
    recording.interrupted = !group.run(placement);
    for (const UnitRecorder& unit : group.units()) {
      unit.add_samples(recording.trace);
      unit.add_remarks(recording);
      besides_s.insert(besides_s.end(), unit.besides_s().begin(), unit.besides_s().end());
      first_use += unit.first_use();
    }
  }
  if (!recording.interrupted) recording.trace.merge = record_merges(setup, placement);
  for (std::uint32_t i = 0; i < setup.units.size(); ++i) {
    const Trace& trace = recording.trace;
    recording.units.push_back(
        {setup.units[i].unit, copy_speed_of(trace, i, &TraceSample::in_bytes, &TraceSample::in_s),
         copy_speed_of(trace, i, &TraceSample::out_bytes, &TraceSample::out_s)});
  }
  if (!besides_s.empty()) {
    recording.trace.dispatch = Seconds{std::max(median(besides_s), 0.0)};
    recording.trace.first_use = (1.0 / static_cast<double>(recorded)) * first_use;
  }
  return recording;
}

}  // namespace equipoise
