// Goes through the sizes in order, collects samples of each, and adds sizes where the curve bends.
#include "real/recording/unit_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "real/machine.hpp"
#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/model/student_t.hpp"

namespace equipoise {
namespace {

constexpr std::size_t samples_for_outliers = 5;
constexpr std::size_t samples_per_outlier = 10;
constexpr double deviations = 6.0;
constexpr double share_of_median = 0.25;
/// The standard deviation of a normal distribution over its median absolute deviation.
constexpr double deviation_per_mad = 1.4826;

}  // namespace

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Undisturbed undisturbed(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  seconds.resize(seconds.size() - seconds.size() / 20);
  const double middle_s = seconds[seconds.size() / 2];
  if (middle_s > 0.0) {
    seconds.erase(std::ranges::upper_bound(seconds, 10.0 * middle_s), seconds.end());
  }
  const double sum_s = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return {Seconds{std::max(sum_s / static_cast<double>(seconds.size()), 0.0)},
          Seconds{seconds.back()}};
}

std::vector<bool> BlockSamples::outliers() const {
  std::vector<bool> are(times_.size(), false);
  if (times_.size() < samples_for_outliers) return are;
  std::vector<double> all_s;
  for (const StageTimes& times : times_) all_s.push_back(total(times).value);
  const double middle_s = median(all_s);
  std::vector<double> apart_s;
  for (const double time_s : all_s) apart_s.push_back(std::abs(time_s - middle_s));
  const double limit_s = middle_s + std::max(share_of_median * middle_s,
                                             deviations * deviation_per_mad * median(apart_s));
  for (std::size_t i = 0; i < are.size(); ++i) are[i] = all_s[i] > limit_s;
  const auto marked = static_cast<std::size_t>(std::ranges::count(are, true));
  if (marked > std::max<std::size_t>(1, are.size() / samples_per_outlier))
    are.assign(are.size(), false);
  return are;
}

std::vector<double> BlockSamples::ordinary_s() const {
  const std::vector<bool> are_outliers = outliers();
  std::vector<double> ordinary_s;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (!are_outliers[i]) ordinary_s.push_back(total(times_[i]).value);
  }
  return ordinary_s;
}

Seconds BlockSamples::mean() const {
  const std::vector<double> times_s = ordinary_s();
  if (times_s.empty()) return {};
  return {std::accumulate(times_s.begin(), times_s.end(), 0.0) /
          static_cast<double>(times_s.size())};
}

Seconds BlockSamples::mean_between(int first, int last) const {
  const std::vector<bool> are_outliers = outliers();
  double sum_s = 0.0;
  double count = 0.0;
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
    if (are_outliers[i]) continue;
    sum_s += total(times_[i]).value;
    count += 1.0;
  }
  return {count > 0.0 ? sum_s / count : 0.0};
}

double BlockSamples::uncertainty() const {
  const std::vector<double> times_s = ordinary_s();
  if (times_s.size() < 2) return 1.0;
  const auto count = static_cast<double>(times_s.size());
  const double mean_s = mean().value;
  if (mean_s <= 0.0) return 1.0;
  double square = 0.0;
  for (const double time_s : times_s) square += (time_s - mean_s) * (time_s - mean_s);
  const double t = student_t_quantile(count - 1.0, 0.975);
  return t * std::sqrt(square / (count - 1.0) / count) / mean_s;
}

std::vector<Items> size_ladder(const Workload& workload, const Unit& unit, Items items_max) {
  constexpr int steps = 7;
  constexpr double span = 4096.0;
  const Items grain = workload.grain_items;
  const Items fits = largest_block(unit, workload);
  if (fits < std::min(grain, workload.items)) return {};
  const Items largest = std::min(std::max(items_max, std::min(grain, workload.items)), fits);
  const double smallest =
      std::min(std::max(static_cast<double>(workload.items) / span, static_cast<double>(grain)),
               static_cast<double>(largest));
  const double factor = std::pow(static_cast<double>(largest) / smallest, 1.0 / steps);
  std::vector<Items> sizes;
  for (int i = 0; i <= steps; ++i) {
    const double size = smallest * std::pow(factor, i) / static_cast<double>(grain);
    const Items rounded = static_cast<Items>(std::llround(size)) * grain;
    const Items items = std::clamp(rounded, std::min(grain, largest), largest);
    if (sizes.empty() || items > sizes.back()) sizes.push_back(items);
  }
  return sizes;
}

