// Pools a unit's samples by block size, interpolates between sizes, and computes quantiles; draws
// by FNV-1a hashes of the names, SplitMix64 over the block number.
#include "shared_policies/machine/block_timing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/text_hash.hpp"

namespace equipoise {
namespace {

/// The mean of one optional field over the samples that have it, weighted by their counts.
std::optional<double> pooled(std::span<const TraceSample* const> samples, OptionalOfSample field) {
  double sum = 0.0;
  double count = 0.0;
  for (const TraceSample* const sample : samples) {
    const std::optional<double>& value = sample->*field;
    if (!value) continue;
    sum += static_cast<double>(sample->count) * *value;
    count += static_cast<double>(sample->count);
  }
  if (count == 0.0) return std::nullopt;
  return sum / count;
}

/// a[0] + a[1] x + ... + a[7] x^7.
double polynomial(const std::array<double, 8>& a, double x) {
  double value = 0.0;
  for (std::size_t i = a.size(); i-- > 0;) value = value * x + a[i];
  return value;
}

}  // namespace

double BlockTiming::Spread::quantile_s(double u, double z) const {
  if (sorted_s.empty()) return std::exp(log_mu + log_sigma * z);
  const auto count = static_cast<double>(sorted_s.size());
  const auto index = static_cast<std::size_t>(u * count);
  return sorted_s[std::min(index, sorted_s.size() - 1)];
}

double BlockTiming::Spread::relative_variance() const { return std::expm1(log_sigma * log_sigma); }

double BlockTiming::Spread::relative_quantile(double u, double z, double mean_s,
                                              double part) const {
  if (part >= 1.0) return quantile_s(u, z) / mean_s;
  if (!sorted_s.empty()) return 1.0 + part * (quantile_s(u, z) / mean_s - 1.0);
  const double log_variance = std::log1p(part * part * relative_variance());
  return std::exp(std::sqrt(log_variance) * z - 0.5 * log_variance);
}

void BlockTiming::Times::find_shrinking() {
  struct Known {
    double log_items;
    double log_deviation;
    double weight;
  };
  std::vector<Known> known;
  Known mean{0.0, 0.0, 0.0};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double variance = spread[i].relative_variance();
    if (!(spread[i].repetitions > 1.0) || !(variance > 0.0)) continue;
    known.push_back(
        {std::log(sizes[i]), 0.5 * std::log(variance), 2.0 * (spread[i].repetitions - 1.0)});
    mean.log_items += known.back().weight * known.back().log_items;
    mean.log_deviation += known.back().weight * known.back().log_deviation;
    mean.weight += known.back().weight;
  }
  if (known.size() < 2) return;
  double square = 0.0;
  double product = 0.0;
  for (const Known& size : known) {
    const double apart = size.log_items - mean.log_items / mean.weight;
    square += size.weight * apart * apart;
    product += size.weight * apart * (size.log_deviation - mean.log_deviation / mean.weight);
  }
  const double exponent = -product / square;
  constexpr double rounding = 1e-9;
  if (exponent + 2.0 / std::sqrt(square) >= shrinking) return;
  shrinking = exponent > rounding ? exponent : 0.0;
}

BlockTiming::BlockTiming(const Trace& trace, std::uint32_t unit) {
  std::map<double, std::vector<const TraceSample*>> by_size;
  for (const TraceSample& sample : trace.samples) {
    if (sample.unit == unit && !sample.is_outlier) by_size[sample.items].push_back(&sample);
  }
  EQ_CHECK(!by_size.empty(), "a unit without samples has no timing");
  const auto times = std::make_shared<Times>();
  for (const auto& [items, samples] : by_size) times->add_size(items, samples);
  times->find_shrinking();
  times->interruptions = Interruptions(trace, unit);
  for (const Point& computing : times->mean_s) {
    const double share = times->interruptions.share(computing.items);
    times->mean_with_waits_s.push_back({computing.items, (1.0 + share) * computing.value});
  }
  times_ = times;
}

