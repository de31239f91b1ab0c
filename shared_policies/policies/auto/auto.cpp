// auto: chooses among policies while it runs. Two ways of choosing:
//
// select=simulate, after SimAS (A. Mohammed, F. M. Ciorba: SimAS: A simulation-assisted approach
// for the scheduling algorithm selection under perturbations, Concurrency and Computation: Practice
// and Experience 32(15), 2020, doi:10.1002/cpe.5648):
//
//     learn what the units and the loop are like                    LearnedLoop
//     from time to time, from the present state of the loop,        choose_by_simulation
//       simulate its rest with each candidate                       simulate_rest
//     go on with the one that ends first; what units have begun     take_over
//       they end
//
// select=exhaustive, after ExhaustiveSel of Auto4OMP (A. Mohammed, J. H. Mueller Korndoerfer, A.
// Eleliemy, F. M. Ciorba: Automated scheduling algorithm selection and chunk parameter calculation
// in OpenMP, IEEE Transactions on Parallel and Distributed Systems 33(12), 2022,
// doi:10.1109/TPDS.2022.3189270), as its code has it (LB4OMP, runtime/src/kmp_dispatch.cpp,
// autoExhaustiveSearch and end_auto_loop_timer):
//
//     one iteration with each candidate, then the fastest           ExhaustiveSearch::next
//     from the beginning when the imbalance of an iteration,        ExhaustiveSearch::end
//       100 % (T_max - T_mean) / T_max, T_p when unit p ended,
//       is 10 points more than that of the one before
//
// Where we depart:
//  - The papers' texts were not at hand, only SimAS's abstract and its authors' description. SimAS
//    simulates beside the run; here the master simulates, at the price of its decisions, and knows
//    what finished blocks have shown.
//  - When to simulate is ours: whenever a share of the items is done, when an iteration begins, and
//    when a unit was lost or has joined. A policy has no clock.
//  - Until something is known, every unit is given small blocks of three sizes, which show what
//    blocks and items cost.
//  - Of policies that are expected to end at about the same time, the one that runs goes on, or
//    else that with the shortest blocks does: what is out cannot be changed when items turn out to
//    be different.
//  - A candidate that takes over is made anew and told of the latest blocks of all units, just as
//    it was simulated.
//  - When the exhaustive search begins again, LB4OMP still compares with the best time of before;
//    here all candidates are timed again. A candidate's imbalance is compared with its own of the
//    last time (in LB4OMP the first iteration after a search is compared with that of the last
//    candidate). LB4OMP multiplies it by n / (n - 1) in whole numbers: by 1 if n > 2.
//  - Candidates are policies that answer requests for work and can begin in the middle of a loop.
//    LB4OMP's include one that divides once (STATIC).
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/auto/learned_loop.hpp"
#include "shared_policies/policies/auto/rest_simulation.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/policies.hpp"
#include "shared_policies/text/nearest_name.hpp"

namespace equipoise {
namespace {

/// The policies that may be chosen: those that hand out work when a unit asks for it, and only
/// then, need no profile, and divide what remains whoever has handed out the rest.
const std::vector<std::string>& possible_candidates() {
  static const std::vector<std::string> names = {
      "greedy", "ss",    "mfsc",  "gss", "tss",   "fac2",         "awf-b",
      "awf-c",  "awf-d", "awf-e", "af",  "taper", "static-steal", "hguided"};
  return names;
}

/// LB4OMP's candidates that are possible here, without static-steal, which hands out what ss does;
/// mfsc, which has blocks of one size; and hguided, for units of unequal speed.
constexpr const char* default_candidates =
    "ss/mfsc/tss/gss/fac2/awf-b/awf-c/awf-d/awf-e/af/hguided";

/// The blocks of a unit from which costs are learned: their sizes relative to the first block.
constexpr double learning_sizes[] = {0.25, 1.0, 0.5};
constexpr std::uint64_t learning_blocks = std::size(learning_sizes);

std::vector<std::string> candidates_as_typed(const Parameters& read) {
  const std::string& all = read.text("among");
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find('/', at), all.size());
    names.push_back(all.substr(at, end - at));
    at = end + 1;
    const std::vector<std::string>& possible = possible_candidates();
    if (std::ranges::find(possible, names.back()) == possible.end()) {
      throw InputError(
          "policy", unknown_name("policy that auto can choose (among=)", names.back(), possible));
    }
    if (std::ranges::count(names, names.back()) > 1) {
      throw InputError("policy", fmt::format("among={}: {} is there twice", all, names.back()));
    }
  }
  return names;
}

