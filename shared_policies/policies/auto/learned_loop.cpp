// Lines through the latest blocks of each unit, costs of items by position, and draws of them.
#include "shared_policies/policies/auto/learned_loop.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "shared_policies/policies/block_sizes.hpp"

namespace equipoise {
namespace {

/// So many latest blocks are kept: for all units together, but at least and at most so many for
/// each.
constexpr std::size_t kept_of_all = 1024;
constexpr std::size_t kept_least = 8;
constexpr std::size_t kept_most = 64;
/// The pieces in which costs of items are kept by position, and are drawn.
constexpr double known_pieces_most = 1024.0;
constexpr double drawn_pieces_most = 4096.0;
/// Blocks that are drawn for a piece at most.
constexpr double draws_most = 16.0;
/// Items take at least this part of a block's time.
constexpr double least_item_share = 1e-3;

/// Sums over a unit's blocks, each with the weight 1 / x.
struct LineSums {
  double weight = 0.0;   // of 1 / x
  double blocks = 0.0;   // of 1
  double items = 0.0;    // of x
  double mean_s = 0.0;   // of t / x
  double seconds = 0.0;  // of t

  void add(double x, double t) {
    weight += 1.0 / x;
    blocks += 1.0;
    items += x;
    mean_s += t / x;
    seconds += t;
  }
  /// 0 if all blocks have one size.
  [[nodiscard]] double determinant() const {
    const double all = weight * items;
    const double rest = all - blocks * blocks;
    return rest > 1e-9 * all ? rest : 0.0;
  }
  [[nodiscard]] double fixed_s() const {
    return (mean_s * items - blocks * seconds) / determinant();
  }
  /// For a residual variance of 1 an item.
  [[nodiscard]] double fixed_variance() const { return items / determinant(); }
  /// b for a fixed part of `a`.
  [[nodiscard]] double item_s(double a) const {
    return std::max(seconds - a * blocks, least_item_share * seconds) / items;
  }
};

}  // namespace

CostsAhead::CostsAhead(double piece_items, const std::vector<double>& item_s, double skipped)
    : piece_items_(piece_items), skipped_(skipped), before_{0.0} {
  for (const double one : item_s) before_.push_back(before_.back() + one * piece_items);
}

double CostsAhead::up_to(double items) const {
  const double at = (items + skipped_) / piece_items_;
  const auto piece = std::min(static_cast<std::size_t>(std::max(at, 0.0)), before_.size() - 2);
  return std::lerp(before_[piece], before_[piece + 1], at - static_cast<double>(piece));
}

void LearnedLoop::begin_phase(const View& view) {
  end_iteration();
  units_.resize(view.units().size());
  if (items_ != view.workload().items) last_costs_s_.clear();
  items_ = view.workload().items;
}

void LearnedLoop::begin_iteration(Seconds at) {
  end_iteration();
  for (OfUnit& unit : units_) unit.waits_since = at;
  last_hand_out_.reset();
}

/// Keeps the costs of the iteration's items. Where none are known, items cost what those before
/// them do, or those after them at the front.
void LearnedLoop::end_iteration() {
  const auto known = std::ranges::find_if(now_.items, [](double items) { return items > 0.0; });
  if (known != now_.items.end()) {
    last_costs_s_.clear();
    double item_s = now_.seconds[static_cast<std::size_t>(known - now_.items.begin())] / *known;
    for (std::size_t k = 0; k < now_.items.size(); ++k) {
      if (now_.items[k] > 0.0) item_s = now_.seconds[k] / now_.items[k];
      last_costs_s_.push_back(item_s);
    }
  }
  now_ = {};
}

void LearnedLoop::add(const BlockFinished& finished, Seconds at) {
  OfUnit& unit = units_[finished.unit.index];
  PastBlock block{finished, at, static_cast<double>(finished.block.items)};
  const Seconds begun = std::max(finished.begins.setup, unit.last_end);
  block.busy_s = std::max((at - begun - finished.times.setup).value, shortest_block_s);
  if (finished.assigned >= unit.last_end) {
    block.latency_s = std::max(0.0, (finished.begins.setup - finished.assigned).value);
  }
  ended(finished.unit, at);
  ++unit.blocks;
  unit.latest.push_back(block);
  const std::size_t kept = std::clamp(kept_of_all / units_.size(), kept_least, kept_most);
  if (unit.latest.size() > kept) unit.latest.pop_front();
  if (!model_.paces.empty()) add_at_position(block);
}

void LearnedLoop::ended(UnitId unit, Seconds at) {
  units_[unit.index].last_end = at;
  units_[unit.index].waits_since = at;
}

void LearnedLoop::handed_out(const View& view, UnitId unit) {
  const Seconds at = view.unit(unit).outstanding.back().assigned;
  if (last_hand_out_ && units_[unit.index].waits_since <= *last_hand_out_) {
    hand_outs_s_ += (at - *last_hand_out_).value;
    hand_outs_ += 1.0;
  }
  last_hand_out_ = at;
}

bool LearnedLoop::is_known() const {
  return std::ranges::any_of(units_, [](const OfUnit& unit) { return unit.blocks > 0; });
}

std::vector<Event> LearnedLoop::latest_blocks() const {
  std::vector<Event> events;
  for (const OfUnit& unit : units_) {
    for (const PastBlock& block : unit.latest) events.push_back({block.end, block.finished});
  }
  std::ranges::stable_sort(events, {}, &Event::at);
  return events;
}

// -- Costs of units ------------------------------------------------------------------------------

const LoopModel& LearnedLoop::fit() {
  model_.paces.assign(units_.size(), {});
  fit_lines();
  assume_unknown();
  double speed = 0.0;
  for (const UnitPace& pace : model_.paces) speed += 1.0 / pace.item_s;
  model_.item_s = static_cast<double>(units_.size()) / speed;
  for (UnitPace& pace : model_.paces) pace.slowness = pace.item_s / model_.item_s;
  model_.master_s = hand_outs_ > 0.0 ? hand_outs_s_ / hand_outs_ : 0.0;
  return model_;
}

void LearnedLoop::fit_lines() {
  std::vector<LineSums> sums(units_.size());
  double squares = 0.0;  // of residuals of an item, relative to its time
  double freedom = 0.0;
  for (std::size_t p = 0; p < units_.size(); ++p) {
    const std::deque<PastBlock>& blocks = units_[p].latest;
    for (const PastBlock& block : blocks) sums[p].add(block.items, block.busy_s);
    if (blocks.size() < 3 || sums[p].determinant() <= 0.0) continue;
    const double a = sums[p].fixed_s();
    const double b = sums[p].item_s(a);
    for (const PastBlock& block : blocks) {
      const double residual = (block.busy_s - a - b * block.items) / b;
      squares += residual * residual / block.items;
    }
    freedom += sums[p].blocks - 2.0;
  }
  for (std::size_t p = 0; p < units_.size(); ++p) {
    if (units_[p].latest.empty()) continue;
    UnitPace& pace = model_.paces[p];
    if (freedom > 0.0 && sums[p].determinant() > 0.0) {
      const double a = sums[p].fixed_s();
      const double error =
          sums[p].item_s(a) * std::sqrt(squares / freedom * sums[p].fixed_variance());
      pace.fixed_s = std::max(0.0, a - error);
    }
    for (const PastBlock& block : units_[p].latest) {
      pace.fixed_s = std::min(pace.fixed_s, block.busy_s);
    }
    pace.item_s = sums[p].item_s(pace.fixed_s);
  }
}

/// Units without a finished block are taken to be like the slowest of the others; latencies that
/// were not met are the mean of the others.
void LearnedLoop::assume_unknown() {
  std::vector<bool> has_latency(units_.size(), false);
  double latencies_s = 0.0;
  double latencies = 0.0;
  const UnitPace* slowest = nullptr;
  for (std::size_t p = 0; p < units_.size(); ++p) {
    UnitPace& pace = model_.paces[p];
    double own_s = 0.0;
    double own = 0.0;
    double computing_s = 0.0;
    double stages_s = 0.0;
    for (const PastBlock& block : units_[p].latest) {
      own_s += block.latency_s.value_or(0.0);
      own += block.latency_s ? 1.0 : 0.0;
      computing_s += block.finished.times.compute.value;
      stages_s += recurring(block.finished.times).value;
    }
    has_latency[p] = own > 0.0;
    if (has_latency[p]) pace.latency_s = own_s / own;
    if (stages_s > 0.0) pace.computing = computing_s / stages_s;
    latencies_s += own_s;
    latencies += own;
    if (pace.item_s > 0.0 && (slowest == nullptr || pace.item_s > slowest->item_s)) {
      slowest = &pace;
    }
  }
  for (std::size_t p = 0; p < units_.size(); ++p) {
    UnitPace& pace = model_.paces[p];
    if (units_[p].latest.empty()) pace = *slowest;
    if (!has_latency[p]) pace.latency_s = latencies > 0.0 ? latencies_s / latencies : 0.0;
  }
}

// -- Costs of items ------------------------------------------------------------------------------

double LearnedLoop::item_cost_s(const PastBlock& block) const {
  const UnitPace& pace = model_.paces[block.finished.unit.index];
  const double items_s = std::max(block.busy_s - pace.fixed_s, least_item_share * block.busy_s);
  return items_s / (block.items * pace.slowness);
}

double LearnedLoop::piece_items() const {
  return std::max(1.0, static_cast<double>(items_) / known_pieces_most);
}

void LearnedLoop::add_at_position(const PastBlock& block) {
  if (now_.items.empty()) {
    const auto pieces =
        static_cast<std::size_t>(std::ceil(static_cast<double>(items_) / piece_items()));
    now_.items.assign(pieces, 0.0);
    now_.seconds.assign(pieces, 0.0);
  }
  const double item_s = item_cost_s(block);
  const auto first = static_cast<double>(block.finished.block.first);
  const double end = first + block.items;
  auto piece = static_cast<std::size_t>(first / piece_items());
  for (; piece < now_.items.size(); ++piece) {
    const double begin_here = std::max(first, static_cast<double>(piece) * piece_items());
    const double end_here = std::min(end, static_cast<double>(piece + 1) * piece_items());
    if (end_here <= begin_here) break;
    now_.items[piece] += end_here - begin_here;
    now_.seconds[piece] += (end_here - begin_here) * item_s;
  }
}

std::vector<CostsAhead> LearnedLoop::costs_ahead(const View& view, std::size_t count,
                                                 std::uint64_t seed) const {
  const auto remaining = static_cast<double>(view.remaining());
  if (!last_costs_s_.empty()) {
    return {{piece_items(), last_costs_s_, static_cast<double>(items_) - remaining}};
  }
  std::vector<CostsAhead> ways;
  for (std::size_t way = 0; way < count; ++way) ways.push_back(drawn(remaining, seed + way));
  return ways;
}

CostsAhead LearnedLoop::drawn(double remaining, std::uint64_t seed) const {
  std::vector<double> costs_s;
  std::vector<double> items_up_to;
  double items = 0.0;
  for (const OfUnit& unit : units_) {
    for (const PastBlock& block : unit.latest) {
      costs_s.push_back(item_cost_s(block));
      items_up_to.push_back(items += block.items);
    }
  }
  const double block_items = items / static_cast<double>(costs_s.size());
  const double pieces = std::clamp(std::ceil(remaining / block_items), 1.0, drawn_pieces_most);
  const double piece_items = remaining / pieces;
  const double draws = std::clamp(std::round(piece_items / block_items), 1.0, draws_most);
  std::mt19937_64 random(seed);
  std::vector<double> drawn_s(static_cast<std::size_t>(pieces), 0.0);
  for (double& item_s : drawn_s) {
    for (double draw = 0.0; draw < draws; draw += 1.0) {
      const double at = static_cast<double>(random() >> 11U) * 0x1p-53 * items;
      const auto found = std::ranges::upper_bound(items_up_to, at);
      const auto k =
          std::min(static_cast<std::size_t>(found - items_up_to.begin()), costs_s.size() - 1);
      item_s += costs_s[k] / draws;
    }
  }
  return {piece_items, drawn_s, 0.0};
}

}  // namespace equipoise