void BlockTiming::Times::add_size(double items, std::span<const TraceSample* const> samples) {
  double count = 0.0;
  double sum_s = 0.0;
  bool summary = false;
  for (const TraceSample* const sample : samples) {
    count += static_cast<double>(sample->count);
    sum_s += static_cast<double>(sample->count) * sample->compute_mean_s;
    summary = summary || sample->is_summary || sample->count > 1;
  }
  const double pooled_mean_s = sum_s / count;
  Spread scatter;
  double square = 0.0;  // sum of squares relative to the mean: squares of the times may underflow
  for (const TraceSample* const sample : samples) {
    const double apart = (sample->compute_mean_s - pooled_mean_s) / pooled_mean_s;
    const double sd = sample->compute_sd_s.value_or(0.0) / pooled_mean_s;
    square += static_cast<double>(sample->count) * (sd * sd + apart * apart);
    if (!summary) scatter.sorted_s.push_back(sample->compute_mean_s);
  }
  std::sort(scatter.sorted_s.begin(), scatter.sorted_s.end());
  const double relative2 = square / count;
  scatter.log_sigma = std::sqrt(std::log1p(relative2));
  scatter.repetitions = count;
  scatter.log_mu = std::log(pooled_mean_s) - 0.5 * std::log1p(relative2);
  any_log_normal = any_log_normal || summary;
  sizes.push_back(items);
  mean_s.push_back({items, pooled_mean_s});
  spread.push_back(std::move(scatter));
  const auto keep = [&](OptionalOfSample field, std::vector<Point>& points) {
    if (const auto value = pooled(samples, field)) points.push_back({items, *value});
  };
  keep(&TraceSample::in_bytes, in_bytes);
  keep(&TraceSample::out_bytes, out_bytes);
}

double BlockTiming::interpolate(const std::vector<Point>& points, double items) {
  const Point& least = points.front();
  const Point& most = points.back();
  if (items >= most.items || points.size() == 1) return most.value * (items / most.items);
  if (items <= least.items) {
    const double slope = (points[1].value - least.value) / (points[1].items - least.items);
    const double fixed = least.value - slope * least.items;
    return fixed >= 0.0 ? fixed + slope * items : least.value * (items / least.items);
  }
  const auto above = std::upper_bound(points.begin(), points.end(), items,
                                      [](double x, const Point& point) { return x < point.items; });
  const auto below = above - 1;
  const double share = (items - below->items) / (above->items - below->items);
  return below->value + share * (above->value - below->value);
}

Seconds BlockTiming::mean_computing(double items) const {
  return {interpolate(times_->mean_s, items)};
}

Seconds BlockTiming::mean(double items) const {
  const double least = times_->sizes.front();
  if (items < least) return (1.0 + times_->interruptions.share(least)) * mean_computing(items);
  return {interpolate(times_->mean_with_waits_s, items)};
}

Seconds BlockTiming::waits(Seconds begin, Seconds end, double items, const Draw& draw) const {
  const double share = times_->interruptions.share(items);
  const Seconds computing = mean_computing(items);
  if (!(share > 0.0) || !(computing > Seconds{})) return {};
  const double of_mean = mean(items) / computing - 1.0;
  return (of_mean / share) * times_->interruptions.between(begin, end, items, draw);
}

Seconds BlockTiming::quantile(double items, double u) const {
  const std::vector<Point>& mean_s = times_->mean_s;
  const std::vector<Spread>& spread = times_->spread;
  const double z = times_->any_log_normal ? normal_quantile(u) : 0.0;
  if (items <= mean_s.front().items || items >= mean_s.back().items) {
    const bool below = items <= mean_s.front().items;
    const Spread& nearest = below ? spread.front() : spread.back();
    const double nearest_mean_s = below ? mean_s.front().value : mean_s.back().value;
    const double part = below ? 1.0 : std::pow(mean_s.back().items / items, times_->shrinking);
    return {interpolate(mean_s, items) * nearest.relative_quantile(u, z, nearest_mean_s, part)};
  }
  const auto above = std::upper_bound(mean_s.begin(), mean_s.end(), items,
                                      [](double x, const Point& point) { return x < point.items; });
  const auto index = static_cast<std::size_t>(above - mean_s.begin());
  const double share =
      (items - mean_s[index - 1].items) / (mean_s[index].items - mean_s[index - 1].items);
  const double below_s = spread[index - 1].quantile_s(u, z);
  return {below_s + share * (spread[index].quantile_s(u, z) - below_s)};
}

