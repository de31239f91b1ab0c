// Records units alone or together, block by block, through the same executor as runs.
#include "real/recording/recorder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "real/core_watch.hpp"
#include "real/machine.hpp"
#include "real/real_executor.hpp"
#include "real/recording/cost_recorder.hpp"
#include "real/recording/run_recorder.hpp"
#include "real/recording/unit_recorder.hpp"
#include "real/recording/unit_watts.hpp"
#include "real/threads/clock.hpp"
#include "real/threads/core_wait.hpp"
#include "shared_policies/fit/copy_fit.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/pool.hpp"
#include "shared_policies/run/results.hpp"

namespace equipoise {
namespace {

/// The measured times between iterations.
struct MergeTimes {
  int count = 0;
  Seconds sum;
  bool interrupted = false;  ///< a stop was requested
};

Seconds pass_budget(const RecordSetup& setup) { return (1.0 / setup.passes) * setup.budget; }

/// Runs iterations of the setup's workload on all its units together. Every unit gets a part of
/// what is left whenever it is idle, at most its `usual_items` (units).
class IterationRecorder {
 public:
  IterationRecorder(const RecordSetup& setup, std::span<const Items> usual_items,
                    Executor& executor)
      : setup_(setup),
        workload_(setup.kernel->workload()),
        usual_items_(usual_items),
        executor_(executor) {}

  /// The kernel's times between iterations. The passes together run four iterations, but each pass
  /// runs at least two.
  MergeTimes merges() {
    constexpr int iterations_in_all = 4;
    const int iterations =
        std::min(workload_.iterations, std::max(2, iterations_in_all / setup_.passes));
    MergeTimes merges;
    const auto goes_on = [&](int i) { return i < 2 || executor_.now() <= pass_budget(setup_); };
    for (int i = 0; i < iterations && !merges.interrupted && goes_on(i); ++i) {
      const Seconds before = executor_.now();
      merges.interrupted = !run_iteration(i);
      if (i == 0) continue;
      merges.sum += begun_ - before;
      ++merges.count;
    }
    return merges;
  }

 private:
  /// Hands out no blocks any more when it has spent half of the pass's budget. Returns false if a
  /// stop was requested.
  bool run_iteration(int iteration) {
    pool_ = Pool(workload_.items, workload_.grain_items);
    outstanding_ = 0;
    begun_ = executor_.begin_iteration(0, iteration);
    last_start_ = begun_ + 0.5 * pass_budget(setup_);
    for (std::uint32_t unit = 0; unit < setup_.units.size(); ++unit) start(UnitId{unit}, iteration);
    while (outstanding_ > 0) {
      if (setup_.is_stopped()) return false;
      const std::optional<Event> event = executor_.next(Seconds::infinity());
      if (!event) return false;
      const auto* const finished = std::get_if<BlockFinished>(&event->what);
      if (finished == nullptr) {
        throw BackendError(loss_text(*event, setup_.units, 0, "iterations were recorded"));
      }
      --outstanding_;
      if (executor_.now() <= last_start_) start(finished->unit, iteration);
    }
    return true;
  }

  void start(UnitId unit, int iteration) {
    if (pool_.remaining() == 0) return;
    const Items part = part_of(setup_, unit.index, workload_.items, usual_items_[unit.index]);
    const ItemRange range =
        pool_.cut(part, largest_block(setup_.units[unit.index].unit, workload_));
    executor_.start(
        {.id = id_++, .first = range.first, .items = range.items, .iteration = iteration}, unit);
    ++outstanding_;
  }

