// dmda: StarPU's scheduler "deque model data aware" (Augonnet, Thibault, Namyst, Wacrenier: StarPU:
// a unified platform for task scheduling on heterogeneous multicore architectures, Concurrency and
// Computation: Practice and Experience 23(2), 2011, doi:10.1002/cpe.1631). The work is cut into
// equal tasks; each is put at once into the queue of the unit that should end it first, copies
// counted, and stays there.
//
//     cut the input into equal tasks                                        on_phase
//     a history for each unit and size: the mean of its times               learn, History
//     no prediction for some unit: greedy, to calibrate                     serve, calibrate
//     otherwise, for every task:                                            push_all, push
//       the unit with the least alpha (end of its queue + time of the task)
//                               + beta (time of its copies)
//       end of the queue = max(end of the queue, now + copies) + time of the task
//     a unit does the tasks of its own queue, in order                      pop
//
// What the paper leaves open is taken from StarPU's source (deque_modeling_policy_data_aware.c,
// perfmodel_history.c) and its handbook ("Scheduling", "Performance Model Calibration"). Where we
// depart:
//  - StarPU puts a task into a queue when it is submitted. All tasks of an iteration are submitted
//    when the iteration begins, or, in the first one, when the last unit has been calibrated: until
//    then idle units get one task at a time, those first that need samples. (StarPU would give all
//    tasks that are submitted before to the units that need samples.)
//  - Tasks have no data in common but the resident data, and their results go back to the master:
//    the copy of a task is its copy in and out, by the mean of those that were measured; StarPU
//    measures the bus beforehand, and leaves results where they are.
//  - A copy is hidden behind the tasks before it only where the unit has more than one slot: StarPU
//    fetches the data of tasks that wait, and a unit with one slot gets them with the task.
//  - There is no energy term: StarPU's gamma has no effect without models of energy.
//  - A size of which there is no sample (the last task, what memory cuts) is predicted from the
//    nearest one, in proportion.
// What we add stands at the end of the class: units that are lost or join, iterations and phases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

/// A mean.
struct MeanTime {
  Items samples = 0;
  double sum_s = 0.0;

  [[nodiscard]] double s() const { return sum_s / static_cast<double>(samples); }
  void add(double seconds) {
    ++samples;
    sum_s += seconds;
  }
};

/// By the size of a task, in items.
using MeanTimes = std::map<Items, MeanTime>;

/// The mean at `items`, or that of the nearest size in proportion; 0 if there is none.
double predicted_s(const MeanTimes& means, Items items) {
  if (means.empty()) return 0.0;
  auto nearest = means.lower_bound(items);
  if (nearest == means.end() ||
      (nearest != means.begin() && items - std::prev(nearest)->first < nearest->first - items)) {
    --nearest;
  }
  return nearest->second.s() * static_cast<double>(items) / static_cast<double>(nearest->first);
}

/// The computing times of tasks, as StarPU keeps them: a time that is further than `max_error` from
/// the mean is an error, and does not count; a size with as many errors as samples is forgotten.
class History {
 public:
  void add(Items items, double seconds, double max_error) {
    MeanTime& mean = means_[items];
    const double ratio = mean.samples > 0 ? seconds / mean.s() : 1.0;
    if (std::max(ratio, 1.0 / ratio) <= 1.0 + max_error) {
      mean.add(seconds);
    } else if (++errors_[items] >= mean.samples) {
      means_.erase(items);
      errors_.erase(items);
    }
  }
  [[nodiscard]] Items samples(Items items) const {
    const auto found = means_.find(items);
    return found == means_.end() ? 0 : found->second.samples;
  }
  [[nodiscard]] double predicted_s(Items items) const {
    return equipoise::predicted_s(means_, items);
  }

 private:
  MeanTimes means_;
  std::map<Items, Items> errors_;
};

enum class CpuHistories { shared, own };

class Dmda final : public EventPolicy {
 public:
  explicit Dmda(const Parameters& read)
      : initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        pieces_(read.items_or_auto("pieces", 1)),
        alpha_(read.number("alpha", 0.0, 1e9)),
        beta_(read.number("beta", 0.0, 1e9)),
        samples_(read.items("samples", 1, 1'000'000)),
        max_error_(read.number("max_error", 0.0, 1e9)),
        cpu_histories_(read.choice<CpuHistories>("cpu_histories", {"shared", "own"})) {}

 private:
  /// What is known of one kernel.
  struct Kernel {
    std::vector<History> computing;  ///< (n), at `history_of_`
    std::vector<MeanTimes> copying;  ///< (n)
  };
  /// The units while tasks are put into their queues (n).
  struct Queues {
    std::vector<double> end_s;       ///< when everything in the queue should have ended
    std::vector<double> resident_s;  ///< the copy of resident data that the next task needs
  };

  // -- Performance models ----------------------------------------------------------------------