std::vector<Items> sizes_at_bends(const std::vector<SizeTime>& recorded, Items grain_items,
                                  double tolerance) {
  std::set<Items> known;
  for (const SizeTime& point : recorded) known.insert(point.items);
  std::set<Items> added;
  const auto add_between = [&](Items a, Items b) {
    const double middle = std::sqrt(static_cast<double>(a) * static_cast<double>(b));
    const Items items =
        static_cast<Items>(std::llround(middle / static_cast<double>(grain_items))) * grain_items;
    if (items > a && items < b && !known.contains(items)) added.insert(items);
  };
  for (std::size_t i = 1; i + 1 < recorded.size(); ++i) {
    const SizeTime& a = recorded[i - 1];
    const SizeTime& b = recorded[i];
    const SizeTime& c = recorded[i + 1];
    const double share =
        static_cast<double>(b.items - a.items) / static_cast<double>(c.items - a.items);
    const Seconds on_line = a.time + share * (c.time - a.time);
    if (std::abs((b.time - on_line).value) <= (tolerance + b.uncertainty) * b.time.value) continue;
    add_between(a.items, b.items);
    add_between(b.items, c.items);
  }
  return {added.begin(), added.end()};
}

namespace {

/// Shorter waits cannot be told from the imprecision of the clocks, and count as 0.
constexpr Seconds shortest_wait{5e-6};
/// Used instead of 0, which only reflects the resolution of the clock.
constexpr Seconds time_min{1e-9};
/// A copy faster than the machine's best rate by this factor is reported as impossible.
constexpr double impossible = 1.5;
/// The most sizes of a unit, including those added where the curve bends.
constexpr std::size_t sizes_max = 20;
/// The least samples of a size may take this part of the budget, or so long if the budget is small.
constexpr double size_share = 0.5;
constexpr Seconds size_time_min{0.5};
/// One sample in each pass may take so many times as long.
constexpr double few_factor = 2.0;
/// Blocks with less than this part of the work of mean items say little of the time of these.
constexpr double work_least = 0.25;
/// Sizes are added where the curve is off a straight line by more than this part of its time.
constexpr double bend_tolerance = 0.02;

}  // namespace

void CopyWorkFit::add(int copies, double bytes, Seconds work) {
  if (copies == 0 || !(work > Seconds{})) return;
  const double weight = 1.0 / (work.value * work.value);
  copies_copies_ += weight * copies * copies;
  copies_bytes_ += weight * copies * bytes;
  bytes_bytes_ += weight * bytes * bytes;
  copies_work_ += weight * copies * work.value;
  bytes_work_ += weight * bytes * work.value;
}

CopyWork CopyWorkFit::fit() const {
  if (!(copies_copies_ > 0.0)) return {};
  const double determinant = copies_copies_ * bytes_bytes_ - copies_bytes_ * copies_bytes_;
  if (determinant > 1e-9 * copies_copies_ * bytes_bytes_) {
    const double copy_s = (bytes_bytes_ * copies_work_ - copies_bytes_ * bytes_work_) / determinant;
    const double byte_s =
        (copies_copies_ * bytes_work_ - copies_bytes_ * copies_work_) / determinant;
    if (copy_s >= 0.0 && byte_s >= 0.0) return {Seconds{copy_s}, byte_s};
    if (copy_s < 0.0) return {{}, bytes_work_ / bytes_bytes_};
  }
  return {Seconds{copies_work_ / copies_copies_}, 0.0};
}