  const RecordSetup& setup_;
  const Workload& workload_;
  std::span<const Items> usual_items_;
  Executor& executor_;
  Seconds last_start_;
  Pool pool_{1, 1};
  std::uint64_t id_ = 0;
  int outstanding_ = 0;
  Seconds begun_;  ///< when the kernel was ready for the iteration
};

/// For a workload with iterations, some of these in one pass, to measure the kernel's time between
/// them: the passes together run four, but each pass runs at least two. No third iteration starts
/// once the pass has spent its part of the budget, and an iteration leaves items undone when it has
/// spent half of that.
MergeTimes record_merges(const RecordSetup& setup, const Placement& placement,
                         std::span<const Items> usual_items) {
  MergeTimes merges;
  if (setup.kernel->workload().iterations <= 1) return merges;
  RealSetup real;
  real.units = setup.units;
  real.placement = placement;
  real.nodes = setup.nodes;
  real.phases = {setup.kernel};
  real.stop_requested = setup.stop_requested;
  const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
  IterationRecorder recorder(setup, usual_items, *executor);
  executor->run([&] { merges = recorder.merges(); });
  return merges;
}

/// The number of units that are recorded at a time.
std::size_t units_at_a_time(const RecordSetup& setup) {
  return setup.alone ? 1 : setup.units.size();
}

/// The number of items through which each unit goes. Units that compute at the same time use
/// disjoint items.
Items part_of_a_unit(const RecordSetup& setup) {
  const Workload& workload = setup.kernel->workload();
  const auto units = setup.alone ? 1 : std::ranges::count_if(setup.units, &UnitSpec::computes);
  if (units <= 1) return workload.items;
  return workload.items / units / workload.grain_items * workload.grain_items;
}

void add(CoreUse& sum, const CoreUse& use) {
  sum.cores_s += use.cores_s;
  sum.other_programs_s += use.other_programs_s;
}

/// The units that are recorded at a time: one, or all.
class GroupRecorder {
 public:
  /// `costs`: as known by now.
  GroupRecorder(const RecordSetup& setup, std::size_t first, const UnitDomains& domains,
                const ItemCostsPtr& costs)
      : setup_(setup), first_(first), costs_(costs), watch_(units_at_a_time(setup)) {
    const Items part = part_of_a_unit(setup);
    Items begin = 0;
    for (std::size_t i = 0; i < units_at_a_time(setup); ++i) {
      units_.emplace_back(setup, first + i, ItemRange{begin, part});
      if (costs) units_.back().know(costs);
      const bool has_others_behind = begin + 2 * part <= setup.kernel->workload().items;
      if (setup.units[first + i].computes() && has_others_behind) begin += part;
    }
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const bool is_measured = units_[i].computes() && !domains.of(first + i).empty();
      if (is_measured && domains.is_apart(first + i, first, units_.size())) watched_.push_back(i);
    }
  }

  /// Records one pass, and after the last one the watts. Returns false if a stop was requested.
  bool run(const Placement& placement, bool is_last) {
    const bool is_another = std::ranges::any_of(
        units_, [](const UnitRecorder& unit) { return unit.computes() && unit.is_done(); });
    for (UnitRecorder& unit : units_) {
      if (unit.is_done()) unit.begin_pass();
    }
    if (is_another && costs_) exchange_parts();
    RealSetup real;
    real.nodes = setup_.nodes;
    real.placement = placement;
    real.placement->cores.clear();
    for (std::size_t i = 0; i < units_.size(); ++i) {
      real.units.push_back(setup_.units[first_ + i]);
      real.placement->cores.push_back(placement.cores[first_ + i]);
    }
    real.phases = {setup_.kernel};
    real.stop_requested = setup_.stop_requested;
    if (is_last && !watched_.empty()) real.meters = setup_.meters;
    real.report_core_use = [this](const CoreUse& use) { add(core_use_, use); };
    real.report_cores = [this](UnitId unit, const BlockCores& cores) {
      works_[unit.index].cores = cores;
    };
    works_.assign(units_.size(), {});
    for (std::size_t i = 0; i < units_.size(); ++i) {
      works_[i].shares_core = shares_core_of_controller(*real.placement, i) &&
                              setup_.units[first_ + i].unit.copy_engines == 0;
    }
    const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
    bool is_whole = false;
    executor->run([&] { is_whole = drive(*executor, is_last); });
    if (is_last) take_readings(Seconds::infinity());
    keep_the_rest();
    return is_whole;
  }

  [[nodiscard]] const std::vector<UnitRecorder>& units() const { return units_; }
  [[nodiscard]] UnitRecorder& unit(std::size_t i) { return units_[i]; }
  void know(const ItemCostsPtr& costs) {
    for (UnitRecorder& unit : units_) unit.know(costs);
  }
  [[nodiscard]] std::size_t first() const { return first_; }
  /// What the meters read after the last pass.
  [[nodiscard]] const BusyWatch& watch() const { return watch_; }
  /// How the units' cores were used in all passes.
  [[nodiscard]] const CoreUse& core_use() const { return core_use_; }

 private:
  /// Gives every unit that computes the part of the one before it: parts differ in their costs.
  void exchange_parts() {
    std::vector<UnitRecorder*> computing;
    for (UnitRecorder& unit : units_) {
      if (unit.computes()) computing.push_back(&unit);
    }
    if (computing.empty()) return;
    ItemRange part = computing.back()->part();
    for (UnitRecorder* const unit : computing) {
      const ItemRange own = unit->part();
      unit->move_to(std::exchange(part, own));
    }
  }

