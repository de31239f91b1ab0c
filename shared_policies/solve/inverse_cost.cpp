// Inverts the cost of one unit.
#include "shared_policies/solve/inverse_cost.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {
namespace {

constexpr double tiny_share = 1e-12;  // of the limit
constexpr int table_points = 512;
constexpr double table_begin = 1e-6;  // of the limit
constexpr double root_exactness = 1e-14;
constexpr int most_steps = 200;

}  // namespace

InverseCost::InverseCost(const CostModel& cost, double limit_items)
    : cost_(&cost),
      limit_(limit_items),
      tiny_(limit_items * tiny_share),
      shortest_s_(cost.at(tiny_).seconds),
      longest_s_(cost.at(limit_items).seconds),
      last_(0.5 * limit_items) {
  if (!cost.non_decreasing()) tabulate();
}

double InverseCost::peak_between(double low, double high) const {
  for (int step = 0; step < 60 && high - low > root_exactness * high; ++step) {
    const double middle = 0.5 * (low + high);
    (cost_->at(middle).seconds_per_item > 0.0 ? low : high) = middle;
  }
  return low;
}

void InverseCost::tabulate() {
  table_.reserve(table_points + 16);
  double envelope = shortest_s_;
  const auto append = [&](double items, double seconds) {
    envelope = std::max(envelope, seconds);
    table_.push_back({items, envelope});
  };
  double previous = tiny_;
  double previous_slope = cost_->at(tiny_).seconds_per_item;
  const double ratio = std::pow(1.0 / table_begin, 1.0 / (table_points - 1));
  double items = limit_ * table_begin;
  for (int k = 0; k < table_points; ++k, items *= ratio) {
    const double x = k + 1 == table_points ? limit_ : items;
    const CostAt here = cost_->at(x);
    if (previous_slope > 0.0 && here.seconds_per_item < 0.0) {
      const double peak = peak_between(previous, x);
      append(peak, cost_->at(peak).seconds);
    }
    append(x, here.seconds);
    previous = x;
    previous_slope = here.seconds_per_item;
  }
  longest_s_ = envelope;
}

InverseCost::Bracket InverseCost::bracket(double seconds) const {
  if (table_.empty()) return {tiny_, limit_};
  const auto above =
      std::upper_bound(table_.begin(), table_.end(), seconds,
                       [](double t, const Step& step) { return t < step.envelope_s; });
  // Such a step exists because longest_s_ > seconds.
  return {above == table_.begin() ? tiny_ : (above - 1)->items, above->items};
}

ItemsWithin InverseCost::within(double seconds) {
  if (shortest_s_ >= seconds) return {};
  if (longest_s_ <= seconds) return {limit_, 0.0};
  Bracket b = bracket(seconds);
  double x = last_ > b.low && last_ < b.high ? last_ : 0.5 * (b.low + b.high);
  double slope = 0.0;
  double width = b.high - b.low;
  for (int step = 0; step < most_steps; ++step) {
    const CostAt here = cost_->at(x);
    slope = here.seconds_per_item;
    const double error = seconds - here.seconds;
    (error >= 0.0 ? b.low : b.high) = x;
    if (std::abs(error) <= root_exactness * seconds || b.high - b.low <= root_exactness * b.high) {
      break;
    }
    const double newton = x + error / slope;
    const bool inside = newton > b.low && newton < b.high;  // false for a slope of 0 too
    const bool slow = step % 4 == 3 && b.high - b.low > 0.5 * width;
    if (step % 4 == 3) width = b.high - b.low;
    if (inside && !slow) {
      x = newton;
    } else {
      x = b.low > 0.0 && b.high > 4.0 * b.low ? std::sqrt(b.low * b.high) : 0.5 * (b.low + b.high);
    }
  }
  last_ = x;
  return {x, slope > 0.0 ? 1.0 / slope : 0.0};
}

}  // namespace equipoise