UnitRecorder::UnitRecorder(const RecordSetup& setup, std::size_t unit, ItemRange segment)
    : setup_(setup), unit_(unit), segment_(segment) {
  const Workload& workload = setup.kernel->workload();
  const Items items_max = setup.alone ? workload.items / 2 : segment.items;
  const std::vector<Items> sizes =
      setup.sizes.empty() ? size_ladder(workload, setup.units[unit].unit, items_max) : setup.sizes;
  for (const Items items : sizes) sizes_.push_back({.items = items});
  begin_pass();
}

void UnitRecorder::know(const ItemCostsPtr& costs) {
  costs_ = costs;
  take_to_mean_cost();
}

void UnitRecorder::move_to(ItemRange segment) {
  segment_ = segment;
  position_ = 0;
}

Seconds UnitRecorder::fixed_cost() const {
  std::vector<CostSample> points;  // by the inverse of the work
  double shortest_s = std::numeric_limits<double>::infinity();
  for (const Size& size : sizes_) {
    std::vector<double> inverses;
    std::vector<double> item_s;
    for (const Computed& computed : size.computed) {
      const auto items = static_cast<double>(size.items);
      const double work = costs_ ? costs_->sum(computed.first, size.items) : items;
      if (work < work_least * items) continue;
      inverses.push_back(1.0 / work);
      item_s.push_back(computed.time.value / work);
      shortest_s = std::min(shortest_s, computed.time.value);
    }
    if (!inverses.empty()) points.push_back({median(inverses), median(item_s)});
  }
  if (points.size() < 3) return {};
  const auto count = static_cast<double>(points.size());
  const StraightLine line = fit_straight_line(points);
  double mean = 0.0;
  for (const CostSample& point : points) mean += point.items / count;
  double apart = 0.0;
  double square = 0.0;
  for (const CostSample& point : points) {
    apart += std::pow(point.items - mean, 2.0);
    square += std::pow(point.seconds - line.intercept - line.slope * point.items, 2.0);
  }
  if (!(apart > 0.0)) return {};
  const double error_s = std::sqrt(square / (count - 2.0) / apart);
  return Seconds{std::clamp(line.slope - 2.0 * error_s, 0.0, shortest_s)};
}

/// How long a block of `items` computes if its items have mean cost and one of other work computed
/// so long.
Seconds UnitRecorder::at_mean_cost(Computed computed, Items items) const {
  if (!costs_) return computed.time;
  const double mean_cost = costs_->sum(computed.first, items) / static_cast<double>(items);
  if (mean_cost <= 0.0 || computed.time <= fixed_) return computed.time;
  return fixed_ + (1.0 / mean_cost) * (computed.time - fixed_);
}

/// Takes all samples to mean cost.
void UnitRecorder::take_to_mean_cost() {
  if (!costs_) return;
  fixed_ = fixed_cost();
  for (Size& size : sizes_) {
    for (std::size_t i = 0; i < size.computed.size(); ++i) {
      size.samples.set_compute(i, at_mean_cost(size.computed[i], size.items));
    }
  }
}

void UnitRecorder::begin_pass() {
  at_ = 0;
  for (Size& size : sizes_) {
    size.before = size.samples.count();
    if (passes_begun_ > 0) size.ends.push_back(size.before);
  }
  ++passes_begun_;
  begin_size(Seconds{});
}

/// Begins the size that is next and is not passed over.
void UnitRecorder::begin_size(Seconds now) {
  while (!is_done() && !is_wanted(sizes_[at_])) ++at_;
  is_warm_ = false;
  size_began_ = now;
  const auto left = static_cast<double>(sizes_.size() - at_);
  size_budget_ = (1.0 / std::max(left, 1.0)) * (pass_budget() - now);
}

/// The most time that the least samples of a size may take.
Seconds UnitRecorder::most_of_a_size() const {
  return std::max(size_share * setup_.budget, size_time_min);
}

/// How often a size is timed whose blocks take so long.
UnitRecorder::Often UnitRecorder::how_often(Seconds block) const {
  const bool is_short = (setup_.samples_min + setup_.passes) * block <= most_of_a_size();
  if (is_short || !setup_.sizes.empty()) return Often::enough;
  return setup_.passes * block <= few_factor * most_of_a_size() ? Often::few : Often::never;
}