  /// Whether all sizes of all units are timed in this pass.
  [[nodiscard]] bool is_timed() const {
    return std::ranges::all_of(
        units_, [](const UnitRecorder& unit) { return unit.is_done() || !unit.computes(); });
  }

  /// Whether all watched units have computed for long enough while the meters were read.
  [[nodiscard]] bool is_watched() const {
    return std::ranges::all_of(
        watched_, [this](std::size_t unit) { return watch_.lasted(unit, setup_.busy_span); });
  }

  void take_readings(Seconds until) {
    if (watched_.empty()) return;
    while (const std::optional<Measured> reading = setup_.meters->take(until)) {
      watch_.reading(*reading);
    }
  }

  bool drive(Executor& executor, bool is_last) {
    executor.begin_iteration(0, 0);
    for (std::size_t i = 0; i < units_.size(); ++i) start_next(executor, i);
    while (!is_timed() || (is_last && !is_watched())) {
      if (setup_.is_stopped()) return false;
      const std::optional<Event> event = executor.next(Seconds::infinity());
      const Seconds heard = executor.now();
      if (!event) return false;
      const auto* const finished = std::get_if<BlockFinished>(&event->what);
      if (finished == nullptr) {
        keep_the_rest();
        throw BackendError(loss_text(*event, setup_.units, first_, "it was recorded"));
      }
      if (is_last) take_readings(heard);
      if (is_last && is_timed() && !watch_.has_begun()) watch_.begin(heard);
      watch_.block(finished->unit.index, event->at, finished->times);
      UnitRecorder& unit = units_[finished->unit.index];
      const Seconds dispatch = heard - finished->assigned - total(finished->times);
      if (unit.is_done() && !unit.computes()) unit.begin_pass();
      const bool counts =
          unit.take(timed(finished->times, works_[finished->unit.index], dispatch), heard);
      if (counts && setup_.progress) setup_.progress(unit.progress());
      start_next(executor, finished->unit.index);
      if (unit.computes()) keep(unit.take_ended());
    }
    return true;
  }

  void start_next(Executor& executor, std::size_t unit) {
    works_[unit].controller_s = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    works_[unit].controller_slept = times_slept();
    executor.start(units_[unit].next_block(id_++), UnitId{static_cast<std::uint32_t>(unit)});
  }

  void keep(const std::vector<TraceSample>& samples) {
    if (!samples.empty() && setup_.keep) setup_.keep(samples);
  }

  /// Passes on samples of sizes that will not be completed.
  void keep_the_rest() {
    for (UnitRecorder& unit : units_) {
      if (unit.computes()) keep(unit.take_rest());
    }
  }

  /// The block that a unit does now.
  struct Work {
    bool shares_core = false;   ///< whether the unit computes on the controller's core
    double controller_s = 0.0;  ///< CPU time of the controller when the block was handed out
    std::int64_t controller_slept = 0;  ///< and how often it had slept until then
    BlockCores cores;
  };

  /// The times of a block without what it waited for cores. What the controller itself took is no
  /// wait: simulations have it as the controller's work.
  static TimedBlock timed(const StageTimes& times, const Work& work, Seconds dispatch) {
    const StageTimes& waited = work.cores.waited;
    TimedBlock block{
        times, dispatch, {total(waited) - waited.setup, work.cores.waits}, work.cores.copying};
    block.times.in = block.times.in - waited.in;
    block.times.compute = block.times.compute - waited.compute;
    block.times.out = block.times.out - waited.out;
    if (work.shares_core) {
      const Seconds controller{seconds_of(CLOCK_THREAD_CPUTIME_ID) - work.controller_s};
      block.waited.sum = std::max(Seconds{}, block.waited.sum - controller);
      block.waited.times -= times_slept() - work.controller_slept;
    }
    return block;
  }