/// The search of Auto4OMP's ExhaustiveSel for one loop.
class ExhaustiveSearch {
 public:
  ExhaustiveSearch(std::size_t candidates, double imbalance_points)
      : imbalance_points_(imbalance_points), seconds_(candidates), imbalance_(candidates) {}

  /// The candidate of the next iteration: the first that was not timed, or else the fastest.
  [[nodiscard]] std::size_t next() const {
    const auto first = std::ranges::min_element(seconds_);  // no time is less than any time
    return static_cast<std::size_t>(first - seconds_.begin());
  }

  /// An iteration with `candidate` has ended. `ends_s` (n, at least one): how long after its
  /// beginning each unit ended.
  void end(std::size_t candidate, const std::vector<double>& ends_s) {
    const double last_s = std::ranges::max(ends_s);
    const double mean_s =
        std::reduce(ends_s.begin(), ends_s.end()) / static_cast<double>(ends_s.size());
    const double imbalance = last_s > 0.0 ? 100.0 * (last_s - mean_s) / last_s : 0.0;
    const bool was_timed = seconds_[candidate].has_value();
    const std::optional<double> before = std::exchange(imbalance_[candidate], imbalance);
    if (was_timed && before && imbalance > *before + imbalance_points_) {
      std::ranges::fill(seconds_, std::nullopt);
    } else if (!was_timed) {
      seconds_[candidate] = last_s;
    }
  }

 private:
  double imbalance_points_;
  std::vector<std::optional<double>> seconds_;    ///< (candidates) of an iteration, in this search
  std::vector<std::optional<double>> imbalance_;  ///< (candidates) in percent, the last time
};

class Auto final : public EventPolicy {
 public:
  Auto(const Parameters& read, const KnownCosts* known)
      : candidates_(candidates_as_typed(read)),
        is_exhaustive_(read.choice("select", {"simulate", "exhaustive"}) == 1),
        decide_every_(read.number("decide_every", 1e-3, 1.0)),
        margin_(read.number("margin", 0.0, 1.0)),
        scenarios_(static_cast<std::size_t>(read.items("scenarios", 1, 1000))),
        seed_(static_cast<std::uint64_t>(read.items("seed", 0))),
        blocks_most_(read.items("simulated_blocks", 1)),
        imbalance_points_(read.number("imbalance_points", 0.0, 100.0)),
        initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        known_(known) {}

 private:
  /// A kernel.
  struct Loop {
    LearnedLoop learned;
    std::optional<ExhaustiveSearch> search;
  };

  // -- Events ------------------------------------------------------------------------------------

