// Makes fits from samples, and chooses blocks from fits.
#include "shared_policies/policies/plb/learned_costs.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/solve/equal_finish.hpp"

namespace equipoise {
namespace {

constexpr double forgotten = 1e-6;  // samples with a smaller weight are dropped
constexpr double outside = 0.05;    // share of the weight ignored at either end of the sizes

/// Multiplies all weights by `factor` and drops samples whose weight has become too small, but
/// never all samples.
void fade(std::vector<CostSample>& samples, double factor) {
  double heaviest = 0.0;
  for (const CostSample& s : samples) heaviest = std::max(heaviest, s.weight);
  if (factor == 1.0 || heaviest * factor < forgotten) return;
  for (CostSample& s : samples) {
    s.weight *= factor;
    s.spread_s2 *= factor;
  }
  std::erase_if(samples, [](const CostSample& s) { return s.weight < forgotten; });
}

double weight_of(std::span<const CostSample> samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0,
                         [](double sum, const CostSample& s) { return sum + s.weight; });
}

/// The ratio of the largest size to the smallest, without the sizes beyond which only `outside` of
/// the weight lies.
double span_of(std::span<const CostSample> samples) {
  const double all = weight_of(samples);
  double below = 0.0;
  double low = 0.0;
  double high = 0.0;
  for (const CostSample& s : samples) {  // ascending sizes
    if (below <= outside * all) low = s.items;
    if (below < (1.0 - outside) * all) high = s.items;
    below += s.weight;
  }
  return low > 0.0 ? high / low : 1.0;
}

/// The weighted mean of size and time, or nothing if there is no sample: a fit to it is a line
/// through the origin.
std::vector<CostSample> one_sample(std::span<const CostSample> samples) {
  if (samples.empty()) return {};
  CostSample mean;
  mean.weight = weight_of(samples);
  for (const CostSample& s : samples) {
    mean.items += s.weight / mean.weight * s.items;
    mean.seconds += s.weight / mean.weight * s.seconds;
    mean.spread_s2 += s.spread_s2;
  }
  return {mean};
}

}  // namespace

void LearnedCosts::add(const BlockFinished& finished) {
  LearnedUnit& unit = units_[finished.unit.index];
  const Measured measured{static_cast<double>(finished.block.items),
                          std::max(finished.times.compute.value, shortest_block_s),
                          finished.times.in.value + finished.times.out.value};
  if (memory_.window > 0) {
    unit.latest.push_back(measured);
    if (static_cast<Items>(unit.latest.size()) > memory_.window) unit.latest.pop_front();
  } else {
    pool(unit, measured);
  }
}

void LearnedCosts::pool(LearnedUnit& unit, const Measured& measured) {
  add_sample(unit.compute, measured.items, measured.compute_s);
  add_sample(unit.transfer, measured.items, measured.transfer_s);
}

void LearnedCosts::step() {
  for (LearnedUnit& unit : units_) {
    fade(unit.compute, memory_.forgetting);
    fade(unit.transfer, memory_.forgetting);
  }
}

std::optional<UnitFit> LearnedCosts::fit_one(const LearnedUnit& unit,
                                             const FitOptions& options) const {
  if (memory_.forgets() && span_of(unit.compute) < memory_.narrow_span) {
    return fit_unit(one_sample(unit.compute), one_sample(unit.transfer), options);
  }
  return fit_unit(unit.compute, unit.transfer, options);
}

void LearnedCosts::fit(const FitOptions& options) {
  for (LearnedUnit& unit : units_) {
    if (memory_.window > 0 && !unit.latest.empty()) {
      unit.compute.clear();
      unit.transfer.clear();
      for (const Measured& measured : unit.latest) pool(unit, measured);
    }
    if (!unit.compute.empty()) unit.fit = fit_one(unit, options);
  }
}

bool LearnedCosts::any_fit() const {
  return std::any_of(units_.begin(), units_.end(), [](const auto& u) { return u.fit.has_value(); });
}

BlockChooser::BlockChooser(Solver solver) {
  if (solver == Solver::ipopt) ipopt_ = std::make_unique<IpoptEqualFinish>();
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
  std::vector<double> shares(view.units().size(), 0.0);
  failed_ = false;
  if (!units.empty()) {
    const SplitProblem problem{costs, caps, items};
    Split split = ipopt_ ? ipopt_->solve(problem) : solve_equal_finish(problem);
    failed_ = split.status == SplitStatus::failed;
    if (failed_) split = solve_equal_finish(problem);
    for (std::size_t i = 0; i < units.size(); ++i) shares[units[i]] = split.items[i];
  }
  return whole_blocks(view, shares);
}

BlockChooser::Solver read_solver(const Parameters& read) {
  const auto solver = static_cast<BlockChooser::Solver>(read.choice("solver", {"direct", "ipopt"}));
  if (solver == BlockChooser::Solver::ipopt) expect_ipopt();
  return solver;
}

Decision decision_of(DecisionKind what, const LearnedCosts& learned,
                     const std::vector<Items>& block_items) {
  Decision decision{{}, what, {}};
  for (std::uint32_t p = 0; p < block_items.size(); ++p) {
    if (const std::optional<UnitFit>& fit = learned.fit_of(UnitId{p})) {
      decision.estimates.push_back(
          {UnitId{p}, fit->curve.words(), fit->r2, fit->r2_transfer, block_items[p]});
    }
  }
  return decision;
}

}  // namespace equipoise