  const RecordSetup& setup_;
  std::vector<Work> works_;  ///< (units)
  std::size_t first_;        ///< index of the first unit among the setup's units
  ItemCostsPtr costs_;
  std::vector<UnitRecorder> units_;
  CoreUse core_use_;
  std::vector<std::size_t> watched_;  ///< those whose busy watts can be told apart
  BusyWatch watch_;
  std::uint64_t id_ = 0;
};

/// Gives the units of a whole recording their watts, and says which have none.
void add_watts(const std::deque<GroupRecorder>& groups, const UnitDomains& domains,
               Recording& recording) {
  if (domains.idle_w().empty()) return;
  std::vector<std::string> together;
  for (const GroupRecorder& group : groups) {
    for (std::size_t i = 0; i < group.units().size(); ++i) {
      if (!group.units()[i].computes()) continue;
      const std::size_t place = group.first() + i;
      Unit& unit = recording.trace.units[place];
      unit.idle_w = domains.idle_w(place);
      unit.busy_w = std::nullopt;
      if (!unit.idle_w) {
        recording.unmetered.push_back(
            fmt::format("watts of {} were not measured: no meter counts them", unit.name));
      } else if (!domains.is_apart(place, group.first(), group.units().size())) {
        together.push_back(unit.name);
      } else if (const auto added_w =
                     group.watch().added_w(i, domains.of(place), domains.idle_w())) {
        unit.busy_w = *unit.idle_w + *added_w;
      } else {
        recording.unmetered.push_back(fmt::format(
            "busy watts of {} were not measured: a meter was not read to the end", unit.name));
      }
    }
  }
  if (!together.empty()) {
    const std::string last = together.back();
    together.pop_back();
    recording.unmetered.push_back(
        fmt::format("busy watts of {}{}{} were not measured apart: record each unit alone",
                    fmt::join(together, ", "), together.empty() ? "" : " and ", last));
  }
}

/// The mean first-use time of the units that have computed a block; nothing if none has. `recorded`
/// are all units, in the order of the groups.
std::optional<Seconds> mean_first_use(const std::deque<GroupRecorder>& groups,
                                      const std::vector<RecordedUnit>& recorded,
                                      const Workload& workload) {
  Seconds sum;
  int count = 0;
  std::size_t position = 0;
  for (const GroupRecorder& group : groups) {
    for (const UnitRecorder& unit : group.units()) {
      const std::optional<CopySpeed>& in = recorded[position++].copies.in;
      if (!unit.computes() || !unit.first_setup()) continue;
      const Seconds copying = in ? in->time(workload.first_bytes(0)) : Seconds{};
      sum += std::max(Seconds{}, *unit.first_setup() - copying);
      ++count;
    }
  }
  return count == 0 ? std::nullopt : std::optional((1.0 / count) * sum);
}

/// (units) UnitRecorder::usual_items.
std::vector<Items> usual_items(const std::deque<GroupRecorder>& groups) {
  std::vector<Items> items;
  for (const GroupRecorder& group : groups) {
    for (const UnitRecorder& unit : group.units()) items.push_back(unit.usual_items());
  }
  return items;
}

/// The items of the short runs that show how far one run differs from the next: as many as all
/// units do in a small part of the pass's budget. 0 where they would not do a grain each, and where
/// units are recorded alone.
Items items_of_runs(const std::deque<GroupRecorder>& groups, const RecordSetup& setup) {
  constexpr double part_of_pass = 0.05;
  if (setup.alone) return 0;
  const Workload& workload = setup.kernel->workload();
  double items_per_s = 0.0;
  Items grains = 0;
  for (const GroupRecorder& group : groups) {
    for (const UnitRecorder& unit : group.units()) {
      items_per_s += unit.items_per_s();
      grains += workload.grain_items;
    }
  }
  const double items = std::min(items_per_s * part_of_pass * pass_budget(setup).value,
                                static_cast<double>(workload.items));
  const auto whole = static_cast<Items>(items) / workload.grain_items * workload.grain_items;
  return whole < grains ? 0 : whole;
}

/// Adds the samples of all units, what their copies take from their computations, their dispatch
/// times and remarks.
void add_samples(const std::deque<GroupRecorder>& groups, const Placement& placement,
                 Recording& recording) {
  Trace& trace = recording.trace;
  std::vector<double> dispatch_s;
  std::uint32_t position = 0;
  for (const GroupRecorder& group : groups) {
    for (const UnitRecorder& unit : group.units()) {
      dispatch_s.insert(dispatch_s.end(), unit.dispatch_s().begin(), unit.dispatch_s().end());
      if (!unit.dispatch_s().empty()) {
        trace.unit_dispatch[position] = unit.usual_dispatch().mean;
      }
      if (unit.computes() && copies_have_cores_of(placement, position)) {
        const CopyWork work = unit.copy_work();
        if (work != CopyWork{}) trace.unit_copies[position] = work;
      }
      ++position;
      if (!unit.computes()) continue;
      const std::vector<TraceSample> samples = unit.samples();
      trace.samples.insert(trace.samples.end(), samples.begin(), samples.end());
      unit.add_remarks(recording);
    }
  }
  if (!dispatch_s.empty()) trace.dispatch = undisturbed(std::move(dispatch_s)).mean;
}

/// What the passes show of the machine. `runs_s` are the makespans of the short runs, pass by pass.
RecordingFacts facts_of(const RecordSetup& setup, const std::deque<GroupRecorder>& groups,
                        const std::vector<std::vector<double>>& runs_s, const CoreUse& core_use) {
  RecordingFacts facts;
  facts.date = utc_now();
  facts.together = !setup.alone;
  facts.others_share = share_of_others(core_use);
  facts.passes = setup.passes;
  std::vector<double> levels;  // (passes) the mean over units
  double units = 0.0;
  for (const GroupRecorder& group : groups) {
    for (const UnitRecorder& unit : group.units()) {
      const std::vector<double> of_unit = unit.pass_levels();
      if (!unit.computes() || of_unit.size() < 2) continue;
      levels.resize(of_unit.size(), 0.0);
      for (std::size_t i = 0; i < of_unit.size(); ++i) levels[i] += of_unit[i];
      units += 1.0;
    }
  }
  for (double& level : levels) level /= units;
  if (!levels.empty()) {
    facts.drift = std::expm1(levels.back() - levels.front());
    facts.pass_sd = summarise(levels).sd;
  }
  double sum_s = 0.0;
  double square = 0.0;
  double degrees = 0.0;
  for (const std::vector<double>& of_pass : runs_s) {
    if (of_pass.size() < 2) continue;
    const Statistics pass = summarise(of_pass);
    const auto count = static_cast<double>(of_pass.size());
    facts.runs += static_cast<int>(of_pass.size());
    sum_s += count * pass.mean;
    square += (count - 1.0) * (pass.sd / pass.mean) * (pass.sd / pass.mean);
    degrees += count - 1.0;
  }
  if (degrees > 0.0) {
    facts.run = Seconds{sum_s / facts.runs};
    facts.run_sd = std::sqrt(square / degrees);
  }
  facts.clock_hz = clock_hz();
  return facts;
}

/// Throws InputError if a unit cannot get a block.
void check_items(const RecordSetup& setup) {
  const Workload& workload = setup.kernel->workload();
  for (const UnitSpec& spec : setup.units) {
    if (holds_a_grain(spec.unit, workload)) continue;
    throw InputError("unit", spec.unit.name + " does not hold a block; give it more memory");
  }
  if (part_of_a_unit(setup) > 0) return;
  const auto needed = static_cast<Items>(setup.units.size()) * workload.grain_items;
  throw InputError("workload",
                   fmt::format("{} units together need at least {} items, and {} has {}; give it "
                               "more, or record fewer units",
                               setup.units.size(), needed, workload.kernel, workload.items));
}

void check_sizes(const RecordSetup& setup) {
  const Items part = part_of_a_unit(setup);
  for (const Items items : setup.sizes) {
    for (const UnitSpec& spec : setup.units) {
      const Items most = std::min(part, largest_block(spec.unit, setup.kernel->workload()));
      if (items >= 1 && items <= most) continue;
      throw InputError(
          "sizes",
          fmt::format("{} has no block of {} items{}; give sizes from 1 to {}", spec.unit.name,
                      items, setup.alone ? "" : " when all units are recorded at a time", most));
    }
  }
}

}  // namespace

