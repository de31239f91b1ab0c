// Samples to fits, fits to blocks.
#include "shared_policies/policies/learned_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "shared_policies/solve/equal_finish.hpp"
#include "shared_policies/solve/integer_rounding.hpp"

namespace equipoise {

void LearnedCosts::add(const BlockFinished& finished, bool brought_resident_data) {
  LearnedUnit& unit = units_[finished.unit.index];
  const auto items = static_cast<double>(finished.block.items);
  add_sample(unit.compute, items, std::max(finished.times.compute.value, shortest_block_s));
  if (!brought_resident_data) {
    add_sample(unit.transfer, items, finished.times.in.value + finished.times.out.value);
  }
}

void LearnedCosts::fit(const FitOptions& options) {
  double error2 = 0.0;
  double surplus = 0.0;
  for (LearnedUnit& unit : units_) {
    if (!unit.compute.empty()) {
      unit.fit = fit_unit(unit.compute, unit.transfer, options);
    }
    if (unit.fit) {
      error2 += unit.fit->relative_error2;
      surplus += unit.fit->surplus;
    }
  }
  relative_noise_ = surplus > 0.0 ? std::sqrt(error2 / surplus) : 0.0;
}

bool LearnedCosts::any_fit() const {
  return std::any_of(units_.begin(), units_.end(), [](const auto& u) { return u.fit.has_value(); });
}

double LearnedCosts::worst_r2(const View& view) const {
  double worst = 1.0;
  for (const UnitState& unit : view.units()) {
    const std::optional<UnitFit>& fit = units_[unit.id.index].fit;
    if (unit.present && fit) {
      worst = std::min({worst, fit->r2, fit->r2_transfer});
    }
  }
  return worst;
}

BlockChooser::BlockChooser(Solver solver) {
  if (solver == Solver::ipopt) {
    ipopt_ = std::make_unique<IpoptEqualFinish>();
  }
}

std::vector<Items> BlockChooser::choose(const View& view, const LearnedCosts& learned,
                                        double items) {
  std::vector<const CostModel*> costs;
  std::vector<double> caps;
  std::vector<std::size_t> units;
  for (const UnitState& unit : view.units()) {
    const std::optional<UnitFit>& fit = learned.fit_of(unit.id);
    if (unit.present && fit) {
      costs.push_back(&fit->curve);
      caps.push_back(static_cast<double>(unit.cap_items));
      units.push_back(unit.id.index);
    }
  }
  std::vector<Items> blocks(view.units().size(), 0);
  if (units.empty()) {
    return blocks;
  }
  const SplitProblem problem{costs, caps, items};
  Split split = ipopt_ ? ipopt_->solve(problem) : solve_equal_finish(problem);
  failed_ = split.status == SplitStatus::failed;
  if (failed_) {
    split = solve_equal_finish(problem);
  }
  const Items grain = view.workload().grain_items;
  Items sum = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Items cap = view.units()[units[i]].cap_items;
    blocks[units[i]] = nearest_block(split.items[i], grain, cap);
    sum += blocks[units[i]];
  }
  if (sum == 0) {
    const auto most = std::max_element(split.items.begin(), split.items.end());
    blocks[units[static_cast<std::size_t>(most - split.items.begin())]] = grain;
  }
  return blocks;
}

Thought thought_of(std::string what, const LearnedCosts& learned,
                   const std::vector<Items>& block_items) {
  Thought thought{{}, std::move(what), {}};
  for (std::uint32_t p = 0; p < block_items.size(); ++p) {
    if (const std::optional<UnitFit>& fit = learned.fit_of(UnitId{p})) {
      thought.beliefs.push_back(
          {UnitId{p}, fit->curve.words(), fit->r2, fit->r2_transfer, block_items[p]});
    }
  }
  return thought;
}

}  // namespace equipoise
