// Sums for each octave of block size, and the line through them; costs of blocks on an empty unit
// and of queued blocks apart.
#include "shared_policies/policies/equipoise/block_costs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "shared_policies/policies/block_sizes.hpp"

namespace equipoise {
namespace {

constexpr double keep = 0.97;                // factor on the weight of older measurements per block
constexpr double keep_mean = 0.99;           // the same for means where items differ
constexpr double known_weight_min = 1.5;     // measurements needed for a size to count as known
constexpr double octave_distance_max = 2.0;  // measurements this many octaves away do not count
constexpr double fixed_sd = 0.4;         // prior deviation of a, in times of the smallest blocks
constexpr double least_scale = 1.0 / 3;  // of errors, in mean times of as many items
constexpr double prior_sd = 0.10;        // assumed scatter before any is measured
constexpr double least_sd = 0.03;       // least scatter and uncertainty of what earlier runs showed
constexpr double remembered_min = 0.1;  // least number of measurements that earlier runs count as
constexpr double remembered_max = 3.0;  // and the greatest
constexpr double surprise_sds = 3.0;    // standard deviations by which a surprise differs,
constexpr double surprise_factor = 2.0;  // and by this factor at least
constexpr double curve_sd = 0.1;         // assumed relative deviation of costs from the line
constexpr double least_gain = 0.02;      // for which a smaller size is preferred

}  // namespace

std::optional<double> RunningCost::add(double items, double seconds) {
  std::optional<double> error;
  seconds = std::max(seconds, shortest_block_s);
  largest_items_ = std::max(largest_items_, items);
  shortest_s_ = std::min(shortest_s_, seconds);
  const int measured = measured_++;
  if (std::exchange(is_experience_, false)) {
    all_errors_ = known_size_errors_;  // what was uncertain is known
  } else if (!empty()) {
    const bool is_known = weight_near(items) >= known_weight_min;
    const double ratio = seconds / this->seconds(items);
    all_errors_.add(ratio - 1.0);
    if (is_known) known_size_errors_.add(ratio - 1.0);
    if (is_known && measured >= 2) error = std::log(ratio);
    if (is_known && !items_differ_ && is_outlier(std::log(ratio))) return error;
  }
  for (Octave& octave : octaves_) {
    octave.count *= keep;
    octave.items *= keep;
    octave.seconds *= keep;
  }
  const int exponent = std::ilogb(items);
  auto place = std::ranges::lower_bound(octaves_, exponent, {}, &Octave::exponent);
  if (place == octaves_.end() || place->exponent != exponent) {
    place = octaves_.insert(place, Octave{exponent, 0.0, 0.0, 0.0});
  }
  place->count += 1.0;
  place->items += items;
  place->seconds += seconds;
  fit();
  return error;
}

void RunningCost::follow(double mean_item_s, double mean_items) {
  if (empty()) return;
  items_differ_ = true;
  worthwhile_ = octaves_.size();
  fixed_s_ = std::min(fixed_s_, shortest_s_);
  item_s_ = std::max(0.0, mean_item_s - fixed_s_ / mean_items);
}

void RunningCost::start_from(const std::vector<LearnedSize>& sizes, double scatter,
                             double uncertainty) {
  if (sizes.empty()) return;
  const double ratio = std::max(scatter, least_sd) / std::max(uncertainty, least_sd);
  const double weight = std::clamp(ratio * ratio, remembered_min, remembered_max);
  double blocks = 0.0;
  for (const LearnedSize& size : sizes) blocks += size.blocks;
  for (const LearnedSize& size : sizes) {
    const double count = weight * size.blocks / blocks;
    octaves_.push_back({std::ilogb(size.items), count, count * size.items, count * size.seconds});
  }
  largest_items_ = sizes.back().items;
  is_experience_ = true;
  known_size_errors_.start_from(scatter, weight);
  all_errors_.start_from(std::hypot(scatter, uncertainty), weight);
  fit();
}

bool RunningCost::is_far_from(double items, double seconds) const {
  return std::abs(std::log(std::max(seconds, shortest_block_s) / this->seconds(items))) >
         surprise_sds * relative_sd();
}

/// Whether to leave out a measurement whose logarithm of the time ratio is `log_ratio`. The second
/// surprise in a row in one direction changes all times by the mean ratio of both.
bool RunningCost::is_outlier(double log_ratio) {
  const double limit = std::max(std::log(surprise_factor), surprise_sds * relative_sd());
  const double before = surprise_;
  surprise_ = 0.0;
  if (std::abs(log_ratio) < limit) return false;
  if (before * log_ratio <= 0.0) {
    surprise_ = log_ratio;
    return true;
  }
  const double ratio = std::exp(0.5 * (before + log_ratio));
  for (Octave& octave : octaves_) octave.seconds *= ratio;
  return false;
}

/// The line through the octaves up to the one whose items are expected to be cheapest. Expected is
/// the mean time of its blocks, drawn towards the line through all octaves.
void RunningCost::fit() {
  fit_line(octaves_);
  const double ratio = known_size_errors_.deviation() / curve_sd;
  const auto item_s = [&](const Octave& octave) {
    const double line_s = fixed_s_ * octave.count + item_s_ * octave.items;
    const double trust = octave.count / (octave.count + ratio * ratio);
    return (line_s + trust * (octave.seconds - line_s)) / octave.items;
  };
  std::size_t cheapest = octaves_.size() - 1;
  double least_s = item_s(octaves_.back()) * (1.0 - least_gain);
  double larger = 0.0;  // blocks
  for (std::size_t k = octaves_.size() - 1; k-- > 0;) {
    larger += octaves_[k + 1].count;
    if (std::min(larger, octaves_[k].count) < known_weight_min) continue;
    if (item_s(octaves_[k]) >= least_s) continue;
    least_s = item_s(octaves_[k]);
    cheapest = k;
  }
  worthwhile_ = cheapest + 1;
  if (worthwhile_ < octaves_.size()) fit_line(std::span(octaves_).first(worthwhile_));
}

/// Minimises sum_k n_k ((a + b x_k - t_k) / s_k)^2 + (sd / sd_fixed)^2 (a / t_0)^2 over a, b >= 0.
void RunningCost::fit_line(std::span<const Octave> octaves) {
  double all_items = 0.0;
  double all_seconds = 0.0;
  for (const Octave& octave : octaves) {
    all_items += octave.items;
    all_seconds += octave.seconds;
  }
  double s11 = 0.0;
  double s1x = 0.0;
  double sxx = 0.0;
  double s1 = 0.0;
  double sx = 0.0;
  for (const Octave& octave : octaves) {
    // The octave's sums of 1, x and t over its n blocks, divided by the scale.
    const double in_the_mean = octave.items / all_items * all_seconds;
    const double scale = std::max(octave.seconds, least_scale * in_the_mean);
    const double one = octave.count / scale;
    const double x = octave.items / scale;
    const double t = octave.seconds / scale;
    s11 += octave.count * one * one;
    s1x += octave.count * one * x;
    sxx += octave.count * x * x;
    s1 += octave.count * one * t;
    sx += octave.count * x * t;
  }
  const Octave& first = octaves.front();
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

double RunningCost::weight_near(double items) const {
  double weight = 0.0;
  for (const Octave& octave : octaves_) {
    const double distance = std::abs(std::log2(octave.items / octave.count / items));
    weight += octave.count * std::max(0.0, 1.0 - distance / octave_distance_max);
  }
  return weight;
}

double RunningCost::seconds(double items) const {
  return std::max(shortest_block_s, fixed_s_ + items * item_s_);
}

double RunningCost::items_within(double seconds, double limit_items) const {
  if (this->seconds(limit_items) <= seconds) return limit_items;
  return item_s_ > 0.0 ? std::max(0.0, (seconds - fixed_s_) / item_s_) : 0.0;
}

double RunningCost::most_items(double growth) const {
  if (worthwhile_ == octaves_.size()) return growth * largest_items_;
  return std::exp2(octaves_[worthwhile_ - 1].exponent + 1);
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

bool PipelineCost::add(const BlockFinished& finished, Seconds at, Seconds last_end, bool is_first,
                       Seconds heard) {
  last_error_.reset();
  const bool met_an_empty_unit = last_end <= finished.assigned;
  const auto items = static_cast<double>(finished.block.items);
  const bool is_contradicted =
      is_unconfirmed_ && met_an_empty_unit &&
      alone_.is_far_from(items, (at - finished.assigned - finished.times.setup).value);
  const bool shows_items =
      items * alone_.item_s() >= alone_.fixed_s() || items >= alone_.largest_items();
  if (is_contradicted) forget();
  if (shows_items) is_unconfirmed_ = false;
  const StageTimes& times = finished.times;
  const Seconds longest =
      overlaps_ ? std::max({times.in, times.compute, times.out}) : recurring(times);
  const double longest_s = longest.value;
  if (is_first) {
    if (!is_known()) alone_.add(items, (overlaps_ ? recurring(times) : times.compute).value);
  } else if (!met_an_empty_unit) {
    const double span_s = std::max((at - last_end - times.setup).value, 0.0);
    spans_s_ += span_s;
    queued_stages_s_ += longest_s;
    if (overlaps_) {
      const double waits = queued_stages_s_ > 0.0 ? spans_s_ / queued_stages_s_ : 1.0;
      last_error_ = queued_.add(items, longest_s * std::max(waits, 1.0));
    } else {  // with larger blocks the controller's latency matters less
      last_error_ = queued_.add(items, std::max(span_s, longest_s));
      latency_s_ += longest_s;
      stage_s_ += longest_s;
    }
  } else {
    const Seconds span = at - finished.assigned - times.setup;
    last_error_ = alone_.add(items, span.value);
    latency_s_ += (span + heard).value;
    stage_s_ += longest_s;
    if (overlaps_) copies_s_ += (recurring(times) - longest).value;
    in_s_ += times.in.value;
    in_stage_s_ += longest_s;
  }
  if (!is_first) {
    blocks_ = keep_mean * blocks_ + 1.0;
    items_ = keep_mean * items_ + items;
    stages_s_ = keep_mean * stages_s_ + longest_s;
    if (items_differ_) items_differ();
  }
  return is_contradicted;
}

void PipelineCost::forget() {
  const bool items_differ = items_differ_;
  *this = PipelineCost(overlaps_);
  items_differ_ = items_differ;
}

void PipelineCost::items_differ() {
  items_differ_ = true;
  if (blocks_ == 0.0) return;
  const double stage_s = stages_s_ / items_;
  const auto times = [](double all, double stages) { return stages > 0.0 ? all / stages : 1.0; };
  alone_.follow(stage_s * times(latency_s_, stage_s_), items_ / blocks_);
  queued_.follow(stage_s * std::max(1.0, times(spans_s_, queued_stages_s_)), items_ / blocks_);
}

void PipelineCost::start_from(const LearnedCost& learned) {
  alone_.start_from(learned.alone.empty() ? learned.queued : learned.alone, learned.scatter,
                    learned.uncertainty);
  queued_.start_from(learned.queued, learned.scatter, learned.uncertainty);
  is_unconfirmed_ = is_known();
  latency_s_ = alone_.seconds(alone_.largest_items());
  stage_s_ = learned.stage_share * latency_s_;
  if (overlaps_) copies_s_ = latency_s_ - stage_s_;
}

bool PipelineCost::hides_copies() const { return copies_s_ > tolerance * stage_s_; }

double PipelineCost::longest_hidden_s(double busy_s, double left_s) const {
  if (!hides_copies() || in_s_ == 0.0) return std::numeric_limits<double>::infinity();
  const double fixed_s = queued().fixed_s();
  const double in_share = in_s_ / in_stage_s_;
  return fixed_s + std::max(busy_s, std::sqrt(fixed_s * in_share * left_s)) / in_share;
}

std::size_t PipelineCost::depth() const {
  const double ratio = stage_s_ > 0.0 ? latency_s_ / stage_s_ : 1.0;
  const double blocks = std::ceil(ratio - tolerance);
  return static_cast<std::size_t>(std::clamp(blocks, 1.0, most_queued));
}

int PipelineCost::blocks_in_memory(double items, int engines) const {
  const double stage_share = latency_s_ > 0.0 ? stage_s_ / latency_s_ : 1.0;
  int cheapest = 1;
  double least_s = std::numeric_limits<double>::infinity();
  for (int blocks = 1; is_known() && blocks <= engines + 1; ++blocks) {
    const double share = std::max(stage_share, 1.0 / blocks);
    const double all_s = blocks * alone().seconds(items / blocks) * share;
    if (all_s >= least_s * (cheapest > 1 ? 1.0 + tolerance : 1.0)) continue;
    least_s = all_s;
    cheapest = blocks;
  }
  return cheapest;
}

}  // namespace equipoise
