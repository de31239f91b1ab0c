// Makes fits from samples, and chooses blocks from fits.
#include "shared_policies/policies/plb/block_time_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

// -- Any model ---------------------------------------------------------------------------------

bool BlockTimeModel::knows_any(const View& view) const {
  return std::ranges::any_of(view.units(), [&](const auto& unit) { return knows(unit.id); });
}

bool BlockTimeModel::is_good(const View& view, double min_r2) const {
  double worst = 1.0;
  for (const UnitState& unit : view.units()) {
    const FitQuality* const fit = quality(unit.id);
    if (!unit.present || fit == nullptr) continue;
    worst = std::min({worst, fit->r2, fit->r2_transfer.value_or(1.0)});
  }
  return worst > min_r2;
}

double BlockTimeModel::relative_noise(const View& view) const {
  double error2 = 0.0;
  double surplus = 0.0;
  for (const UnitState& unit : view.units()) {
    const FitQuality* const fit = quality(unit.id);
    error2 += fit != nullptr ? fit->relative_error2 : 0.0;
    surplus += fit != nullptr ? fit->surplus : 0.0;
  }
  return surplus > 0.0 ? std::sqrt(error2 / surplus) : 0.0;
}

std::vector<Items> BlockTimeModel::solve(const View& view, double items, Decisions& decisions) {
  std::vector<UnitId> units;
  for (const UnitState& unit : view.units()) {
    if (unit.present && knows(unit.id)) units.push_back(unit.id);
  }
  std::vector<double> shares(view.units().size(), 0.0);
  if (!units.empty()) {
    const std::vector<double> divided = divide(view, units, items, decisions);
    for (std::size_t i = 0; i < units.size(); ++i) shares[units[i].index] = divided[i];
  }
  return whole_blocks(view, shares);
}

Decision BlockTimeModel::explain(DecisionKind what, const std::vector<Items>& block_items) const {
  Decision decision{.what = what};
  for (std::uint32_t p = 0; p < block_items.size(); ++p) {
    const UnitId unit{p};
    if (const FitQuality* const fit = quality(unit)) {
      decision.estimates.push_back({unit, words(unit), fit->r2, fit->r2_transfer, block_items[p]});
    }
  }
  return decision;
}

// -- The papers' curves ------------------------------------------------------------------------

FittedCurves::FittedCurves(std::size_t units, const FitOptions& options, Solver solver,
                           const SampleMemory& memory)
    : options_(options), memory_(memory), units_(units) {
  if (solver == Solver::ipopt) ipopt_ = std::make_unique<IpoptEqualFinish>();
}

void FittedCurves::add(const BlockFinished& finished) {
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

void FittedCurves::pool(LearnedUnit& unit, const Measured& measured) {
  add_sample(unit.compute, measured.items, measured.compute_s);
  add_sample(unit.transfer, measured.items, measured.transfer_s);
}

void FittedCurves::end_step() {
  for (LearnedUnit& unit : units_) {
    fade(unit.compute, memory_.forgetting);
    fade(unit.transfer, memory_.forgetting);
  }
}

void FittedCurves::fit(const View& view) {
  options_.scale_items = static_cast<double>(view.workload().items);
  for (LearnedUnit& unit : units_) {
    if (memory_.window > 0 && !unit.latest.empty()) {
      unit.compute.clear();
      unit.transfer.clear();
      for (const Measured& measured : unit.latest) pool(unit, measured);
    }
    if (unit.compute.empty()) continue;
    const bool is_narrow = memory_.forgets() && span_of(unit.compute) < memory_.narrow_span;
    unit.fit = is_narrow ? fit_unit(one_sample(unit.compute), one_sample(unit.transfer), options_)
                         : fit_unit(unit.compute, unit.transfer, options_);
  }
}

const FitQuality* FittedCurves::quality(UnitId unit) const {
  const std::optional<UnitFit>& fit = units_[unit.index].fit;
  return fit ? &*fit : nullptr;
}

std::string FittedCurves::words(UnitId unit) const { return units_[unit.index].fit->curve.words(); }

std::vector<double> FittedCurves::divide(const View& view, const std::vector<UnitId>& units,
                                         double items, Decisions& decisions) {
  std::vector<const CostModel*> costs;
  std::vector<double> caps;
  for (const UnitId unit : units) {
    costs.push_back(&curve(unit));
    caps.push_back(static_cast<double>(view.unit(unit).cap_items));
  }
  const SplitProblem problem{costs, caps, items};
  if (ipopt_) {
    const Split split = ipopt_->solve(problem);
    if (split.status != SplitStatus::failed) return split.items;
    decisions.note("ipopt_failed");
  }
  return solve_equal_finish(problem).items;
}

// -- Parameters --------------------------------------------------------------------------------

ParameterInfo fit_parameter(const std::string& points) {
  return {
      "fit", "subset", "",
      "which of the seven functions: the subset, or the single one, that predicts left-out sizes "
      "best; full_ridge: all, by ridge regression; nnls: coefficients are not negative",
      fmt::format("not said (eq. 1: seven functions, fitted to {}); chosen because few terms that "
                  "predict left-out points do not overfit, e^x alone, a constant where x is small, "
                  "only if sizes are three times apart: noise makes times of nearer sizes alike",
                  points)};
}

FitMode read_fit(const Parameters& read) {
  return read.choice<FitMode>("fit", {"subset", "single", "full_ridge", "nnls"});
}

ParameterInfo solver_parameter(const std::string& place) {
  return {"solver", "direct", "",
          "how blocks that end together are solved for: by Newton's method (direct), or by Ipopt's "
          "interior-point method (ipopt)",
          place + "; direct finds the same sizes in every build"};
}

Solver read_solver(const Parameters& read) {
  const auto solver = read.choice<Solver>("solver", {"direct", "ipopt"});
  if (solver == Solver::ipopt) expect_ipopt();
  return solver;
}

}  // namespace equipoise