/// Whether `size` is timed in this pass.
bool UnitRecorder::is_wanted(Size& size) const {
  const Often often = how_often(expected(size));
  const bool is_timed = size.samples.count() > 0;
  if (is_timed && often == Often::never) return false;
  size.often = is_timed ? std::max(size.often, often) : often;
  return often != Often::never;
}

/// The time of a block of `size`; 0 if neither it nor a smaller one was timed.
Seconds UnitRecorder::expected(const Size& size) const {
  const Size* nearest = nullptr;
  for (const Size& other : sizes_) {
    const bool is_nearer = nearest == nullptr || other.items > nearest->items;
    if (other.items <= size.items && other.samples.count() > 0 && is_nearer) nearest = &other;
  }
  if (nearest == nullptr) return {};
  return static_cast<double>(size.items) / static_cast<double>(nearest->items) *
         nearest->samples.mean();
}

Items UnitRecorder::usual_items() const {
  Items most = 0;
  for (const Size& size : sizes_) {
    if (size.often == Often::enough) most = std::max(most, size.items);
  }
  return most > 0 ? most : sizes_.front().items;
}

double UnitRecorder::items_per_s() const {
  const auto usual = std::ranges::find(sizes_, usual_items(), &Size::items);
  const Seconds mean = usual->samples.mean();
  return mean > Seconds{} ? static_cast<double>(usual->items) / mean.value : 0.0;
}

Block UnitRecorder::next_block(std::uint64_t id) {
  const Items items = is_done() ? usual_items() : sizes_[at_].items;
  if (position_ + items > segment_.items) position_ = 0;
  if (costs_) pass_over_little_work(items);
  first_ = segment_.first + std::exchange(position_, position_ + items);
  return {.id = id, .first = first_, .items = items};
}

/// Goes on to where a block of `items` has at least half of the work that is usual in the segment.
void UnitRecorder::pass_over_little_work(Items items) {
  const double usual = static_cast<double>(items) / static_cast<double>(segment_.items) *
                       costs_->sum(segment_.first, segment_.items);
  for (Items tried = 0; tried < segment_.items; tried += items) {
    if (costs_->sum(segment_.first + position_, items) >= 0.5 * usual) return;
    position_ += items;
    if (position_ + items > segment_.items) position_ = 0;
  }
}

bool UnitRecorder::take(const TimedBlock& block, Seconds now) {
  if (is_done()) return false;
  if (!first_setup_) first_setup_ = block.times.setup;
  Size& size = sizes_[at_];
  StageTimes times = block.times;
  times.setup = {};
  if (!std::exchange(is_warm_, true)) {
    const bool takes_long = setup_.sizes.empty() && total(times) > 0.5 * most_of_a_size();
    if (takes_long && size.samples.count() == 0) size.often = Often::few;
    if (size.often != Often::few) return false;
  }
  size.computed.push_back({first_, times.compute});
  times.compute = at_mean_cost(size.computed.back(), size.items);
  size.samples.add(times, {block.waited.sum, block.waited.times, block.dispatch});
  dispatch_s_.push_back(block.dispatch.value);
  const TraceSample moved = sample_of(size, size.samples.times().size() - 1);
  copy_work_.add((moved.in_bytes ? 1 : 0) + (moved.out_bytes ? 1 : 0),
                 moved.in_bytes.value_or(0.0) + moved.out_bytes.value_or(0.0), block.copying);
  if (size.often == Often::few || is_known(now - size_began_)) end_size(now);
  return true;
}

bool UnitRecorder::is_known(Seconds spent) const {
  const BlockSamples& samples = sizes_[at_].samples;
  const int least = (setup_.samples_min + setup_.passes - 1) / setup_.passes;
  const int most = std::max(least, setup_.samples_max / setup_.passes);
  const int here = samples.count() - sizes_[at_].before;
  if (here < least) return false;
  return here >= most || spent > size_budget_ || samples.uncertainty() <= recording_precision;
}

