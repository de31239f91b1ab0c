// The costs that a policy has learned about the units of a run, and block sizes that end together
// according to them.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/model/decision.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/policies/plb/basis_fit.hpp"
#include "shared_policies/run/view.hpp"
#include "shared_policies/solve/equal_finish_ipopt.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// Which measurements are used, and with which weight.
struct SampleMemory {
  double forgetting = 1.0;  ///< factor on older weights at each step; 1: nothing is forgotten
  Items window = 0;         ///< only this many latest blocks of each unit; 0: all
  /// If the remembered sizes span less than this ratio, a curve through them would have an
  /// arbitrary slope, and a line through the origin replaces it. 0: never. Has no effect if nothing
  /// is forgotten.
  double narrow_span = 3.0;

  [[nodiscard]] bool forgets() const { return forgetting < 1.0 || window > 0; }
};

/// The samples and fits of all units for one kernel. Memory use grows with the number of units and
/// of different block sizes (or with the window), not with the number of blocks.
class LearnedCosts {
 public:
  explicit LearnedCosts(std::size_t units, const SampleMemory& memory = {})
      : memory_(memory), units_(units) {}

  /// Adds the compute and transfer times of a finished block, without its setup.
  void add(const BlockFinished& finished);
  /// Ends a step: the weights of all measurements so far are multiplied by `forgetting`.
  void step();
  /// Fits every unit that has samples.
  void fit(const FitOptions& options);

  /// The last fit of a unit; nothing before its first fit.
  [[nodiscard]] const std::optional<UnitFit>& fit_of(UnitId unit) const {
    return units_[unit.index].fit;
  }
  [[nodiscard]] bool any_fit() const;

 private:
  struct Measured {
    double items = 0.0;
    double compute_s = 0.0;
    double transfer_s = 0.0;
  };
  struct LearnedUnit {
    std::vector<CostSample> compute;
    std::vector<CostSample> transfer;
    std::optional<UnitFit> fit;
    std::deque<Measured> latest;  // with a window: the measurements that the samples are made of
  };
  static void pool(LearnedUnit& unit, const Measured& measured);
  [[nodiscard]] std::optional<UnitFit> fit_one(const LearnedUnit& unit,
                                               const FitOptions& options) const;

  SampleMemory memory_;
  std::vector<LearnedUnit> units_;
};

/// Chooses block sizes that end together.
class BlockChooser {
 public:
  enum class Solver { direct, ipopt };
  explicit BlockChooser(Solver solver);

  /// Block sizes (n) that add up to about `items` and take every present unit with a fit the same
  /// time, each rounded to the nearest whole block on its own; 0 for the other units and for units
  /// that should stay idle. At least one unit gets a grain. `failed()` tells whether Ipopt failed
  /// and the direct solution was used. Source: PLB-HeC eqs 3-5.
  [[nodiscard]] std::vector<Items> choose(const View& view, const LearnedCosts& learned,
                                          double items);
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::unique_ptr<IpoptEqualFinish> ipopt_;  // nullptr: direct
  bool failed_ = false;
};

/// The parameter `solver` of a policy. Throws BackendError if it is `ipopt` and Ipopt cannot be
/// used.
[[nodiscard]] BlockChooser::Solver read_solver(const Parameters& read);

/// The fits of all units that have one, and the block sizes chosen for them, for the journal.
[[nodiscard]] Decision decision_of(DecisionKind what, const LearnedCosts& learned,
                                   const std::vector<Items>& block_items);

}  // namespace equipoise
