// Runs whole iterations, block by block, through the same executor as runs.
#include "real/recording/merge_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "real/real_executor.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/pool.hpp"

namespace equipoise {
namespace {

class MergeRecorder {
 public:
  MergeRecorder(const RecordSetup& setup, Executor& executor)
      : setup_(setup), workload_(setup.kernel->workload()), executor_(executor) {}

  RecordedMerges run() {
    constexpr int iterations_in_all = 4;
    const int iterations =
        std::min(workload_.iterations, std::max(2, iterations_in_all / setup_.passes));
    const Seconds budget = (1.0 / setup_.passes) * setup_.budget;
    const auto goes_on = [&](int i) { return i < 2 || executor_.now() <= budget; };
    for (int i = 0; i < iterations && !merges_.interrupted && goes_on(i); ++i) {
      merges_.interrupted = !run_iteration(i);
    }
    return merges_;
  }

 private:
  /// Returns false if a stop was requested.
  bool run_iteration(int iteration) {
    pool_ = Pool(workload_.items, workload_.grain_items);
    outstanding_ = 0;
    const Seconds begin = executor_.now();
    const Seconds merged = executor_.begin_iteration(0, iteration);
    if (iteration > 0) {
      merges_.sum += merged - begin;
      ++merges_.count;
    }
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
  RecordedMerges merges_;
};

}  // namespace

std::string loss_text(const Event& event, const std::vector<UnitSpec>& units, std::size_t first,
                      const std::string& what) {
  if (const auto* block = std::get_if<BlockLost>(&event.what)) {
    return fmt::format("unit {} could not do a block of {} items while {}; give smaller --sizes",
                       units[first + block->unit.index].unit.name, block->block.items, what);
  }
  const UnitId lost = std::get<UnitLost>(event.what).unit;
  return fmt::format("unit {} was lost while {}", units[first + lost.index].unit.name, what);
}

RecordedMerges record_merges(const RecordSetup& setup, const Placement& placement) {
  if (setup.kernel->workload().iterations < 2) return {};
  RealSetup real;
  real.units = setup.units;
  real.placement = placement;
  real.phases = {setup.kernel};
  real.stop_requested = setup.stop_requested;
  const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
  RecordedMerges merges;
  executor->run([&] { merges = MergeRecorder(setup, *executor).run(); });
  return merges;
}

}  // namespace equipoise