void UnitRecorder::end_size(Seconds now) {
  take_to_mean_cost();
  ++at_;
  begin_size(now);
  if (is_done() && setup_.sizes.empty() && now < pass_budget() && refine()) begin_size(now);
}

/// Adds sizes where the curve bends. Returns false if there are none to add.
bool UnitRecorder::refine() {
  const std::vector<Items> more =
      sizes_at_bends(curve(), setup_.kernel->workload().grain_items, bend_tolerance);
  for (const Items items : more) {
    if (sizes_.size() < sizes_max) sizes_.push_back({.items = items});
  }
  return !is_done();
}

std::vector<SizeTime> UnitRecorder::curve() const {
  std::vector<SizeTime> points;
  for (const Size& size : sizes_) {
    if (size.samples.count() > 0) {
      points.push_back({size.items, size.samples.mean(), size.samples.uncertainty()});
    }
  }
  std::ranges::sort(points, {}, &SizeTime::items);
  return points;
}

RecordProgress UnitRecorder::progress() const {
  const std::size_t at = std::min(at_, sizes_.size() - 1);
  const std::size_t units = setup_.units.size();
  const double in_pass = static_cast<double>(at) / static_cast<double>(sizes_.size());
  const double of_units =
      setup_.alone ? (static_cast<double>(unit_) + in_pass) / static_cast<double>(units) : in_pass;
  const double done =
      std::min(1.0, (static_cast<double>(passes_begun_ - 1) + of_units) / setup_.passes);
  return {name(), unit_, units, sizes_[at].items, at, sizes_.size(), sizes_[at].samples.count(),
          done};
}

std::vector<double> UnitRecorder::pass_levels() const {
  std::vector<double> levels(static_cast<std::size_t>(passes_begun_), 0.0);
  double sizes = 0.0;
  for (const Size& size : sizes_) {
    std::vector<int> ends = size.ends;
    ends.push_back(size.samples.count());
    if (ends.size() != levels.size()) continue;
    std::vector<double> of_passes;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const Seconds mean = size.samples.mean_between(i == 0 ? 0 : ends[i - 1], ends[i]);
      if (mean > Seconds{}) of_passes.push_back(std::log(mean / size.samples.mean()));
    }
    if (of_passes.size() != levels.size()) continue;
    for (std::size_t i = 0; i < levels.size(); ++i) levels[i] += of_passes[i];
    sizes += 1.0;
  }
  if (sizes == 0.0) return {};
  for (double& level : levels) level /= sizes;
  return levels;
}

namespace {

/// The bytes of the input of a block of `items`, with rows that neighbouring blocks need, too.
double input_bytes(const Kernel& kernel, Items items) {
  std::size_t bytes = 0;
  for (const InputRows& rows : kernel.data().inputs) bytes += rows.bytes(items);
  if (bytes > 0) return static_cast<double>(bytes);
  return kernel.workload().in_bytes_per_item * static_cast<double>(items);
}

}  // namespace

TraceSample UnitRecorder::sample_of(const Size& size, std::size_t index) const {
  const Workload& workload = setup_.kernel->workload();
  const StageTimes& times = size.samples.times()[index];
  TraceSample sample;
  sample.unit = static_cast<std::uint32_t>(unit_);
  sample.items = static_cast<double>(size.items);
  sample.compute_mean_s = std::max(times.compute, time_min).value;
  if (workload.in_bytes_per_item > 0.0) {
    sample.in_s = std::max(times.in, time_min).value;
    sample.in_bytes = input_bytes(*setup_.kernel, size.items);
  }
  if (workload.out_bytes_per_item > 0.0) {
    sample.out_s = std::max(times.out, time_min).value;
    sample.out_bytes = workload.out_bytes_per_item * sample.items;
  }
  return sample;
}

