// logfit: LogFit (Navarro, Corbera, Rodriguez, Vilches, Asenjo: Heterogeneous parallel_for template
// for CPU-GPU chips, International Journal of Parallel Programming 47(2), 2019,
// doi:10.1007/s10766-018-0555-0; Vilches, Asenjo, Navarro, Corbera, Gran, Garzaran: Adaptive
// partitioning for irregular applications on heterogeneous CPU-GPU chips, Procedia Computer Science
// 51, 2015, doi:10.1016/j.procs.2015.05.213). The chunk of the GPU grows until its throughput
// hardly does, and then follows a logarithm that is fitted to its throughputs; the chunks of the
// CPU cores take as long as the GPU's.
//
//     exploration: chunks of x0, 2 x0, 4 x0, ... items                      explore
//       until, after 4 points and 2 more, neither of the last two           is_flat
//       throughputs times 0.98 exceeds the one before them,
//       or the next chunk would exceed the whole space
//     fit throughput = a ln x + b to the points                             fit
//       theta = a / x at the last point of exploration
//     then, after every chunk: fit again,                                   follow
//       next chunk = a / theta, rounded up to multiples of x0
//     CPU core: min(chunk_G / f, R / (f + n)), f: GPU's throughput          cpu_items
//       over the core's, n: cores, R: what is left
//       if the GPU is stopped: R / (n + 1)
//     if chunk_G / f exceeds the cores' part (R - chunk_G) / n,             is_end
//       the GPU gets its last chunk and is stopped: nothing, all of         give_last
//       R, or a part that ends with the cores, whichever ends first
//
// What the papers leave open is taken from a later version of the authors' own program (LogFit 3,
// github.com/TheUnixRoot/Logfit): the first chunk is the smallest, and the multiple that keeps all
// compute units busy; of the points between two doublings, only the latest counts; the GPU's
// throughput below the chunk is less, and constant above. Where we depart:
//  - Every accelerator has a fit of its own, and to it all other units are what the cores are to
//    the one GPU of the paper: n / f becomes the sum of their throughputs, and what the other
//    accelerators have in hand counts as left. CPU units may differ in throughput, too, and each
//    counts with its own.
//  - A throughput includes the copies of a block. No larger chunk than memory holds is tried.
//  - In exploration, a chunk that exceeds the rest of an iteration is not tried: the end begins.
//  - Without accelerators the units get R / (n + 1) items. Without CPU units nothing changes.
// What we add stands at the end of the class: units that are lost or join, iterations and phases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

bool is_accelerator(const UnitState& unit) { return unit.unit.kind != UnitKind::cpu; }

/// What is known of an accelerator, for one kernel.
struct FittedUnit {
  Items first_items = 0;  ///< x0
  Items chunk_items = 0;  ///< the next chunk
  bool is_exploring = true;
  std::map<int, SpeedSample> points;  ///< by doublings of x0
  LogSpeed curve;
  double theta = 0.0;  ///< items per second and item; 0: not known
};

/// What is known of one kernel.
struct FittedKernel {
  std::vector<FittedUnit> accelerators;  // (n), those of CPU units are not used
  std::vector<double> items_per_s;       // (n), of each unit's last block; 0: none yet
};

class LogFit final : public EventPolicy {
 public:
  explicit LogFit(const Parameters& read)
      : initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        min_points_(read.items("min_points", 1, 60)),
        discount_(read.number("discount", 0.0, 1.0)) {}

 private:
  [[nodiscard]] FittedUnit& fitted(const UnitState& unit) const {
    return kernel_->accelerators[unit.id.index];
  }
  [[nodiscard]] double throughput(const UnitState& unit) const {
    return kernel_->items_per_s[unit.id.index];
  }

  void on_finished(const BlockFinished& finished) override {
    const UnitState& unit = view().unit(finished.unit);
    const auto items = static_cast<double>(finished.block.items);
    const SpeedSample point{items, items / block_duration_s(finished.times)};
    kernel_->items_per_s[unit.id.index] = point.items_per_s;
    if (!is_accelerator(unit)) return;
    if (fitted(unit).is_exploring) {
      explore(unit, point);
    } else {
      follow(unit, point);
    }
  }

  void on_idle(UnitId id) override { serve(view().unit(id)); }

  void serve(const UnitState& unit) {
    if (!is_accelerator(unit)) {
      decisions().assign(unit.id, cpu_items(unit));
    } else if (!is_stopped_[unit.id.index]) {
      const Others others = others_than(unit);
      if (is_end(unit, others)) {
        give_last(unit, others);
      } else {
        decisions().assign(unit.id, chunk(unit),
                           fitted(unit).is_exploring ? BlockTag::train : BlockTag::run);
      }
    }
  }

  // -- The chunk of an accelerator -------------------------------------------------------------

  [[nodiscard]] Items largest(const UnitState& unit) const {
    return std::min(view().workload().items, unit.cap_items);
  }
  [[nodiscard]] Items chunk(const UnitState& unit) const {
    return std::min(fitted(unit).chunk_items, largest(unit));
  }