Trace header_of_recording(const RecordSetup& setup) {
  const Machine& machine = this_machine();
  Trace trace;
  trace.source = "recorded";
  trace.kernel = setup.kernel->workload().kernel;
  trace.item = setup.kernel->item();
  trace.problem = setup.kernel->workload().problem;
  trace.grain_items = setup.kernel->workload().grain_items;
  trace.provenance = fmt::format("equipoise record on {}, {}", machine.name,
                                 setup.alone ? "each unit alone" : "all units at a time");
  trace.machine = {{"host", {machine.name}},
                   {"cpu", {machine.cpu_model}},
                   {"cpu_threads", {static_cast<std::int64_t>(machine.threads.size())}},
                   {"memory_bytes", {static_cast<std::int64_t>(machine.memory_bytes)}}};
  for (const UnitSpec& spec : setup.units) trace.units.push_back(spec.unit);
  return trace;
}

namespace {

/// What is found of the costs of items before units are recorded; null if they do not differ.
ItemCostsPtr first_costs(const RecordSetup& setup, const std::optional<FoundCosts>& found,
                         Recording& recording) {
  if (!found) return nullptr;
  recording.interrupted = found->interrupted;
  if (found->finder.gave_up()) {
    recording.doubts.push_back(fmt::format(
        "whether items differ was not found out on {}, where blocks take too long for that; more "
        "time helps",
        setup.units[found->unit].unit.name));
  }
  if (!found->finder.differ()) return nullptr;
  recording.trace.costs = found->finder.costs();
  if (setup.keep_costs) setup.keep_costs(*recording.trace.costs);
  return std::make_shared<ItemCosts>(recording.trace.costs->ranges);
}

/// Makes costs, and the fixed costs of units that follow from them, agree.
void settle_costs(const RecordSetup& setup, const FoundCosts& found,
                  std::deque<GroupRecorder>& groups, Recording& recording) {
  constexpr int turns = 4;
  GroupRecorder& group = groups[found.unit / units_at_a_time(setup)];
  const UnitRecorder& unit = group.unit(found.unit - group.first());
  for (int turn = 0; turn < turns; ++turn) {
    recording.trace.costs = found.finder.costs(unit.fixed_cost());
    const auto costs = std::make_shared<ItemCosts>(recording.trace.costs->ranges);
    for (GroupRecorder& one : groups) one.know(costs);
  }
}

}  // namespace

