// Block sizes, list scheduling, and the sums over all units with what each unit adds to them.
#include "shared_policies/policies/equipoise/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

namespace equipoise {
namespace {

/// The least fixed cost assumed, as a share of the run: saving less is hardly noticed.
constexpr double negligible_share = 1e-4;
constexpr double negligible_share_if_items_differ = 1e-5;  // blocks may take longer than expected
/// Share of fixed time in a block that is no reason for a longer one.
constexpr double free_share = 1e-3;

}  // namespace

NextBlock::NextBlock(const BlockSizing& sizing, double run_s, bool overlap, bool items_differ)
    : sizing_(sizing), run_s_(run_s), items_differ_(items_differ) {
  if (overlap) sizing_.slack *= sizing_.overlap;
  sizing_.least_slack = std::min(sizing_.least_slack, sizing_.slack);
}

double NextBlock::items(const RunningCost& cost, double left_s, double cap_items,
                        double hidden_s) const {
  const double limit = std::min(cap_items, cost.most_items(sizing_.growth));
  if (left_s <= last_block_s(cost)) return cost.items_within(left_s, limit);
  const double steady_s = left_s / (1.0 + sizing_.safety_margin * cost.relative_sd());
  const double free_s = items_differ_ ? 0.0 : cost.surely_fixed_s() / free_share;
  const double safe_s =
      std::clamp(free_s, sizing_.least_slack * steady_s, sizing_.slack * steady_s);
  const double efficient_s = std::min(fixed_s(cost) / sizing_.overhead, 0.5 * left_s);
  return cost.items_within(std::max(std::min(safe_s, hidden_s), efficient_s), limit);
}

double NextBlock::last_block_s(const RunningCost& cost) const {
  return 2.0 * fixed_s(cost) / (sizing_.risk_aversion * cost.relative_sd());
}

double NextBlock::fixed_s(const RunningCost& cost) const {
  const double least = items_differ_ ? negligible_share_if_items_differ : negligible_share;
  return std::max(cost.surely_fixed_s(), least * run_s_);
}

std::vector<Items> list_schedule(std::span<const GrainCost> units, Items grains) {
  using End = std::pair<double, std::size_t>;  // when the unit would end with one more grain
  std::vector<Items> given(units.size());
  std::priority_queue<End, std::vector<End>, std::greater<>> ends;
  for (std::size_t p = 0; p < units.size(); ++p) {
    if (units[p].takes_part) ends.emplace(units[p].first_end_s, p);
  }
  for (; grains > 0 && !ends.empty(); --grains) {
    const auto [end_s, first] = ends.top();
    ends.pop();
    ++given[first];
    ends.emplace(end_s + units[first].more_s, first);
  }
  return given;
}

namespace {

/// If at most this many grains per unit remain, they are assigned one by one.
constexpr Items few_grains_a_unit = 4;

/// When `unit` will have done its blocks (s), lost ones that go on included; `now` if it has none.
/// Its first one, if overdue, is expected to need as long again as it is overdue.
double ready_s(const UnitState& unit, const PipelineCost& cost, Seconds last_end, Seconds now) {
  double at_s = last_end.value;
  bool is_first = true;
  for (const auto* const blocks : {&unit.going_on, &unit.outstanding}) {
    for (const OutstandingBlock& block : *blocks) {
      const auto items = static_cast<double>(block.block.items);
      const bool met_an_empty_unit = block.assigned.value >= at_s;
      const double takes_s = (met_an_empty_unit ? cost.alone() : cost.queued()).seconds(items);
      at_s = std::max(at_s, block.assigned.value) + takes_s;
      if (is_first) at_s = std::max(at_s, 2.0 * now.value - at_s);  // overdue: as long again
      is_first = false;
    }
  }
  return is_first ? now.value : at_s;
}

}  // namespace

void Forecast::begin_phase(std::span<const PipelineCost> costs, bool items_differ) {
  parts_.assign(costs.size(), {});
  costs_ = costs;
  items_differ_ = items_differ;
}

void Forecast::begin_iteration() {
  begin_s_ = end_s_ = view().now().value;
  is_new_iteration_ = true;
  for (UnitPart& part : parts_) part.blocks = 1.0;
}

void Forecast::update() {
  find_rates_of_kinds();
  sum_up();
  if (std::exchange(is_new_iteration_, false)) sum_up();
  if (has_few_grains_) assign_last_grains();
}

void Forecast::sum_up() {
  rate_ = 0.0;
  done_before_ = 0.0;
  for (const UnitState& unit : view().units()) enter(unit);
  if (rate_ == 0.0) return;
  const auto remaining = static_cast<double>(view().remaining());
  for (bool changed = true; changed;) {
    changed = false;
    end_s_ = (remaining + done_before_) / rate_;
    for (UnitPart& part : parts_) changed = leave_if_late(part) || changed;
  }
  const Items items = few_grains_a_unit * view().workload().grain_items;
  has_few_grains_ = view().remaining() <= items * static_cast<Items>(parts_.size());
  for (const UnitState& unit : view().units()) count_blocks(unit);
}

void Forecast::renew(UnitId id) {
  UnitPart& part = parts_[id.index];
  rate_ -= part.rate;
  done_before_ -= part.rate * part.begin_s;
  enter(view().unit(id));
  const auto remaining = static_cast<double>(view().remaining());
  do {
    if (rate_ <= 0.0) return;
    end_s_ = (remaining + done_before_) / rate_;
  } while (leave_if_late(part));
  count_blocks(view().unit(id));
}

void Forecast::took(UnitId id, double seconds) {
  UnitPart& part = parts_[id.index];
  part.ready_s += seconds;
  part.begin_s += seconds;
  done_before_ += part.rate * seconds;
}

/// Adds one unit to the sums.
void Forecast::enter(const UnitState& unit) {
  UnitPart& part = parts_[unit.id.index];
  part.rate = 0.0;
  if (!takes_part(unit)) return;
  if (cost_of(unit.id).is_known()) {
    const bool is_alone = unit.outstanding.empty() && unit.going_on.empty() && part.blocks <= 1.0;
    const RunningCost& cost = is_alone ? cost_of(unit.id).alone() : cost_of(unit.id).queued();
    part.ready_s = ready_s(unit, cost_of(unit.id), part.last_end, view().now());
    const double most = cost.most_items(sizing_of(unit.id).growth);
    part.rate = most / cost.seconds(most);
    part.begin_s = part.ready_s + part.blocks * cost.fixed_s();
  } else if (!unit.outstanding.empty()) {
    const OutstandingBlock& first = unit.outstanding.front();
    const double arrival_s = first.assigned.value + part.fetch_s;
    const double elapsed_s = view().now().value - arrival_s;
    part.ready_s = part.begin_s = std::max(view().now().value, arrival_s);
    // That of its kind; or as if half of the block were done, if that is less or the kind unknown.
    const double kind_rate = rate_of(unit.unit.kind);
    const double half_rate =
        elapsed_s > 0.0 ? 0.5 * static_cast<double>(first.block.items) / elapsed_s : kind_rate;
    part.rate = kind_rate > 0.0 ? std::min(kind_rate, half_rate) : half_rate;
  }
  rate_ += part.rate;
  done_before_ += part.rate * part.begin_s;
}

/// Leaves a unit out that would begin after the end, unless it is the only one. It is first tried
/// with a single block. Returns whether the sums changed.
bool Forecast::leave_if_late(UnitPart& part) {
  if (part.rate == 0.0 || part.begin_s < end_s_ || rate_ <= part.rate * (1.0 + 1e-9)) return false;
  if (part.blocks > 1.0) {
    const double saved_s = (part.begin_s - part.ready_s) * (1.0 - 1.0 / part.blocks);
    done_before_ -= part.rate * saved_s;
    part.begin_s -= saved_s;
    part.blocks = 1.0;
    return true;
  }
  rate_ -= part.rate;
  done_before_ -= part.rate * part.begin_s;
  part.rate = 0.0;
  return true;
}

/// Estimates how many more blocks a unit will take.
void Forecast::count_blocks(const UnitState& unit) {
  UnitPart& part = parts_[unit.id.index];
  if (part.rate == 0.0 || !cost_of(unit.id).is_known()) return;
  const RunningCost& cost = cost_of(unit.id).queued();
  const double left_s = end_s_ - part.ready_s;
  const double last_s = sizes(unit.id).last_block_s(cost);
  part.blocks = std::max({1.0, 1.0 + std::log2(left_s / last_s),
                          part.rate * (end_s_ - part.begin_s) / most_items(unit)});
}

/// Assigns the last grains one by one, each to the unit that would finish it first.
void Forecast::assign_last_grains() {
  const Items grain_items = view().workload().grain_items;
  const auto grain = static_cast<double>(grain_items);
  std::vector<GrainCost> times(parts_.size());
  for (const UnitState& unit : view().units()) {
    if (!takes_part(unit) || !cost_of(unit.id).is_known()) continue;
    const UnitPart& part = parts_[unit.id.index];
    const RunningCost& cost = cost_of(unit.id).queued();
    const double one_s = cost.seconds(grain);
    const bool only_one = static_cast<double>(unit.cap_items) < 2.0 * grain;
    const double more_s = only_one ? one_s : grain * cost.item_s();
    times[unit.id.index] = {true, part.ready_s + one_s, more_s};
  }
  const std::vector<Items> given =
      list_schedule(times, (view().remaining() + grain_items - 1) / grain_items);
  for (std::size_t p = 0; p < given.size(); ++p) parts_[p].grains = given[p];
}

void Forecast::find_rates_of_kinds() {
  rates_of_kind_.clear();
  for (const UnitState& unit : view().units()) {
    if (!unit.present || !cost_of(unit.id).is_known()) continue;
    const RunningCost& cost = cost_of(unit.id).queued();
    auto& [rates, units] = rates_of_kind_[unit.unit.kind];
    rates += cost.largest_items() / cost.seconds(cost.largest_items());
    units += 1.0;
  }
}

double Forecast::rate_of(UnitKind kind) const {
  const auto found = rates_of_kind_.find(kind);
  return found == rates_of_kind_.end() ? 0.0 : found->second.first / found->second.second;
}

double Forecast::most_items(const UnitState& unit) const {
  const auto fit = static_cast<double>(items_in_memory(unit.unit, view().workload()));
  const auto grain = static_cast<double>(view().workload().grain_items);
  const int blocks = cost_of(unit.id).blocks_in_memory(fit, unit.unit.copy_engines);
  const double items = blocks > 1 ? std::floor(fit / blocks / grain) * grain : fit;
  return std::min(static_cast<double>(unit.cap_items), std::max(items, grain));
}

NextBlock Forecast::sizes(UnitId id) const {
  return {sizing_of(id), end_s_ - begin_s_, cost_of(id).hides_copies(), items_differ_};
}

BlockSizing Forecast::sizing_of(UnitId id) const {
  BlockSizing sizing = sizing_;
  const Unit& unit = view().unit(id).unit;
  const Workload& workload = view().workload();
  const bool is_copied = workload.in_bytes_per_item + workload.out_bytes_per_item > 0.0;
  const bool is_core_at_hand = unit.kind == UnitKind::cpu && !(unit.is_remote && is_copied);
  if (items_differ_ || is_core_at_hand) return sizing;
  sizing.growth = sizing_.accelerator_growth;
  sizing.least_slack = sizing_.slack;
  return sizing;
}

}  // namespace equipoise