  void on_event(const Event& event) override {
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) return answer(event, idle->unit);
    learn(event);
    if (policy_ != nullptr) policy_->decide(view(), event, decisions());
  }

  void learn(const Event& event) {
    if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
      done_items_ += static_cast<double>(finished->block.items);
      is_due_ = is_due_ || done_items_ >= decide_every_ * all_items();
      loop_->learned.add(*finished, event.at);
      ends_s_[finished->unit.index] = (event.at - iteration_began_).value;
    } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
      loop_->learned.ended(lost->unit, event.at);
      loop_->learned.interrupted();
    } else if (const auto* late = std::get_if<LateEnd>(&event.what)) {
      loop_->learned.ended(late->unit, event.at);
    } else if (std::holds_alternative<PhaseStarted>(event.what)) {
      end_iteration();
      begin_phase();
    } else if (std::holds_alternative<IterationStarted>(event.what)) {
      end_iteration();
      begin_iteration();
    } else if (std::holds_alternative<UnitLost>(event.what) ||
               std::holds_alternative<UnitJoined>(event.what)) {
      is_due_ = true;
      if (loop_ != nullptr) loop_->learned.interrupted();
    }
  }

  /// Policies are made anew for each phase.
  void begin_phase() {
    policy_.reset();
    loop_ = &loops_[view().workload().kernel];
    if (!loop_->search) loop_->search.emplace(candidates_.size(), imbalance_points_);
    loop_->learned.begin_phase(view());
  }

  void begin_iteration() {
    loop_->learned.begin_iteration(at());
    iteration_began_ = at();
    ends_s_.assign(view().units().size(), 0.0);
    is_due_ = true;
  }

  /// If an iteration has ended, its times count for the policy that did it.
  void end_iteration() {
    if (!is_exhaustive_ || policy_ == nullptr) return;
    std::vector<double> ends_s;  // of the units that are there
    for (const UnitState& unit : view().units()) {
      if (unit.present) ends_s.push_back(ends_s_[unit.id.index]);
    }
    if (!ends_s.empty()) loop_->search->end(chosen_, ends_s);
  }

  /// A unit asks for work.
  void answer(const Event& event, UnitId unit) {
    const std::size_t before = view().unit(unit).outstanding.size();
    if (is_exhaustive_) {
      if (std::exchange(is_due_, false)) take_over(loop_->search->next());
    } else if (policy_ != nullptr || has_learned()) {
      if (std::exchange(is_due_, false) || policy_ == nullptr) choose_by_simulation();
    }
    if (policy_ != nullptr) {
      policy_->decide(view(), event, decisions());
    } else {
      give_learning_block(unit);
    }
    if (view().unit(unit).outstanding.size() > before) loop_->learned.handed_out(view(), unit);
  }

  // -- Before anything is known ------------------------------------------------------------------

  /// Whether all units that are present have finished their learning blocks; or some have, and as
  /// many items as between two decisions are out or done.
  [[nodiscard]] bool has_learned() const {
    if (!loop_->learned.is_known()) return false;
    if (all_items() - remaining() >= decide_every_ * all_items()) return true;
    return std::ranges::all_of(view().units(), [this](const UnitState& unit) {
      return !unit.present || loop_->learned.blocks(unit.id) >= learning_blocks;
    });
  }

  /// Blocks whose sizes differ, if only by grains: blocks of one size do not show what is fixed.
  /// None is more than half of an even share of what remains.
  void give_learning_block(UnitId unit) {
    const std::uint64_t had = loop_->learned.blocks(unit) + view().unit(unit).outstanding.size();
    const auto initial = static_cast<double>(initial_block(view(), initial_block_items_));
    const double largest = std::max(initial, grain() / std::ranges::min(learning_sizes));
    const double items = std::min(largest * learning_sizes[had % learning_blocks],
                                  0.5 * remaining() / static_cast<double>(view().units().size()));
    decisions().assign(unit, std::max<Items>(static_cast<Items>(items), 1), BlockTag::train);
  }

  // -- Choosing ----------------------------------------------------------------------------------

  [[nodiscard]] std::unique_ptr<Policy> make(std::size_t candidate) const {
    const PolicyInfo& info = find_policy(candidates_[candidate]);
    PolicyInputs inputs{{}, known_};
    const bool has_first_block = std::ranges::any_of(info.parameters, [](const auto& parameter) {
      return parameter.name == "initial_block_items";
    });
    if (initial_block_items_ && has_first_block) {
      inputs.parameters["initial_block_items"] = std::to_string(*initial_block_items_);
    }
    return make_policy(info, inputs);
  }

  /// What was simulated with a candidate: the mean over the ways in which items may differ.
  struct Prediction {
    double seconds = std::numeric_limits<double>::infinity();  ///< left
    double longest_s = 0.0;                                    ///< of a block
  };

  /// Simulates the rest of the iteration with every candidate, and goes on with the best.
  void choose_by_simulation() {
    done_items_ = 0.0;
    const LoopModel& model = loop_->learned.fit();
    const std::vector<Prediction> predictions = predict(model);
    report(model);
    const double least_s = std::ranges::min(predictions, {}, &Prediction::seconds).seconds;
    const double enough_s = least_s * (1.0 + margin_);
    if (policy_ != nullptr && predictions[chosen_].seconds <= enough_s) return;
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < predictions.size(); ++k) {
      if (predictions[k].seconds > enough_s) continue;
      if (!best || predictions[k].longest_s < predictions[*best].longest_s) best = k;
    }
    take_over(*best);
  }

  /// The predictions (candidates). Those that cannot be chosen any more are infinite.
  [[nodiscard]] std::vector<Prediction> predict(const LoopModel& model) const {
    const std::vector<CostsAhead> ways = loop_->learned.costs_ahead(view(), scenarios_, seed_);
    const std::vector<Event> past = loop_->learned.latest_blocks();
    const auto count = static_cast<double>(ways.size());
    const std::int64_t blocks_most = std::max<std::int64_t>(
        1, blocks_most_ / static_cast<std::int64_t>(candidates_.size() * ways.size()));
    double limit_s = std::numeric_limits<double>::infinity();
    std::vector<Prediction> predictions(candidates_.size());
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      Prediction sum{0.0, 0.0};
      for (const CostsAhead& costs : ways) {
        const std::unique_ptr<Policy> policy = make(k);
        const RestOfLoop rest{view(), loop_->learned, model, costs, past};
        const SimulatedRest one =
            simulate_rest(rest, *policy, blocks_most, count * limit_s - sum.seconds);
        sum.seconds += one.seconds;
        sum.longest_s += one.longest_s;
        if (sum.seconds > count * limit_s) break;
      }
      if (sum.seconds > count * limit_s) continue;
      predictions[k] = {sum.seconds / count, sum.longest_s / count};
      limit_s = std::min(limit_s, (1.0 + margin_) * predictions[k].seconds);
    }
    return predictions;
  }

  /// Reports what the choice was based on.
  void report(const LoopModel& model) {
    Decision decision{.what = OwnDecisionKind{"select"}};
    for (const UnitState& unit : view().units()) {
      const UnitPace& pace = model.paces[unit.id.index];
      decision.estimates.push_back(
          {.unit = unit.id,
           .cost = fmt::format("{:.4g} + {:.4g} x", pace.latency_s + pace.fixed_s, pace.item_s)});
    }
    decisions().decided(decision);
  }

  /// From now on `candidate` hands out the items.
  void take_over(std::size_t candidate) {
    if (policy_ != nullptr && candidate == chosen_) return;
    chosen_ = candidate;
    policy_ = make(candidate);
    decisions().note("policy=" + candidates_[candidate]);
    begin_midway(*policy_, view(), loop_->learned.latest_blocks());
  }

  std::vector<std::string> candidates_;
  bool is_exhaustive_;
  double decide_every_;
  double margin_;
  std::size_t scenarios_;
  std::uint64_t seed_;
  std::int64_t blocks_most_;
  double imbalance_points_;
  std::optional<Items> initial_block_items_;
  const KnownCosts* known_;

  std::map<std::string, Loop> loops_;
  Loop* loop_ = nullptr;            ///< of the present phase
  std::unique_ptr<Policy> policy_;  ///< that hands out items; nullptr: none was chosen yet
  std::size_t chosen_ = 0;          ///< its position in `candidates_`
  bool is_due_ = false;             ///< a choice, when a unit asks for work
  double done_items_ = 0.0;         ///< since the last choice
  Seconds iteration_began_;
  std::vector<double> ends_s_;  ///< (n): when each unit ended its last block of the iteration
};

}  // namespace

