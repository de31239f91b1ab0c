// Evaluates a fitted cost. The solvers spend most of their time here, so functions that the fit
// does not use are not computed.
#include "shared_policies/policies/plb/basis_curve.hpp"

#include <fmt/format.h>

#include <cmath>

namespace equipoise {
namespace {

constexpr std::size_t at_index(Basis f) { return static_cast<std::size_t>(f); }

}  // namespace

double basis_value(Basis f, double u) {
  switch (f) {
    case Basis::u:
      return u;
    case Basis::u2:
      return u * u;
    case Basis::u3:
      return u * u * u;
    case Basis::exp_u:
      return std::exp(u);
    case Basis::u_exp_u:
      return u * std::exp(u);
    case Basis::u_log_u:
      return u * std::log(u);
    case Basis::log_u:
      return std::log(u);
    case Basis::one:
      return 1.0;
  }
  return 0.0;
}

double basis_slope(Basis f, double u) {
  switch (f) {
    case Basis::u:
      return 1.0;
    case Basis::u2:
      return 2.0 * u;
    case Basis::u3:
      return 3.0 * u * u;
    case Basis::exp_u:
      return std::exp(u);
    case Basis::u_exp_u:
      return (1.0 + u) * std::exp(u);
    case Basis::u_log_u:
      return std::log(u) + 1.0;
    case Basis::log_u:
      return 1.0 / u;
    case Basis::one:
      return 0.0;
  }
  return 0.0;
}

BasisCurve::BasisCurve(const BasisCoefficients& coefficients, const FittedRange& range,
                       const TransferLine& transfer, bool non_decreasing)
    : a_(coefficients),
      range_(range),
      transfer_(transfer),
      per_scale_(1.0 / range.scale_items),
      uses_log_(a_[at_index(Basis::u_log_u)] != 0.0 || a_[at_index(Basis::log_u)] != 0.0),
      uses_exp_(a_[at_index(Basis::exp_u)] != 0.0 || a_[at_index(Basis::u_exp_u)] != 0.0),
      non_decreasing_(non_decreasing),
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

}  // namespace equipoise