std::vector<TraceSample> UnitRecorder::samples_of(const Size& size) const {
  std::vector<TraceSample> samples;
  if (size.samples.count() == 0) return samples;
  // A unit with copy engines has a next block meanwhile.
  const bool waits_in_dispatch = setup_.units[unit_].unit.copy_engines == 0;
  const Undisturbed usual = usual_dispatch();
  const std::vector<bool> are_outliers = size.samples.outliers();
  for (std::size_t i = 0; i < are_outliers.size(); ++i) {
    TraceSample& sample = samples.emplace_back(sample_of(size, i));
    sample.is_outlier = are_outliers[i];
    const BlockWaits& waits = size.samples.waited()[i];
    Seconds waited = waits.sum;
    std::int64_t times = waits.times;
    if (waits_in_dispatch && waits.dispatch > usual.longest) {
      waited += waits.dispatch - usual.mean;
      ++times;
    }
    if (sample.is_outlier) {
      waited += total(size.samples.times()[i]) - size.samples.mean();
    }
    sample.waited_s = waited >= shortest_wait ? waited.value : 0.0;
    if (*sample.waited_s > 0.0 && times > 1) sample.waits = times;
  }
  return samples;
}

std::vector<TraceSample> UnitRecorder::samples() const {
  std::vector<TraceSample> all;
  for (const Size& size : sizes_) {
    const std::vector<TraceSample> samples = samples_of(size);
    all.insert(all.end(), samples.begin(), samples.end());
  }
  return all;
}

std::vector<TraceSample> UnitRecorder::take_until(std::size_t end) {
  std::vector<TraceSample> taken;
  for (std::size_t at = 0; at < end; ++at) {
    Size& size = sizes_[at];
    const auto count = static_cast<std::size_t>(size.samples.count());
    if (size.taken == count) continue;
    const std::vector<TraceSample> samples = samples_of(size);
    taken.insert(taken.end(), samples.begin() + static_cast<std::ptrdiff_t>(size.taken),
                 samples.end());
    size.taken = count;
  }
  return taken;
}

std::vector<TraceSample> UnitRecorder::take_ended() { return take_until(at_); }

std::vector<TraceSample> UnitRecorder::take_rest() { return take_until(sizes_.size()); }

void UnitRecorder::add_remarks(Recording& recording) const {
  std::size_t outliers = 0;
  std::size_t samples = 0;
  double fastest_bytes_per_s = 0.0;
  for (const Size& size : sizes_) {
    const std::vector<bool> are_outliers = size.samples.outliers();
    outliers += static_cast<std::size_t>(std::ranges::count(are_outliers, true));
    samples += are_outliers.size();
    for (std::size_t i = 0; i < are_outliers.size(); ++i) {
      const TraceSample sample = sample_of(size, i);
      if (sample.in_s)
        fastest_bytes_per_s = std::max(fastest_bytes_per_s, *sample.in_bytes / *sample.in_s);
      if (sample.out_s)
        fastest_bytes_per_s = std::max(fastest_bytes_per_s, *sample.out_bytes / *sample.out_s);
    }
    recording.means += are_outliers.empty() ? 0 : 1;
    if (!are_outliers.empty() && size.samples.uncertainty() > recording_precision) {
      const int most = std::max(1, setup_.samples_max / setup_.passes) * setup_.passes;
      recording.imprecise.push_back(
          {name(), size.items, size.samples.uncertainty(), size.samples.count() >= most});
    }
  }
  Items shortest = std::numeric_limits<Items>::max();
  for (const Size& size : sizes_) {
    if (size.often == Often::never) shortest = std::min(shortest, size.items);
  }
  if (shortest < std::numeric_limits<Items>::max()) {
    recording.doubts.push_back(
        fmt::format("{}: blocks of {} items or more take too long for this recording and were not "
                    "timed; more time helps",
                    name(), shortest));
  }
  if (outliers > 0) {
    recording.doubts.push_back(
        fmt::format("{}: {} of {} samples took much longer than the others of their size; they are "
                    "marked as outliers, and simulations have them as waits",
                    name(), outliers, samples));
  }
  if (fastest_bytes_per_s > impossible * fastest_copy_bytes_per_s()) {
    recording.doubts.push_back(
        fmt::format("{}: a copy of {:.3g} GB/s is faster than this machine copies", name(),
                    fastest_bytes_per_s * 1e-9));
  }
}

}  // namespace equipoise