PolicyInfo auto_info() {
  return {
      .name = "auto",
      .line = "chooses among policies while it runs: simulates ahead, or tries each",
      .source = "Mohammed and Ciorba (2020): SimAS; Mohammed et al. (2022): Auto4OMP",
      .parameters =
          {{"among", default_candidates, "",
            fmt::format("the policies to choose from, with / between them: {}",
                        fmt::join(possible_candidates(), ", ")),
            "LB4OMP, kmp_dispatch.cpp: STATIC, SS, TSS, GSS, static_steal, mFAC2, AWF-B to -E, "
            "mAF, of which those that are possible here; mfsc, hguided: ours"},
           {"select", "simulate", "",
            "simulate: simulates the rest of the loop ahead with each policy; exhaustive: does one "
            "iteration with each",
            "simulate: SimAS; exhaustive: Auto4OMP's ExhaustiveSel"},
           {"decide_every", "0.1", "share of the items", "done between two simulations of the rest",
            "not said; chosen because ten choices in an iteration see most changes"},
           {"margin", "0.02", "",
            "policies that are expected to need as much more time than the best at most are equal: "
            "the one that runs goes on, or else the one with the shortest blocks is chosen",
            "not said; chosen because predictions err by as much, and what is out is fixed"},
           {"scenarios", "3", "",
            "ways in which items ahead may differ, for which the rest is simulated",
            "not said; chosen because a choice has to be quick"},
           {"seed", "1", "", "of these ways", "not said; any number will do"},
           {"simulated_blocks", "100000", "blocks",
            "simulated for a choice at most; beyond, times are extrapolated",
            "not said; chosen because it limits a choice to some hundredths of a second"},
           {"imbalance_points", "10", "%",
            "select=exhaustive tries all again when the imbalance of an iteration rises by more",
            "LB4OMP, kmp_dispatch.cpp, end_auto_loop_timer: 10"},
           initial_block_parameter()},
      .make = make_a<Auto>};
}

}  // namespace equipoise
