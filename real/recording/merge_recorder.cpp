// Runs iterations, block by block, through the same executor as runs.
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
  MergeRecorder(const RecordSetup& setup, std::span<const Items> usual_items, Executor& executor)
      : setup_(setup),
        workload_(setup.kernel->workload()),
        usual_items_(usual_items),
        executor_(executor) {}

  RecordedMerges run() {
    constexpr int iterations_in_all = 4;
    const int iterations =
        std::min(workload_.iterations, std::max(2, iterations_in_all / setup_.passes));
    const auto goes_on = [&](int i) { return i < 2 || executor_.now() <= pass_budget(); };
    for (int i = 0; i < iterations && !merges_.interrupted && goes_on(i); ++i) {
      merges_.interrupted = !run_iteration(i);
    }
    return merges_;
  }

 private:
  [[nodiscard]] Seconds pass_budget() const { return (1.0 / setup_.passes) * setup_.budget; }

  /// Hands out no blocks any more when it has spent half of the pass's budget. Returns false if a
  /// stop was requested.
  bool run_iteration(int iteration) {
    pool_ = Pool(workload_.items, workload_.grain_items);
    outstanding_ = 0;
    const Seconds begin = executor_.now();
    const Seconds merged = executor_.begin_iteration(0, iteration);
    if (iteration > 0) {
      merges_.sum += merged - begin;
      ++merges_.count;
    }
    last_start_ = merged + 0.5 * pass_budget();
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
    constexpr Items blocks_for_a_unit = 8;
    if (pool_.remaining() == 0) return;
    const auto units = static_cast<Items>(setup_.units.size());
    const Items cap = std::min(largest_block(setup_.units[unit.index].unit, workload_),
                               std::max(usual_items_[unit.index], workload_.grain_items));
    const ItemRange range = pool_.cut(workload_.items / (blocks_for_a_unit * units) + 1, cap);
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

RecordedMerges record_merges(const RecordSetup& setup, const Placement& placement,
                             std::span<const Items> usual_items) {
  if (setup.kernel->workload().iterations < 2) return {};
  RealSetup real;
  real.units = setup.units;
  real.placement = placement;
  real.phases = {setup.kernel};
  real.stop_requested = setup.stop_requested;
  const std::unique_ptr<Executor> executor = make_real_executor(std::move(real));
  RecordedMerges merges;
  executor->run([&] { merges = MergeRecorder(setup, usual_items, *executor).run(); });
  return merges;
}

}  // namespace equipoise
