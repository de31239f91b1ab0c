// Compares the times of blocks at different places, and halves ranges where they change.
#include "real/recording/cost_finder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "real/recording/unit_recorder.hpp"

namespace equipoise {
namespace {

constexpr Items places_most = 16;
constexpr Items places_least = 4;
constexpr double block_share = 1.0 / 256.0;  ///< of the budget, that a block takes
constexpr double block_longest_s = 0.01;
constexpr double growth_most = 64.0;
constexpr int repetitions = 3;
constexpr double variance_ratio = 10.0;
constexpr double deviation_least = 0.05;
constexpr double differences = 3.0;
constexpr double error_least = 2e-4;
constexpr Items ranges_most = 4096;
/// Shorter blocks say little, because their times are mostly those of clocks and caches.
constexpr double shortest_s = 1e-4;
/// Shorter ones say nothing.
constexpr double unclear_s = 2e-5;

}  // namespace

double CostFinder::Place::least_s() const {
  return *std::min_element(seconds.begin(), seconds.end());
}

CostFinder::CostFinder(const Workload& workload, Items block_max, Seconds budget)
    : items_(workload.items),
      grain_(workload.grain_items),
      block_max_(std::max(block_max / workload.grain_items, Items{1}) * workload.grain_items),
      budget_(budget) {
  const Items grains = items_ / grain_;
  const Items places = std::min(grains, places_most);
  if (places < places_least) {
    stage_ = Stage::done;
    return;
  }
  const auto begin = [&](Items place) {
    return place == places ? items_ : grains * place / places * grain_;
  };
  for (Items i = 0; i < places; ++i) {
    places_.push_back({.range = {begin(i), begin(i + 1) - begin(i)}, .block = {}});
  }
  set_blocks(grain_);
  order(false);
}

/// The largest block in `range`: of whole grains.
Items CostFinder::room(ItemRange range) const {
  return std::min(block_max_, range.items / grain_ * grain_);
}

/// A block of at most `items`, from a multiple of the grain on in the middle of `range`.
ItemRange CostFinder::block_in(ItemRange range, Items items) const {
  const Items size = std::min(items, room(range));
  return {range.first + (range.items - size) / 2 / grain_ * grain_, size};
}

/// The block to be timed for `place`.
ItemRange CostFinder::block_of(const Place& place) const {
  return place.is_inherited ? block_in(place.range, block_items_) : place.block;
}

/// Blocks of as many items in all places, which have no times any more.
void CostFinder::set_blocks(Items items) {
  block_items_ = items;
  for (const Place& place : places_) block_items_ = std::min(block_items_, room(place.range));
  for (Place& place : places_) {
    place.block = block_in(place.range, block_items_);
    place.seconds.clear();
  }
}

void CostFinder::order(bool is_backward) {
  at_ = 0;
  order_.resize(places_.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (is_backward) std::ranges::reverse(order_);
}

void CostFinder::take(Seconds computed, Seconds spent) {
  spent_ = spent;
  Place& place = places_[order_[at_]];
  place.block = block_of(place);
  if (std::exchange(place.is_inherited, false)) place.seconds.clear();
  place.seconds.push_back(std::max(computed.value, 1e-12));
  if (++at_ == order_.size()) {
    end_round();
  } else if (spent > budget_) {
    end();
  }
}

void CostFinder::end() {
  gave_up_ = stage_ == Stage::growing || stage_ == Stage::repeating;
  stage_ = Stage::done;
}

void CostFinder::end_round() {
  ++round_;
  if (stage_ == Stage::growing) {
    end_growing();
  } else if (stage_ == Stage::repeating && round_ < repetitions) {
    order(false);  // every second place, then the others
    std::stable_partition(order_.begin(), order_.end(), [](std::size_t i) { return i % 2 == 0; });
  } else if (stage_ == Stage::repeating) {
    judge();
  } else if (round_ == 1) {
    std::ranges::reverse(order_);
    at_ = 0;
  } else {
    refine();
  }
}

double CostFinder::mean_s() const {
  double sum_s = 0.0;
  for (const Place& place : places_) sum_s += place.seconds.back();
  return sum_s / static_cast<double>(places_.size());
}

/// Makes the block longer, or repeats it if it is long enough. The first round does not count,
/// because it finds caches cold.
void CostFinder::end_growing() {
  const double target_s = std::min(block_share * budget_.value, block_longest_s);
  const bool is_full = std::ranges::any_of(
      places_, [&](const Place& place) { return place.block.items == room(place.range); });
  const bool is_long = is_full || mean_s() >= 0.5 * target_s;
  if (spent_ > budget_) {
    end();
  } else if (is_long && round_ > 1) {
    stage_ = Stage::repeating;
    round_ = 1;
    order(true);
  } else {
    const double factor = is_long ? 1.0 : std::clamp(target_s / mean_s(), 1.0, growth_most);
    const double grains = factor * static_cast<double>(block_items_) / static_cast<double>(grain_);
    set_blocks(std::max(block_items_, static_cast<Items>(grains) * grain_));
    order(false);
  }
}

/// Decides whether items differ.
void CostFinder::judge() {
  const auto places = static_cast<double>(places_.size());
  double mean_s = 0.0;
  double between = 0.0;
  double within = 0.0;
  std::vector<double> means_s;
  for (const Place& place : places_) {
    const double sum_s = std::accumulate(place.seconds.begin(), place.seconds.end(), 0.0);
    means_s.push_back(sum_s / repetitions);
    mean_s += means_s.back() / places;
    for (const double time_s : place.seconds) {
      within += std::pow(time_s - means_s.back(), 2.0) / (places * (repetitions - 1));
    }
  }
  for (const double of_place : means_s) {
    between += repetitions * std::pow(of_place - mean_s, 2.0) / (places - 1.0);
  }
  const double deviation_s = std::sqrt(std::max(0.0, between - within) / repetitions);
  differ_ = mean_s >= unclear_s && between >= variance_ratio * within &&
            deviation_s >= deviation_least * mean_s;
  noise_ = usual_difference();
  stage_ = Stage::done;
  if (differ_) refine();
}

/// The median over places of how far the second shortest time is off the shortest, relative to it.
double CostFinder::usual_difference() const {
  std::vector<double> apart;
  for (const Place& place : places_) {
    std::vector<double> seconds = place.seconds;
    std::ranges::sort(seconds);
    apart.push_back(seconds[1] / seconds[0] - 1.0);
  }
  return median(std::move(apart));
}

double CostFinder::mean_item_s() const {
  double sum_s = 0.0;
  for (const Place& place : places_) {
    sum_s += static_cast<double>(place.range.items) * place.item_s();
  }
  return sum_s / static_cast<double>(items_);
}

/// (places) How much work may lie elsewhere in the range, as a share of all work: its items times
/// the difference to the neighbour that differs most; 0 if that may be chance.
std::vector<double> CostFinder::errors() const {
  const double all_s = mean_item_s() * static_cast<double>(items_);
  std::vector<double> errors(places_.size(), 0.0);
  for (std::size_t i = 0; i + 1 < places_.size(); ++i) {
    const double here = places_[i].item_s();
    const double next = places_[i + 1].item_s();
    const double apart = std::abs(here - next);
    if (apart <= differences * noise_ * std::max(here, next)) continue;
    for (const std::size_t k : {i, i + 1}) {
      errors[k] = std::max(errors[k], apart / all_s * static_cast<double>(places_[k].range.items));
    }
  }
  return errors;
}

/// The places whose halves are timed next, ascending: as many as there is time for.
std::vector<std::size_t> CostFinder::to_halve() const {
  const auto shortest = static_cast<Items>(std::ceil(shortest_s / mean_item_s()));
  const Items least = std::max({grain_, shortest, items_ / ranges_most});
  const std::vector<double> errors = this->errors();
  std::vector<std::size_t> by_error;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (errors[i] >= error_least && places_[i].range.items >= 2 * least) by_error.push_back(i);
  }
  std::ranges::stable_sort(by_error, [&](auto a, auto b) { return errors[a] > errors[b]; });
  double left_s = (budget_ - spent_).value;
  std::vector<std::size_t> chosen;
  for (const std::size_t i : by_error) {
    for (const Place& half : halves(places_[i])) {
      const Items items = block_in(half.range, block_items_).items;
      left_s -= 2.0 * static_cast<double>(items) * places_[i].item_s();
    }
    if (left_s < 0.0 || static_cast<Items>(places_.size() + chosen.size()) >= ranges_most) break;
    chosen.push_back(i);
  }
  std::ranges::sort(chosen);
  return chosen;
}

/// Both halves, with the block and the times of the whole until they have their own.
std::vector<CostFinder::Place> CostFinder::halves(const Place& place) const {
  const Items half = std::max(place.range.items / 2 / grain_, Items{1}) * grain_;
  const ItemRange first{place.range.first, half};
  const ItemRange second{place.range.first + half, place.range.items - half};
  return {{first, place.block, place.seconds, true}, {second, place.block, place.seconds, true}};
}

void CostFinder::refine() {
  const std::vector<std::size_t> chosen = to_halve();
  stage_ = chosen.empty() ? Stage::done : Stage::refining;
  round_ = 0;
  at_ = 0;
  order_.clear();
  std::vector<Place> places;
  auto next = chosen.begin();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (next == chosen.end() || *next != i) {
      places.push_back(places_[i]);
      continue;
    }
    ++next;
    for (Place& half : halves(places_[i])) {
      order_.push_back(places.size());
      places.push_back(std::move(half));
    }
  }
  places_ = std::move(places);
}

CostsRecord CostFinder::costs(Seconds fixed) const {
  std::vector<CostRange> ranges;
  for (const Place& place : places_) {
    const double work_s = std::max(0.0, place.least_s() - fixed.value);
    const double cost = work_s / static_cast<double>(place.block.items);
    ranges.push_back({place.range.first, place.range.items, cost});
  }
  if (!are_whole(ranges)) return costs();  // no block is as short as this fixed cost
  ranges = ItemCosts(std::move(ranges)).ranges();
  for (CostRange& range : ranges) range.cost = std::round(range.cost * 1e4) / 1e4;
  return {items_, std::move(ranges)};
}

}  // namespace equipoise