  void on_run() override {
    const std::span<const UnitState> units = view().units();
    history_of_.clear();
    for (const UnitState& unit : units) {
      const auto first = std::ranges::find_if(
          units, [&](const UnitState& other) { return shares_history(other.unit, unit.unit); });
      history_of_.push_back(first == units.end() ? unit.id.index : first->id.index);
    }
    planned_.assign(units.size(), 0);
    last_end_s_.assign(units.size(), 0.0);
    in_s_.assign(units.size(), 0.0);
    in_bytes_.assign(units.size(), 0.0);
  }

  /// The cores of a node are taken to be equally fast.
  [[nodiscard]] bool shares_history(const Unit& one, const Unit& other) const {
    return cpu_histories_ == CpuHistories::shared && one.kind == UnitKind::cpu &&
           other.kind == UnitKind::cpu && !one.model.empty() && one.model == other.model &&
           one.node == other.node;
  }

  void on_finished(const BlockFinished& finished) override { learn(finished); }

  void learn(const BlockFinished& finished) {
    const std::size_t p = finished.unit.index;
    const Items items = finished.block.items;
    kernel_->computing[history_of_[p]].add(
        items, std::max(finished.times.compute.value, shortest_block_s), max_error_);
    kernel_->copying[p][items].add((finished.times.in + finished.times.out).value);
    in_s_[p] += finished.times.in.value;
    in_bytes_[p] += static_cast<double>(items) * view().workload().in_bytes_per_item;
    last_end_s_[p] = at().value;
  }

  [[nodiscard]] double task_s(UnitId unit, Items items) const {
    return kernel_->computing[history_of_[unit.index]].predicted_s(items);
  }
  [[nodiscard]] bool is_calibrated(const UnitState& unit) const {
    const Items own = std::min(task_items_, unit.cap_items);
    return kernel_->computing[history_of_[unit.id.index]].samples(own) >= samples_;
  }

  // -- Queues ----------------------------------------------------------------------------------

  /// When the unit should have ended the blocks that it has, and the tasks in its queue.
  [[nodiscard]] double expected_end_s(const UnitState& unit) const {
    const double now = view().now().value;
    double end = last_end_s_[unit.id.index];
    for (const OutstandingBlock& block : unit.outstanding) {
      const double begin = std::max(end, block.assigned.value);
      end = std::max(now, begin + queued_s(unit, block.block.items));
    }
    const double tasks = static_cast<double>(planned_[unit.id.index]) /
                         static_cast<double>(std::max<Items>(1, task_items_));
    return std::max(now, end) + tasks * queued_s(unit, task_items_);
  }

  /// What a task adds to the queue, if its copies are hidden where that is possible.
  [[nodiscard]] double queued_s(const UnitState& unit, Items items) const {
    const double copies_s =
        hides_copies(unit) ? 0.0 : predicted_s(kernel_->copying[unit.id.index], items);
    return copies_s + task_s(unit.id, items);
  }
  [[nodiscard]] static bool hides_copies(const UnitState& unit) { return unit.unit.slots > 1; }

  /// The copy of the resident data that the unit lacks, at the speed of its other copies.
  [[nodiscard]] double resident_s(UnitId unit) const {
    const double bytes = in_bytes_[unit.index];
    return bytes > 0.0 ? view().resident_bytes_to_send(unit) * in_s_[unit.index] / bytes : 0.0;
  }

  /// Puts all tasks that are in no queue into queues.
  void push_all() {
    Queues queues;
    for (const UnitState& unit : view().units()) {
      queues.end_s.push_back(expected_end_s(unit));
      queues.resident_s.push_back(resident_s(unit.id));
    }
    for (Items left = unplanned(); left > 0;) {
      const Items items = std::min(task_items_, left);
      push(items, queues);
      left -= items;
    }
    Decision decision{.what = DecisionKind::schedule};
    for (const UnitState& unit : view().units()) {
      if (!unit.present) continue;
      decision.estimates.push_back(
          {.unit = unit.id,
           .cost = fmt::format("{:.4g} s a task", task_s(unit.id, task_items_)),
           .block_items = planned_[unit.id.index]});
    }
    decisions().decided(decision);
  }

  /// Puts a task into the queue of the unit that should end it first.
  void push(Items items, Queues& queues) {
    std::optional<UnitId> best;
    double best_fitness = 0.0;
    for (const UnitState& unit : view().units()) {
      if (!unit.present) continue;
      const double end_s = queues.end_s[unit.id.index] + task_s(unit.id, items);
      const double fitness = alpha_ * end_s + beta_ * copy_s(unit.id, items, queues);
      if (!best || fitness < best_fitness) {
        best = unit.id;
        best_fitness = fitness;
      }
    }
    if (!best) return;
    double& end_s = queues.end_s[best->index];
    const double copies_s = copy_s(*best, items, queues);
    const double begin_s = hides_copies(view().unit(*best))
                               ? std::max(end_s, view().now().value + copies_s)
                               : end_s + copies_s;
    end_s = begin_s + task_s(*best, items);
    queues.resident_s[best->index] = 0.0;
    planned_[best->index] += items;
  }

