// Sums for each octave of block size, the line through them, and the detection of changes.
#include "shared_policies/policies/equipoise/running_cost.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {
namespace {

constexpr double keep = 0.99;             // factor on the weight of older measurements per block
constexpr double known_weight_min = 1.5;  // measurements needed for a size to count as known
constexpr double line_sd = 0.25;          // assumed relative error of the line
constexpr double fixed_sd = 0.4;          // prior deviation of a, in times of the smallest blocks
constexpr double cheapest = 1.0 / 3;      // least scale of errors, in mean times of as many items
constexpr double prior_sd = 0.10;         // assumed scatter before any is measured
constexpr double least_sd = 0.03;         // least scatter assumed in the detection of changes
constexpr double octave_distance_max = 2.0;  // measurements this many octaves away do not count
constexpr double forgotten = 1e-6;           // an octave with less weight than this is removed
constexpr double counts_after = 3.0;         // weight of all measurements after a change
constexpr double remembered_min = 0.1;       // least weight of what earlier runs showed
constexpr double shortest_s = 1e-9;          // one tick of a coarse timer
constexpr double single_change_sds = 4.0;    // standard deviations: one such block signals a change
constexpr double change_sds = 2.5;           // standard deviations: two such blocks signal a change
constexpr double least_change = 0.10;        // least logarithm of the ratio for a change
constexpr double least_far_change = 0.2;     // if one block signals it

}  // namespace

void RunningCost::add(double items, double seconds) {
  seconds = std::max(seconds, shortest_s);
  if (!empty()) {
    undo_false_change(items, seconds);
    detect_change(items, seconds);
    double near_error = 0.0;
    const bool is_known = weight_near(items, near_error) >= known_weight_min;
    const double error = seconds / this->seconds(items) - 1.0;
    all_errors_.add(error);
    if (is_known) known_size_errors_.add(error);
  }
  for (Octave& octave : octaves_) {
    octave.count *= keep;
    octave.items *= keep;
    octave.seconds *= keep;
  }
  if (octaves_.size() > 1) {
    std::erase_if(octaves_, [](const Octave& octave) { return octave.count < forgotten; });
  }
  const int exponent = std::ilogb(items);
  auto place = std::find_if(octaves_.begin(), octaves_.end(),
                            [&](const Octave& octave) { return octave.exponent >= exponent; });
  if (place == octaves_.end() || place->exponent != exponent) {
    place = octaves_.insert(place, Octave{exponent, 0.0, 0.0, 0.0});
  }
  place->count += 1.0;
  place->items += items;
  place->seconds += seconds;
  largest_items_ = std::max(largest_items_, items);
  fit_line();
}

void RunningCost::start_from(const std::vector<LearnedSize>& sizes, double scatter, double doubt) {
  if (sizes.empty()) return;
  const double ratio = std::max(scatter, least_sd) / std::max(doubt, least_sd);
  const double weight = std::clamp(ratio * ratio, remembered_min, counts_after);
  double blocks = 0.0;
  for (const LearnedSize& size : sizes) blocks += size.blocks;
  for (const LearnedSize& size : sizes) {
    const double count = weight * size.blocks / blocks;
    octaves_.push_back({std::ilogb(size.items), count, count * size.items, count * size.seconds});
  }
  largest_items_ = sizes.back().items;
  known_size_errors_.start_from(scatter, weight);
  all_errors_.start_from(std::hypot(scatter, doubt), weight);
  fit_line();
}

/// Undoes a change that a single block signalled, if the next block, which is this one, fits the
/// times before the change better.
void RunningCost::undo_false_change(double items, double seconds) {
  if (octaves_before_change_.empty()) return;
  const double now = std::abs(std::log(seconds / this->seconds(items)));
  std::swap(octaves_, octaves_before_change_);
  fit_line();
  const double before = std::abs(std::log(seconds / this->seconds(items)));
  if (now <= before) {
    std::swap(octaves_, octaves_before_change_);
    fit_line();
  }
  octaves_before_change_.clear();
}

void RunningCost::detect_change(double items, double seconds) {
  double error = 0.0;
  if (weight_near(items, error) < known_weight_min) return;
  const double change = std::log(seconds / this->seconds(items));
  const double sds = std::abs(change) / std::max(relative_sd(), least_sd);
  if (sds < change_sds || std::abs(change) < least_change) {
    deviating_blocks_ = 0;
    log_ratio_sum_ = 0.0;
    return;
  }
  if (deviating_blocks_ > 0 && (change > 0.0) != (log_ratio_sum_ > 0.0)) {
    deviating_blocks_ = 0;
    log_ratio_sum_ = 0.0;
  }
  ++deviating_blocks_;
  log_ratio_sum_ += change;
  if (deviating_blocks_ < 2) {
    if (sds < single_change_sds || std::abs(change) < least_far_change) return;
    octaves_before_change_ = octaves_;
  }
  rescale(std::exp(log_ratio_sum_ / deviating_blocks_));
  deviating_blocks_ = 0;
  log_ratio_sum_ = 0.0;
}