  /// The number of doublings of x0 that reach `items`.
  [[nodiscard]] static int doublings(const FittedUnit& fitted, double items) {
    const double ratio = items / static_cast<double>(fitted.first_items);
    return std::max(0, static_cast<int>(std::ceil(std::log2(ratio) - 1e-9)));
  }

  /// Adds a point if its chunk was whole, and doubles the chunk or ends the exploration.
  void explore(const UnitState& unit, const SpeedSample& point) {
    FittedUnit& accelerator = fitted(unit);
    const bool is_whole = point.items >= static_cast<double>(chunk(unit));
    if (accelerator.points.empty() || is_whole) {
      accelerator.points[doublings(accelerator, point.items)] = point;
      accelerator.curve = fit_log_speed(samples(accelerator));
    }
    if (!is_whole) return;
    if (is_flat(accelerator) || 2 * accelerator.chunk_items > largest(unit)) {
      accelerator.is_exploring = false;
      fit(unit);
    } else {
      accelerator.chunk_items *= 2;
    }
  }

  [[nodiscard]] bool is_flat(const FittedUnit& accelerator) const {
    const std::vector<SpeedSample> points = samples(accelerator);
    if (points.size() < static_cast<std::size_t>(min_points_) + 2) return false;
    const auto last = points.rbegin();
    const double before = (last + 2)->items_per_s;
    return discount_ * last->items_per_s <= before && discount_ * (last + 1)->items_per_s <= before;
  }

  [[nodiscard]] static std::vector<SpeedSample> samples(const FittedUnit& accelerator) {
    std::vector<SpeedSample> list;
    for (const auto& [doubling, point] : accelerator.points) list.push_back(point);
    return list;
  }

  void follow(const UnitState& unit, const SpeedSample& point) {
    fitted(unit).points[doublings(fitted(unit), point.items)] = point;
    fit(unit);
  }

  /// Fits the curve to all points, and chooses the next chunk. If the throughput does not grow, no
  /// chunk is better than the smallest.
  void fit(const UnitState& unit) {
    FittedUnit& accelerator = fitted(unit);
    const std::vector<SpeedSample> points = samples(accelerator);
    accelerator.curve = fit_log_speed(points);
    const double a = accelerator.curve.alpha;
    if (accelerator.theta <= 0.0) accelerator.theta = a / points.back().items;
    if (points.size() > 1) {
      const auto x0 = static_cast<double>(accelerator.first_items);
      const auto most = static_cast<double>(largest(unit));
      const double wanted = a > 0.0 ? std::min(a / accelerator.theta, most) : x0;
      // Quotients of fitted numbers: a rounding error must not add a multiple.
      const double multiples = std::max(1.0, std::ceil(wanted / x0 * (1.0 - 1e-9)));
      accelerator.chunk_items = static_cast<Items>(multiples) * accelerator.first_items;
    }
    decisions().decided({.what = DecisionKind::fit,
                         .estimates = {{.unit = unit.id,
                                        .cost = fmt::format("x / ({:.4g} ln x + {:.4g})", a,
                                                            accelerator.curve.beta),
                                        .block_items = chunk(unit)}}});
  }

  // -- The chunk of a CPU unit -----------------------------------------------------------------

  /// Whether it still takes chunks in this iteration.
  [[nodiscard]] bool is_running(const UnitState& unit) const {
    return unit.present && is_accelerator(unit) && !is_stopped_[unit.id.index];
  }

  [[nodiscard]] Items cpu_items(const UnitState& unit) const {
    const Items least = initial_block(view(), initial_block_items_);
    double cpus = 0.0;
    double accelerators = 0.0;
    double sum = 0.0;
    double chunk_s = Seconds::infinity().value;
    bool any_runs = false;
    for (const UnitState& other : view().units()) {
      if (is_running(other)) {
        any_runs = true;
        if (throughput(other) <= 0.0) continue;
        accelerators += 1.0;
        sum += throughput(other);
        chunk_s = std::min(chunk_s, static_cast<double>(chunk(other)) / throughput(other));
      } else if (other.present && !is_accelerator(other)) {
        cpus += 1.0;
        sum += throughput(other) > 0.0 ? throughput(other) : throughput(unit);
      }
    }
    if (!any_runs) return std::max(least, static_cast<Items>(remaining() / (cpus + 1.0)));
    if (accelerators == 0.0 || throughput(unit) <= 0.0) return least;
    const double as_long = chunk_s * throughput(unit);
    const double part = remaining() * throughput(unit) / sum;
    return std::max(least, static_cast<Items>(std::min(as_long, part)));
  }

  // -- The end ---------------------------------------------------------------------------------

