// Serial correlation of the errors of blocks that end one after the other on different units.
#include "shared_policies/policies/equipoise/item_differences.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {
namespace {

constexpr double error_max = 1.0;
constexpr double least_error = 0.1;  // that is worth saying
constexpr double standard_errors = 3.0;
constexpr double pairs_min = 8.0;

}  // namespace

void ItemDifferences::add(UnitId unit, double log_ratio) {
  const Error error{unit, std::clamp(log_ratio, -error_max, error_max)};
  if (last_ && last_->unit != unit) {
    const double product = last_->log_ratio * error.log_ratio;
    pairs_ += 1.0;
    products_ += product;
    squares_ += product * product;
    are_found_ =
        are_found_ || (pairs_ >= pairs_min && products_ > standard_errors * std::sqrt(squares_) &&
                       products_ > least_error * least_error * pairs_);
  }
  last_ = error;
}

}  // namespace equipoise