void RunningCost::rescale(double ratio) {
  double count = 0.0;
  for (const Octave& octave : octaves_) count += octave.count;
  const double less = std::min(1.0, counts_after / count);
  for (Octave& octave : octaves_) {
    octave.count *= less;
    octave.items *= less;
    octave.seconds *= less * ratio;
  }
  fit_line();
}

/// Minimises sum_k n_k ((a + b x_k - t_k) / s_k)^2 + (sd / sd_fixed)^2 (a / t_0)^2 over a, b >= 0.
void RunningCost::fit_line() {
  double all_items = 0.0;
  double all_seconds = 0.0;
  for (const Octave& octave : octaves_) {
    all_items += octave.items;
    all_seconds += octave.seconds;
  }
  double s11 = 0.0;
  double s1x = 0.0;
  double sxx = 0.0;
  double s1 = 0.0;
  double sx = 0.0;
  for (const Octave& octave : octaves_) {
    // The octave's sums of 1, x and t over its n blocks, divided by the scale.
    const double in_the_mean = octave.items / all_items * all_seconds;
    const double scale = std::max(octave.seconds, cheapest * in_the_mean);
    const double one = octave.count / scale;
    const double x = octave.items / scale;
    const double t = octave.seconds / scale;
    s11 += octave.count * one * one;
    s1x += octave.count * one * x;
    sxx += octave.count * x * x;
    s1 += octave.count * one * t;
    sx += octave.count * x * t;
  }
  const Octave& first = octaves_.front();
  const double shrink = known_size_errors_.deviation() / fixed_sd * first.count / first.seconds;
  s11 += shrink * shrink;
  const double determinant = s11 * sxx - s1x * s1x;
  fixed_s_ = (s1 * sxx - sx * s1x) / determinant;
  item_s_ = (sx * s11 - s1 * s1x) / determinant;
  fixed_error_ = std::sqrt(sxx / determinant);
  if (item_s_ <= 0.0) {
    item_s_ = 0.0;
    fixed_s_ = s1 / s11;
  } else if (fixed_s_ < 0.0) {
    fixed_s_ = 0.0;
    item_s_ = sx / sxx;
  }
  fixed_s_ = std::min(fixed_s_, first.seconds / first.count);
}

double RunningCost::weight_near(double items, double& error) const {
  double weight = 0.0;
  error = 0.0;
  const double at = std::log2(items);
  for (const Octave& octave : octaves_) {
    if (std::abs(octave.exponent + 0.5 - at) > octave_distance_max + 0.5) continue;
    const double mean_items = octave.items / octave.count;
    const double near = 1.0 - std::abs(std::log2(mean_items) - at) / octave_distance_max;
    if (near <= 0.0) continue;
    weight += octave.count * near;
    error += near * (octave.seconds / line_s(mean_items) - octave.count);
  }
  return weight;
}

double RunningCost::seconds(double items) const {
  double error = 0.0;
  const double weight = weight_near(items, error);
  const double ratio = known_size_errors_.deviation() / line_sd;
  return std::max(shortest_s, line_s(items) * (1.0 + error / (weight + ratio * ratio)));
}

double RunningCost::items_within(double seconds, double limit_items) const {
  if (this->seconds(limit_items) <= seconds) return limit_items;
  double low = 0.0;
  double high = limit_items;
  for (int i = 0; i < 40 && high - low > 1e-6 * high; ++i) {
    // The cost is close to the line, so the first guess is where the line takes `seconds`.
    const double guess = item_s_ > 0.0 ? (seconds - fixed_s_) / item_s_ : 0.0;
    const double middle = i == 0 && guess > low && guess < high ? guess : 0.5 * (low + high);
    (this->seconds(middle) <= seconds ? low : high) = middle;
  }
  return low;
}

double RunningCost::surely_fixed_s() const {
  return std::max(0.0, fixed_s_ - relative_sd() * fixed_error_);
}

double RunningCost::relative_sd() const {
  return all_errors_.deviation() * std::sqrt(1.0 + 1.0 / (all_errors_.count + 1.0));
}

void RunningCost::Errors::add(double error) {
  count = keep * count + 1.0;
  squares = keep * squares + std::min(error * error, 1.0);
}

/// As if `weight` + 1 errors had shown `deviation`.
void RunningCost::Errors::start_from(double deviation, double weight) {
  count = weight;
  squares = std::max(0.0, (weight + 1.0) * deviation * deviation - prior_sd * prior_sd);
}

double RunningCost::Errors::deviation() const {
  return std::sqrt((squares + prior_sd * prior_sd) / (count + 1.0));
}

}  // namespace equipoise
