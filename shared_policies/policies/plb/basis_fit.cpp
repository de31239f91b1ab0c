// Least squares over subsets of the papers' functions, and the curves fitted so. The only file that
// needs Eigen.
#include "shared_policies/policies/plb/basis_fit.hpp"

#include <fmt/format.h>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "shared_policies/policies/block_sizes.hpp"

namespace equipoise {
namespace {

constexpr std::size_t at_index(Basis f) { return static_cast<std::size_t>(f); }

/// The value and the slope of one function at u > 0.
CostAt basis_at(Basis f, double u) {
  switch (f) {
    case Basis::u:
      return {u, 1.0};
    case Basis::u2:
      return {u * u, 2.0 * u};
    case Basis::u3:
      return {u * u * u, 3.0 * u * u};
    case Basis::exp_u:
      return {std::exp(u), std::exp(u)};
    case Basis::u_exp_u:
      return {u * std::exp(u), (1.0 + u) * std::exp(u)};
    case Basis::u_log_u:
      return {u * std::log(u), std::log(u) + 1.0};
    case Basis::log_u:
      return {std::log(u), 1.0 / u};
    case Basis::one:
      return {1.0, 0.0};
  }
  return {};
}

constexpr int function_count = 7;  // the papers' functions; Basis::one is only for the fallback
constexpr int grid_points = 64;
constexpr double extrapolation_factor = 8.0;
constexpr double largest_condition = 1e8;
constexpr double ridge = 1e-8;
constexpr double span_of_a_constant = 3.0;  // noisy times of nearer sizes are alike by chance
constexpr double alike = 1.02;              // scores within this factor of the best count as equal

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// The values of the functions at the samples and on the grid, where a fit must be positive and
/// must not fall.
struct Tables {
  Matrix at_samples;   // (m, 7), rows times sqrt(weight)
  Vector seconds;      // (m), times sqrt(weight)
  Vector root_weight;  // (m)
  Matrix at_grid;      // (64, 7)
  Matrix end_slopes;   // (2, 7): at the first and the last point of the grid
};

Tables tabulate(std::span<const CostSample> samples, const FittedRange& range) {
  const auto m = static_cast<Eigen::Index>(samples.size());
  Tables t{Matrix(m, function_count), Vector(m), Vector(m), Matrix(grid_points, function_count),
           Matrix(2, function_count)};
  const double first = range.lowest_items / 4.0 / range.scale_items;
  const double last = range.last_items / range.scale_items;
  const double step = std::log(last / first) / (grid_points - 1);
  for (int f = 0; f < function_count; ++f) {
    const auto basis = static_cast<Basis>(f);
    for (Eigen::Index k = 0; k < m; ++k) {
      const CostSample& s = samples[static_cast<std::size_t>(k)];
      t.root_weight(k) = std::sqrt(s.weight);
      t.at_samples(k, f) = t.root_weight(k) * basis_at(basis, s.items / range.scale_items).seconds;
      t.seconds(k) = t.root_weight(k) * s.seconds;
    }
    for (int g = 0; g < grid_points; ++g) {
      t.at_grid(g, f) = basis_at(basis, first * std::exp(step * g)).seconds;
    }
    t.end_slopes(0, f) = basis_at(basis, first).seconds_per_item;
    t.end_slopes(1, f) = basis_at(basis, last).seconds_per_item;
  }
  return t;
}

/// A subset of the functions: their enumerators, ascending.
using Choice = std::vector<int>;

/// All subsets but the empty one: smaller ones first, then in the order of preference.
const std::vector<Choice>& choices() {
  static const std::vector<Choice> all = [] {
    std::vector<Choice> subsets((1U << function_count) - 1);
    for (std::size_t i = 0; i < subsets.size(); ++i) {
      for (int f = 0; f < function_count; ++f) {
        if (((i + 1) >> f) & 1U) subsets[i].push_back(f);
      }
    }
    std::sort(subsets.begin(), subsets.end(), [](const Choice& a, const Choice& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return subsets;
  }();
  return all;
}

/// Whether the fit is positive everywhere on the grid and falls nowhere.
bool admissible(const Tables& tables, const Vector& a) {
  const Vector values = tables.at_grid * a;
  for (int g = 0; g < grid_points; ++g) {
    if (!(values(g) > 0.0) || (g > 0 && values(g) < values(g - 1) * (1.0 - 1e-9))) return false;
  }
  const Vector slopes = tables.end_slopes * a;
  return slopes(0) >= 0.0 && slopes(1) >= 0.0;
}

struct Candidate {
  BasisCoefficients coefficients{};
  double score = std::numeric_limits<double>::infinity();
  int terms = 0;
};

/// The root mean square of the relative errors. With `leave_out`, each error is that of a fit
/// without the sample's size: residual / (1 - leverage).
double relative_error(const Tables& tables, const Vector& residual, const Matrix& q,
                      bool leave_out) {
  double sum = 0.0;
  const double floor = 1e-6 * tables.seconds.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < residual.size(); ++k) {
    const double seen = leave_out ? 1.0 - q.row(k).squaredNorm() : 1.0;
    if (seen < 1e-10) return std::numeric_limits<double>::infinity();
    const double error = residual(k) / seen / std::max(std::abs(tables.seconds(k)), floor);
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(residual.size()));
}

/// Least squares with `functions`; nothing if the result is not admissible.
std::optional<Candidate> fit_subset(const Tables& tables, const Choice& functions, FitMode mode) {
  const auto k = static_cast<Eigen::Index>(functions.size());
  const Eigen::Index m = tables.seconds.size();
  Matrix columns(m, k);  // each of norm 1
  Vector scales(k);      // their norms before that
  for (Eigen::Index c = 0; c < k; ++c) {
    columns.col(c) = tables.at_samples.col(functions[static_cast<std::size_t>(c)]);
    scales(c) = columns.col(c).norm();
    if (!(scales(c) > 0.0)) return std::nullopt;  // ln u is 0 at the only size, u = 1
    columns.col(c) /= scales(c);
  }
  const Eigen::ColPivHouseholderQR<Matrix> qr(columns);
  const auto diagonal = qr.matrixQR().diagonal().cwiseAbs();
  if (!(diagonal.maxCoeff() < largest_condition * diagonal.minCoeff())) return std::nullopt;
  const Vector solution = qr.solve(tables.seconds);
  Vector a = Vector::Zero(function_count);
  for (Eigen::Index c = 0; c < k; ++c) {
    a(functions[static_cast<std::size_t>(c)]) = solution(c) / scales(c);
  }
  if ((mode == FitMode::nnls && a.minCoeff() < 0.0) || !admissible(tables, a)) return std::nullopt;
  Candidate candidate{.terms = static_cast<int>(k)};
  std::copy(a.begin(), a.end(), candidate.coefficients.begin());
  const Vector residual = tables.seconds - columns * solution;
  if (mode == FitMode::nnls) {
    candidate.score = residual.norm() / tables.seconds.norm();
    return candidate;
  }
  const bool leave_out = m > k;
  const Matrix q = leave_out ? Matrix(qr.householderQ() * Matrix::Identity(m, k)) : Matrix();
  candidate.score = relative_error(tables, residual, q, leave_out);
  return candidate;
}

/// Whether `functions` say that times do not depend on the size: e^u alone, where u is small.
bool is_constant(const Choice& functions) {
  return functions == Choice{static_cast<int>(Basis::exp_u)};
}

/// The best of the subsets that `mode` allows. `span`: the largest size over the smallest.
std::optional<Candidate> choose(const Tables& tables, FitMode mode, double span) {
  const int sizes = static_cast<int>(tables.seconds.size());
  int most = std::min(3, std::max(1, sizes - 1));
  if (mode == FitMode::single) {
    most = 1;
  } else if (mode == FitMode::nnls) {
    most = std::min(function_count, sizes);
  }
  std::vector<Candidate> candidates;
  double best = std::numeric_limits<double>::infinity();
  for (const Choice& functions : choices()) {
    if (static_cast<int>(functions.size()) > most) break;
    if (span < span_of_a_constant && is_constant(functions)) continue;
    if (const auto candidate = fit_subset(tables, functions, mode)) {
      candidates.push_back(*candidate);
      best = std::min(best, candidate->score);
    }
  }
  const double enough = mode == FitMode::subset ? best * alike + 1e-9 : best;
  for (const Candidate& candidate : candidates) {
    if (candidate.score <= enough) return candidate;
  }
  return std::nullopt;
}

/// All functions at once: least squares on scaled columns, with the ridge as additional rows.
std::optional<Candidate> ridge_fit(const Tables& tables) {
  const Eigen::Index m = tables.seconds.size();
  Matrix rows = Matrix::Zero(m + function_count, function_count);
  Vector right = Vector::Zero(m + function_count);
  Vector scales(function_count);
  for (int f = 0; f < function_count; ++f) {
    scales(f) = tables.at_samples.col(f).norm();
    if (scales(f) > 0.0) rows.col(f).head(m) = tables.at_samples.col(f) / scales(f);
    rows(m + f, f) = std::sqrt(ridge);
  }
  right.head(m) = tables.seconds;
  const Vector solution = rows.householderQr().solve(right);
  Vector a = Vector::Zero(function_count);
  for (int f = 0; f < function_count; ++f) {
    a(f) = scales(f) > 0.0 ? solution(f) / scales(f) : 0.0;
  }
  Candidate candidate{.terms = function_count};
  std::copy(a.begin(), a.end(), candidate.coefficients.begin());
  return admissible(tables, a) ? std::optional(candidate) : std::nullopt;
}

/// An affine cost that does not fall; a line through the origin if the affine cost is flat.
Candidate fall_back(std::span<const CostSample> samples, double scale_items) {
  const TransferLine line = fit_transfer_line(samples);
  Candidate candidate;
  candidate.terms = line.latency_s > 0.0 ? 2 : 1;
  double per_item = line.seconds_per_item;
  double constant = line.latency_s;
  if (!(per_item > 0.0)) {
    double t = 0.0;
    double x = 0.0;
    for (const CostSample& s : samples) {
      t += s.weight * s.seconds * s.items;
      x += s.weight * s.items * s.items;
    }
    per_item = t / x;
    constant = 0.0;
    candidate.terms = 1;
  }
  candidate.coefficients[static_cast<std::size_t>(Basis::u)] = per_item * scale_items;
  candidate.coefficients[static_cast<std::size_t>(Basis::one)] = constant;
  return candidate;
}

FittedRange range_of(std::span<const CostSample> samples, double scale_items) {
  const double highest = samples.back().items;
  return {.scale_items = scale_items,
          .lowest_items = samples.front().items,
          .last_items = std::max(highest, std::min(extrapolation_factor * highest, scale_items))};
}

}  // namespace

// -- The curve: the solvers spend most of their time here, so functions that the fit does not use
// are not computed.

BasisCurve::BasisCurve(const BasisCoefficients& coefficients, const FittedRange& range,
                       const TransferLine& transfer)
    : a_(coefficients),
      range_(range),
      transfer_(transfer),
      per_scale_(1.0 / range.scale_items),
      uses_log_(a_[at_index(Basis::u_log_u)] != 0.0 || a_[at_index(Basis::log_u)] != 0.0),
      uses_exp_(a_[at_index(Basis::exp_u)] != 0.0 || a_[at_index(Basis::u_exp_u)] != 0.0),
      first_items_(range.lowest_items / 4.0),
      first_(model_at(first_items_)),
      last_(model_at(range.last_items)),
      proportion_(model_at(range.lowest_items).seconds / range.lowest_items) {}

CostAt BasisCurve::model_at(double items) const {
  const double u = items * per_scale_;
  const double a1 = a_[at_index(Basis::u)];
  const double a2 = a_[at_index(Basis::u2)];
  const double a3 = a_[at_index(Basis::u3)];
  double value = a_[at_index(Basis::one)] + u * (a1 + u * (a2 + u * a3));
  double slope = a1 + u * (2.0 * a2 + u * 3.0 * a3);
  if (uses_log_) {
    const double log_u = std::log(u);
    const double b = a_[at_index(Basis::u_log_u)];
    const double c = a_[at_index(Basis::log_u)];
    value += (b * u + c) * log_u;
    slope += b * (log_u + 1.0) + c / u;
  }
  if (uses_exp_) {
    const double exp_u = std::exp(u);
    const double b = a_[at_index(Basis::exp_u)];
    const double c = a_[at_index(Basis::u_exp_u)];
    value += (b + c * u) * exp_u;
    slope += (b + c + c * u) * exp_u;
  }
  return {value, slope * per_scale_};
}

CostAt BasisCurve::compute_at(double items) const {
  if (items > range_.last_items) {
    return {last_.seconds + last_.seconds_per_item * (items - range_.last_items),
            last_.seconds_per_item};
  }
  if (items >= range_.lowest_items) return model_at(items);
  const CostAt model =
      items >= first_items_
          ? model_at(items)
          : CostAt{first_.seconds + first_.seconds_per_item * (items - first_items_),
                   first_.seconds_per_item};
  const CostAt line{proportion_ * items, proportion_};
  return model.seconds > line.seconds ? model : line;
}

CostAt BasisCurve::at(double items) const {
  const CostAt compute = compute_at(items);
  return {compute.seconds + transfer_.latency_s + transfer_.seconds_per_item * items,
          compute.seconds_per_item + transfer_.seconds_per_item};
}

std::string BasisCurve::words() const {
  struct Word {
    Basis f;
    int power;  // of N in the denominator
    const char* text;
  };
  static constexpr std::array<Word, basis_count> word_list = {{{Basis::one, 0, ""},
                                                               {Basis::u, 1, " x"},
                                                               {Basis::u2, 2, " x^2"},
                                                               {Basis::u3, 3, " x^3"},
                                                               {Basis::exp_u, 0, " e^(x/N)"},
                                                               {Basis::u_exp_u, 1, " x e^(x/N)"},
                                                               {Basis::u_log_u, 1, " x ln(x/N)"},
                                                               {Basis::log_u, 0, " ln(x/N)"}}};
  std::string text;
  const auto append = [&text](double coefficient, const char* factor) {
    if (coefficient == 0.0) return;
    if (!text.empty()) {
      text += coefficient < 0.0 ? " - " : " + ";
    } else if (coefficient < 0.0) {
      text += "-";
    }
    text += fmt::format("{:.4g}{}", std::abs(coefficient), factor);
  };
  for (const Word& word : word_list) {
    append(a_[at_index(word.f)] * std::pow(per_scale_, word.power), word.text);
  }
  append(transfer_.seconds_per_item, " x (copies)");
  append(transfer_.latency_s, " (latency)");
  return text.empty() ? "0" : text;
}

// -- The fit

FitQuality quality_of(std::span<const CostSample> samples, std::span<const double> predictions,
                      int terms, bool adjusted_r2) {
  FitQuality quality{.r2 = determination(samples, predictions, terms, adjusted_r2)};
  double measurements = 0.0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const CostSample& s = samples[k];
    const double scale = std::max(std::abs(predictions[k]), shortest_block_s);
    const double error = s.seconds - predictions[k];
    quality.relative_error2 += (s.weight * error * error + s.spread_s2) / (scale * scale);
    measurements += s.weight;
  }
  quality.surplus = std::max(0.0, measurements - terms);
  return quality;
}

std::optional<UnitFit> fit_unit(std::span<const CostSample> compute,
                                std::span<const CostSample> transfer, const FitOptions& options) {
  const bool any_time =
      std::any_of(compute.begin(), compute.end(), [](const auto& s) { return s.seconds > 0.0; });
  if (!any_time) return std::nullopt;
  const FittedRange range = range_of(compute, options.scale_items);
  const Tables tables = tabulate(compute, range);
  std::optional<Candidate> chosen =
      options.mode == FitMode::full_ridge
          ? ridge_fit(tables)
          : choose(tables, options.mode, compute.back().items / compute.front().items);
  if (!chosen) chosen = fall_back(compute, options.scale_items);
  const TransferLine line = fit_transfer_line(transfer, options.adjusted_r2);
  const BasisCurve curve(chosen->coefficients, range, line);
  std::vector<double> predictions;
  for (const CostSample& s : compute) predictions.push_back(curve.compute_at(s.items).seconds);
  UnitFit fit{quality_of(compute, predictions, chosen->terms, options.adjusted_r2), curve};
  fit.r2_transfer = line.r2;
  return fit;
}

}  // namespace equipoise