  /// What an accelerator compares itself with: the other units that will ask for more.
  struct Others {
    double items_per_s = 0.0;  ///< their throughputs, as far as they are known
    double begun_items = 0.0;  ///< that other accelerators have
  };
  [[nodiscard]] Others others_than(const UnitState& unit) const {
    Others others;
    for (const UnitState& other : view().units()) {
      if (other.id == unit.id || !other.present || is_stopped_[other.id.index]) continue;
      others.items_per_s += throughput(other);
      if (!is_accelerator(other)) continue;
      for (const OutstandingBlock& block : other.outstanding) {
        others.begun_items += static_cast<double>(block.block.items);
      }
    }
    return others;
  }

  /// Whether the next chunk would take longer than the others need for the rest.
  [[nodiscard]] bool is_end(const UnitState& unit, const Others& others) const {
    if (others.items_per_s <= 0.0 || throughput(unit) <= 0.0) return false;
    const auto next = static_cast<double>(chunk(unit));
    if (remaining() < next) return true;
    if (fitted(unit).is_exploring) return false;
    const double rest = remaining() + others.begun_items - next;
    return next / throughput(unit) > rest / others.items_per_s;
  }

  /// The throughput at `items`: the last one from the chunk on, less below it.
  [[nodiscard]] double throughput_at(const UnitState& unit, double items) const {
    const double last = throughput(unit);
    const FittedUnit& accelerator = fitted(unit);
    if (items >= static_cast<double>(chunk(unit)) || accelerator.points.empty()) return last;
    const double first = accelerator.points.begin()->second.items_per_s;
    return std::clamp(accelerator.curve.at(items), std::min(first, last), last);
  }

  /// Stops the accelerator after the last chunk that ends first.
  void give_last(const UnitState& unit, const Others& others) {
    const double all = remaining();
    const double last = throughput(unit);
    const auto end_s = [&](double items) {
      const double own_s = items > 0.0 ? items / throughput_at(unit, items) : 0.0;
      return std::max(own_s, (all + others.begun_items - items) / others.items_per_s);
    };
    const double even = (all + others.begun_items) * last / (others.items_per_s + last);
    const double part = std::min(std::floor(even / grain()) * grain(), all);
    double items = 0.0;
    for (const double choice : {part, all}) {
      if (end_s(choice) < end_s(items)) items = choice;
    }
    is_stopped_[unit.id.index] = true;
    decisions().decided({.what = DecisionKind::tail,
                         .estimates = {{.unit = unit.id,
                                        .cost = fmt::format("{:.4g} items/s", last),
                                        .block_items = static_cast<Items>(items)}}});
    if (items > 0.0) decisions().assign(unit.id, static_cast<Items>(items), BlockTag::tail);
  }

  // -- What we add -----------------------------------------------------------------------------

  /// What is known of a kernel is kept.
  void on_phase() override {
    const std::size_t n = view().units().size();
    kernel_ = &kernels_[view().workload().kernel];
    kernel_->accelerators.resize(n);
    kernel_->items_per_s.resize(n, 0.0);
    is_stopped_.assign(n, false);
    const Items grain = view().workload().grain_items;
    const Items block = initial_block(view(), initial_block_items_);
    for (const UnitState& unit : view().units()) {
      FittedUnit& accelerator = fitted(unit);
      if (accelerator.first_items > 0) continue;
      const Items whole = (block + grain - 1) / grain * grain;
      accelerator.first_items = std::max<Items>(1, std::min(whole, largest(unit)));
      accelerator.chunk_items = accelerator.first_items;
    }
  }
  void on_iteration() override { is_stopped_.assign(view().units().size(), false); }

  /// Work that comes back may be done by accelerators that were stopped.
  void on_block_lost(const BlockLost& lost) override {
    if (lost.returns_items) is_stopped_.assign(view().units().size(), false);
  }
  /// So may that which was left to a unit that is lost now.
  void on_unit_lost(UnitId /*unit*/) override {
    is_stopped_.assign(view().units().size(), false);
    for (const UnitState& unit : view().units()) {
      if (is_accelerator(unit) && unit.is_idle() && unit.outstanding.empty() &&
          view().remaining() > 0) {
        serve(unit);
      }
    }
  }

  std::optional<Items> initial_block_items_;
  Items min_points_;
  double discount_;
  std::map<std::string, FittedKernel> kernels_;
  FittedKernel* kernel_ = nullptr;  // of the current phase
  std::vector<bool> is_stopped_;    // (n), in this iteration
};

}  // namespace

PolicyInfo logfit_info() {
  return {.name = "logfit",
          .line = "accelerators: chunks by a logarithm fitted to their throughput; CPUs keep step",
          .source =
              "LogFit: Navarro, Corbera, Rodriguez, Vilches, Asenjo (2019); Vilches et al. (2015)",
          .parameters = {initial_block_parameter(),
                         {"min_points", "4", "points",
                          "points of an accelerator before its throughput may be found to be flat",
                          "Navarro et al. (2019): 4, and the two that are compared"},
                         {"discount", "0.98", "",
                          "a throughput times this that does not exceed an earlier one is no gain",
                          "Navarro et al. (2019): 0.98"}},
          .make = make_a<LogFit>};
}

}  // namespace equipoise