std::optional<double> BlockTiming::in_bytes(double items) const {
  if (times_->in_bytes.empty()) return std::nullopt;
  return interpolate(times_->in_bytes, items);
}

std::optional<double> BlockTiming::out_bytes(double items) const {
  if (times_->out_bytes.empty()) return std::nullopt;
  return interpolate(times_->out_bytes, items);
}

bool has_samples(const Trace& trace, std::uint32_t unit) {
  return std::any_of(trace.samples.begin(), trace.samples.end(), [unit](const TraceSample& sample) {
    return sample.unit == unit && !sample.is_outlier;
  });
}

std::optional<TimingPlace> find_timing(const std::vector<Trace>& traces, const std::string& kernel,
                                       const std::string& unit) {
  for (const Trace& trace : traces) {
    if (trace.kernel != kernel) continue;
    for (std::uint32_t i = 0; i < trace.units.size(); ++i) {
      if (trace.units[i].name == unit && has_samples(trace, i)) return TimingPlace{&trace, i};
    }
  }
  return std::nullopt;
}

double normal_quantile(double u) {
  // Ratios of polynomials of degree 7: one for the middle, one for the near tail, one for the far
  // tail.
  static constexpr std::array<double, 8> middle_above = {
      3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
      1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
      3.3430575583588128105e+4, 2.5090809287301226727e+3};
  static constexpr std::array<double, 8> middle_below = {1.0,
                                                         4.2313330701600911252e+1,
                                                         6.8718700749205790830e+2,
                                                         5.3941960214247511077e+3,
                                                         2.1213794301586595867e+4,
                                                         3.9307895800092710610e+4,
                                                         2.8729085735721942674e+4,
                                                         5.2264952788528545610e+3};
  static constexpr std::array<double, 8> near_above = {
      1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
      3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
      2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr std::array<double, 8> near_below = {1.0,
                                                       2.05319162663775882187e0,
                                                       1.67638483018380384940e0,
                                                       6.89767334985100004550e-1,
                                                       1.48103976427480074590e-1,
                                                       1.51986665636164571966e-2,
                                                       5.47593808499534494600e-4,
                                                       1.05075007164441684324e-9};
  static constexpr std::array<double, 8> far_above = {
      6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
      2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
      2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr std::array<double, 8> far_below = {1.0,
                                                      5.99832206555887937690e-1,
                                                      1.36929880922735805310e-1,
                                                      1.48753612908506148525e-2,
                                                      7.86869131145613259100e-4,
                                                      1.84631831751005468180e-5,
                                                      1.42151175831644588870e-7,
                                                      2.04426310338993978564e-15};
  const double q = u - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(middle_above, r) / polynomial(middle_below, r);
  }
  const double r = std::sqrt(-std::log(q < 0.0 ? u : 1.0 - u));
  const double z = r <= 5.0 ? polynomial(near_above, r - 1.6) / polynomial(near_below, r - 1.6)
                            : polynomial(far_above, r - 5.0) / polynomial(far_below, r - 5.0);
  return q < 0.0 ? -z : z;
}

namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that mixes all bits.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

Draw::Draw(const DrawKey& key)
    : state_(mix(mix(mix(mix(key.seed) ^ key.repetition) ^ text_hash(key.unit)) ^
                 text_hash(key.kernel))) {}

double Draw::quantile(std::uint64_t ordinal) const {
  // 53 bits, centred, so that the result is never 0 or 1.
  return (static_cast<double>(mix(state_ ^ mix(ordinal)) >> 11) + 0.5) * 0x1.0p-53;
}

// No name has a line break, so these draws have nothing in common with those of blocks.
DrawnTimes::DrawnTimes(const DrawKey& key)
    : of_blocks_(key),
      of_waits_({key.seed, key.repetition, std::string(key.unit) + "\nwaits", key.kernel}) {}

Seconds DrawnTimes::next(const BlockTiming& timing, double items, std::uint64_t ordinal) {
  const Seconds computing = timing.quantile(items, of_blocks_.quantile(ordinal));
  const Seconds begin = computed_;
  computed_ += computing;
  return computing + timing.waits(begin, computed_, items, of_waits_);
}

}  // namespace equipoise
