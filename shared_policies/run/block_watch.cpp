// Keeps the units with blocks in the order in which they will be late. What is learned meanwhile may
// only allow a unit more, which is found out when it is due.
#include "shared_policies/run/block_watch.hpp"

#include <algorithm>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

void BlockWatch::Learned::add(Seconds wait, Items of) {
  longest = std::max(longest, wait);
  waits += wait;
  items += static_cast<double>(of);
}

Seconds BlockWatch::Learned::expected(Items of) const {
  if (items == 0.0) return longest;
  return std::max(longest, static_cast<double>(of) / items * waits);
}

BlockWatch::BlockWatch(std::size_t units, BlockTimeout timeout, const Looks& looks)
    : timeout_(timeout),
      looks_(looks),
      units_(timeout.rule == BlockTimeout::Rule::none ? 0 : units) {}

/// A time that is taken literally passes whether the executor looks or not.
void BlockWatch::look(Seconds now) {
  if (is_automatic() && now - looked_ > looks_.every) skipped_ += now - looked_ - looks_.every;
  looked_ = std::max(looked_, now);
}

/// The part that counts of the time up to `at`, which is not before the look before the last one by
/// much.
Seconds BlockWatch::counted(Seconds at) const {
  return std::max(at, looked_ - looks_.every) - skipped_;
}

Seconds BlockWatch::allowed(const OfUnit& unit) const {
  if (!is_automatic()) return timeout_.after;
  const Items items = *unit.blocks.rbegin();
  const Seconds expected = unit.learned.expected(items);
  if (!unit.is_new) return std::max(looks_.floor, noise * expected);
  if (!is_judged_) return Seconds::infinity();
  const double bytes = resident_bytes_ + static_cast<double>(items) * bytes_per_item_;
  const Seconds by_all = std::max(expected, difference * all_.expected(items));
  return std::max(looks_.floor, noise * by_all) + Seconds{bytes / slowest_link};
}

void BlockWatch::wait_for(OfUnit& unit, Seconds at) {
  unit.since = at;
  unit.counted = counted(at);
}

void BlockWatch::schedule(UnitId unit) {
  OfUnit& watched = units_[unit.index];
  due_.erase({watched.due, unit.index});
  if (watched.blocks.empty()) return;
  watched.due = watched.counted + allowed(watched);
  due_.emplace(watched.due, unit.index);
}

void BlockWatch::schedule_all() {
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) schedule(UnitId{unit});
}

void BlockWatch::take(OfUnit& unit, Items items) {
  const auto block = unit.blocks.find(items);
  EQ_CHECK(block != unit.blocks.end(), "a block that ends was handed out");
  unit.blocks.erase(block);
}

/// All units were late, and one has answered.
void BlockWatch::begin_again(Seconds at) {
  is_halted_ = false;
  for (OfUnit& unit : units_) unit.counted = counted(at);
  schedule_all();
}

void BlockWatch::begin_iteration(const Workload& workload, int iteration) {
  if (units_.empty() || iteration > 1) return;
  resident_bytes_ = workload.resident_bytes;
  bytes_per_item_ = workload.in_bytes_per_item + workload.out_bytes_per_item;
  for (OfUnit& unit : units_) {
    unit.is_new = true;
    if (iteration == 0) unit.learned = {};
  }
  if (iteration == 0) all_ = {};
  is_judged_ = false;
  schedule_all();
}

void BlockWatch::handed_out(UnitId unit, Items items, Seconds at) {
  if (units_.empty()) return;
  look(at);
  OfUnit& watched = units_[unit.index];
  if (watched.blocks.empty()) wait_for(watched, at);
  watched.blocks.insert(items);
  schedule(unit);
}

void BlockWatch::learn(OfUnit& unit, Items items, Seconds at) {
  const Seconds wait = std::max(Seconds{}, counted(at) - unit.counted);
  unit.learned.add(wait, items);
  all_.add(wait, items);
  unit.is_new = false;
  if (!std::exchange(is_judged_, true)) schedule_all();
}

void BlockWatch::came_back(UnitId unit, Items items, Seconds at, bool is_done) {
  if (units_.empty()) return;
  look(at);
  OfUnit& watched = units_[unit.index];
  take(watched, items);
  if (is_done) learn(watched, items, at);
  wait_for(watched, at);
  schedule(unit);
  if (is_halted_) begin_again(at);
}

void BlockWatch::withdrawn(UnitId unit, Items items) {
  if (units_.empty()) return;
  take(units_[unit.index], items);
  schedule(unit);
}

void BlockWatch::lost(UnitId unit) {
  if (units_.empty()) return;
  OfUnit& watched = units_[unit.index];
  watched.blocks.clear();
  watched.is_present = false;
  schedule(unit);
}

void BlockWatch::joined(UnitId unit, Seconds at) {
  if (units_.empty()) return;
  units_[unit.index].is_present = true;
  units_[unit.index].is_new = true;
  if (is_halted_) begin_again(at);
}

void BlockWatch::answered(UnitId unit, Seconds at) {
  Learned& learned = units_[unit.index].learned;
  learned.longest = std::max(learned.longest, (1.0 / noise) * waited(unit, at));
  joined(unit, at);
}

Seconds BlockWatch::next_late() const {
  if (due_.empty() || is_halted_) return Seconds::infinity();
  return due_.begin()->first + skipped_;
}

std::optional<UnitId> BlockWatch::late(Seconds at) {
  look(at);
  const Seconds now = at - skipped_;
  while (!is_halted_ && !due_.empty() && due_.begin()->first <= now) {
    const UnitId unit{due_.begin()->second};
    schedule(unit);
    if (units_[unit.index].due > now) continue;
    is_halted_ = is_automatic() && are_all_late(now);
    if (!is_halted_) return unit;
  }
  return std::nullopt;
}

/// Whether every unit that is present has blocks and is late.
bool BlockWatch::are_all_late(Seconds now) {
  const auto is_late = [now](const OfUnit& unit) {
    return !unit.is_present || (!unit.blocks.empty() && unit.due <= now);
  };
  if (!std::ranges::all_of(units_, is_late)) return false;
  schedule_all();
  return std::ranges::all_of(units_, is_late);
}

}  // namespace equipoise