Recording record(const RecordSetup& setup) {
  check_items(setup);
  check_sizes(setup);
  Recording recording;
  recording.trace = header_of_recording(setup);
  const Placement placement =
      setup.placement ? *setup.placement : place_units(setup.units, this_machine());
  const UnitDomains domains(setup.units, setup.meters ? setup.meters->idle_w() : WattsByDomain());
  const std::optional<FoundCosts> found = look_for_costs(setup, placement);
  const ItemCostsPtr costs = first_costs(setup, found, recording);
  std::deque<GroupRecorder> groups;
  for (std::size_t first = 0; first < setup.units.size(); first += units_at_a_time(setup)) {
    groups.emplace_back(setup, first, domains, costs);
  }
  MergeTimes merges;
  std::vector<std::vector<double>> runs_s;
  ControllerTimes controller;
  for (int pass = 0; pass < setup.passes && !recording.interrupted; ++pass) {
    for (GroupRecorder& group : groups) {
      recording.interrupted =
          recording.interrupted || !group.run(placement, pass + 1 == setup.passes);
    }
    if (!recording.interrupted) {
      const std::vector<Items> usual = usual_items(groups);
      const Items items = items_of_runs(groups, setup);
      RecordedRuns runs;
      if (items > 0) runs = record_runs(setup, placement, usual, items);
      runs_s.push_back(std::move(runs.runs_s));
      controller.add(runs.controller);
      recording.interrupted = runs.interrupted;
      if (!recording.interrupted) {
        const MergeTimes of_pass = record_merges(setup, placement, usual);
        merges.sum += of_pass.sum;
        merges.count += of_pass.count;
        recording.interrupted = of_pass.interrupted;
      }
    }
    if (!recording.interrupted && setup.after_pass) setup.after_pass();
  }
  if (costs) settle_costs(setup, *found, groups, recording);
  CoreUse core_use;
  for (const GroupRecorder& group : groups) add(core_use, group.core_use());
  if (!recording.interrupted) {
    recording.trace.recording = facts_of(setup, groups, runs_s, core_use);
  }
  const std::string disturbed = disturbance_text(core_use);
  if (!disturbed.empty()) recording.doubts.push_back(disturbed);
  add_samples(groups, placement, recording);
  if (!recording.interrupted) {
    recording.trace.controller = record_controller(setup, placement, controller);
  }
  if (merges.count > 0) recording.trace.merge = (1.0 / merges.count) * merges.sum;
  if (!recording.interrupted) add_watts(groups, domains, recording);
  for (std::uint32_t i = 0; i < setup.units.size(); ++i) {
    recording.units.push_back({recording.trace.units[i],
                               copy_speeds_of(recording.trace, i, setup.kernel->workload()),
                               setup.units[i].factory->gpu()});
  }
  recording.trace.first_use = mean_first_use(groups, recording.units, setup.kernel->workload());
  return recording;
}

}  // namespace equipoise