  [[nodiscard]] double copy_s(UnitId unit, Items items, const Queues& queues) const {
    return predicted_s(kernel_->copying[unit.index], items) + queues.resident_s[unit.index];
  }

  /// Hands out the next tasks of the unit's queue.
  void pop(const UnitState& unit) {
    Items& planned = planned_[unit.id.index];
    while (unit.is_idle() && planned > 0) {
      const Items items = decisions().assign(unit.id, std::min(task_items_, planned));
      planned = items > 0 ? std::max<Items>(0, planned - items) : 0;
    }
  }

  // -- Calibration, and what we add ------------------------------------------------------------

  void on_phase() override {
    const std::size_t n = view().units().size();
    const Workload& workload = view().workload();
    kernel_ = &kernels_[workload.kernel];
    kernel_->computing.resize(n);
    kernel_->copying.resize(n);
    const Items items = pieces_ ? (workload.items + *pieces_ - 1) / *pieces_
                                : initial_block(view(), initial_block_items_);
    const Items grain = workload.grain_items;
    task_items_ = std::max<Items>(1, (items + grain - 1) / grain) * grain;
  }

  void on_iteration() override { planned_.assign(view().units().size(), 0); }
  void on_idle(UnitId /*unit*/) override { serve(); }

  /// The tasks in the queue of a lost unit are submitted again; those that it had, when they are
  /// back (UnitIdle).
  void on_unit_lost(UnitId unit) override {
    planned_[unit.index] = 0;
    serve();
  }

  /// Items that are in no queue.
  [[nodiscard]] Items unplanned() const {
    return view().remaining() - std::reduce(planned_.begin(), planned_.end());
  }

  void serve() {
    if (view().remaining() == 0) return;
    const auto is_unknown = [this](const UnitState& unit) {
      return unit.present && !is_calibrated(unit);
    };
    const bool is_known = std::ranges::none_of(view().units(), is_unknown) &&
                          std::ranges::any_of(view().units(), &UnitState::present);
    if (is_known && unplanned() > 0) push_all();
    for (const UnitState& unit : view().units()) pop(unit);
    if (is_known) return;
    for (const UnitState& unit : view().units()) {
      if (is_unknown(unit)) calibrate(unit);
    }
    for (const UnitState& unit : view().units()) calibrate(unit);
  }

  /// A task for a unit that is idle, from those that are in no queue.
  void calibrate(const UnitState& unit) {
    if (unit.is_idle() && unplanned() > 0) {
      decisions().assign(unit.id, task_items_, BlockTag::train);
    }
  }

  std::optional<Items> initial_block_items_;
  std::optional<Items> pieces_;
  double alpha_;
  double beta_;
  Items samples_;
  double max_error_;
  CpuHistories cpu_histories_;

  std::vector<std::uint32_t> history_of_;  // (n): position of the unit's history
  std::vector<double> last_end_s_;         // (n): when its last block ended
  std::vector<double> in_s_;               // (n): all copies in
  std::vector<double> in_bytes_;           // (n)
  std::map<std::string, Kernel> kernels_;
  Kernel* kernel_ = nullptr;    // of the current phase
  Items task_items_ = 1;        // whole grains
  std::vector<Items> planned_;  // (n): items in each unit's queue
};

}  // namespace

PolicyInfo dmda_info() {
  return {
      .name = "dmda",
      .line = "puts every task at once into the queue that should end it first, by learned times",
      .source = "StarPU's dmda: Augonnet, Thibault, Namyst, Wacrenier (2011)",
      .parameters =
          {initial_block_parameter(),
           {"pieces", "auto", "pieces",
            "how many equal tasks all items are cut into; auto: by initial_block_items",
            "Augonnet et al. (2011): the program cuts its input into tasks"},
           {"alpha", "1", "", "weight of the end of a task's computation",
            "StarPU handbook, STARPU_SCHED_ALPHA: 1"},
           {"beta", "1", "", "weight of the time of its copies",
            "StarPU handbook, STARPU_SCHED_BETA: 1"},
           {"samples", "10", "blocks", "samples of a size that make a prediction",
            "StarPU, STARPU_CALIBRATE_MINIMUM: 10"},
           {"max_error", "0.5", "relative time",
            "a time that differs from the mean by a larger factor than 1 + max_error does not "
            "count; as many of them as samples: the size is learned anew",
            "StarPU, STARPU_HISTORY_MAX_ERROR: 50 %"},
           {"cpu_histories", "shared", "",
            "shared: CPU units of one node that name the same model have one history; own: each "
            "unit has its own",
            "StarPU, STARPU_PERF_MODEL_HOMOGENEOUS_CPU: 1; every GPU has its own"}},
      .make = make_a<Dmda>};
}

}  // namespace equipoise
