// Keeps the units with blocks in the order in which they will be late. What is learned meanwhile
// may only allow a unit more, which is found out when it is due.
#include "shared_policies/run/block_watch.hpp"

#include <algorithm>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

double bytes_of(const Probe& probe) { return probe.there_bytes + probe.back_bytes.value_or(0.0); }

}  // namespace

void BlockWatch::Learned::add(Seconds wait, Items of) {
  longest = std::max(longest, wait);
  waits += wait;
  items += static_cast<double>(of);
}

Seconds BlockWatch::Learned::expected(Items of) const {
  if (items == 0.0) return longest;
  return std::max(longest, static_cast<double>(of) / items * waits);
}

void BlockWatch::Shown::add(const Learned& learned) {
  longest = std::max(longest, learned.longest);
  item = std::max(item, (1.0 / learned.items) * learned.waits);
}

void BlockWatch::Shown::add(const Shown& of) {
  longest = std::max(longest, of.longest);
  item = std::max(item, of.item);
}

Seconds BlockWatch::Shown::expected(Items of) const {
  return std::max(longest, static_cast<double>(of) * item);
}

BlockWatch::BlockWatch(const std::vector<UnitKind>& units, BlockTimeout timeout, const Looks& looks)
    : timeout_(timeout), looks_(looks) {
  if (timeout.rule == BlockTimeout::Rule::none) return;
  for (const UnitKind kind : units) units_.emplace_back().kind = kind;
}

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
  Seconds allowed = unit.older_allowed;
  if (!unit.blocks.empty()) allowed = std::max(allowed, allowed_block(unit));
  if (unit.probes > 0) allowed = std::max(allowed, allowed_probe(unit));
  return allowed;
}

Seconds BlockWatch::allowed_block(const OfUnit& unit) const {
  const Items items = *unit.blocks.rbegin();
  Seconds allowed = std::max(looks_.floor, noise * unit.learned.expected(items));
  if (unit.learned.items == 0.0) allowed = std::max(allowed, allowed_by_others(unit.kind, items));
  if (!unit.may_be_set_up) return allowed;
  const double bytes = resident_bytes_ + static_cast<double>(items) * bytes_per_item_;
  return allowed + std::max(longest_setup_, Seconds{bytes / slowest_link});
}

Seconds BlockWatch::allowed_by_others(UnitKind kind, Items items) const {
  const auto own = shown_.find(kind);
  if (own != shown_.end()) return noise * own->second.expected(items);
  if (shown_.empty()) return Seconds::infinity();
  Shown all;
  for (const auto& [other, shown] : shown_) all.add(shown);
  return (kind == UnitKind::cpu ? difference : noise) * all.expected(items);
}

Seconds BlockWatch::allowed_probe(const OfUnit& unit) const {
  if (!has_heard_) return Seconds::infinity();
  return std::max(looks_.floor, noise * longest_probe_) + Seconds{unit.probe_bytes / slowest_link};
}

void BlockWatch::wait_for(OfUnit& unit, Seconds at) {
  unit.since = at;
  unit.counted = counted(at);
}

void BlockWatch::schedule(UnitId unit) {
  OfUnit& watched = units_[unit.index];
  due_.erase({watched.due, unit.index});
  if (!watched.is_waited_for()) return;
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

void BlockWatch::take_older(OfUnit& unit) {
  EQ_CHECK(unit.older > 0, "a block that ends was handed out");
  if (--unit.older == 0) unit.older_allowed = {};
}

/// All units were late, and one has answered.
void BlockWatch::begin_again(Seconds at) {
  is_halted_ = false;
  for (OfUnit& unit : units_) unit.counted = counted(at);
  schedule_all();
}

void BlockWatch::begin_iteration(int phase, const Workload& workload) {
  if (units_.empty()) return;
  const bool is_new_phase = std::exchange(phase_, phase) != phase;
  for (OfUnit& unit : units_) {
    if (unit.has_blocks()) unit.older_allowed = allowed(unit);
    unit.older += unit.blocks.size();
    unit.blocks.clear();
    unit.may_be_set_up = true;
    if (is_new_phase) unit.learned = {};
  }
  if (is_new_phase) {
    shown_.clear();
    longest_setup_ = {};
  }
  first_block_ = no_block;
  resident_bytes_ = workload.resident_bytes;
  bytes_per_item_ = workload.in_bytes_per_item + workload.out_bytes_per_item;
  schedule_all();
}

void BlockWatch::handed_out(UnitId unit, const Block& block, Seconds at) {
  if (units_.empty()) return;
  look(at);
  first_block_ = std::min(first_block_, block.id);
  OfUnit& watched = units_[unit.index];
  if (!watched.is_waited_for()) wait_for(watched, at);
  watched.blocks.insert(block.items);
  schedule(unit);
}

void BlockWatch::learn(OfUnit& unit, Items items, Seconds at, Seconds setup) {
  const Seconds wait = std::max(Seconds{}, counted(at) - unit.counted - setup);
  unit.learned.add(wait, items);
  unit.may_be_set_up = false;
  longest_setup_ = std::max(longest_setup_, setup);
  const auto [shown, is_first] = shown_.try_emplace(unit.kind);
  shown->second.add(unit.learned);
  if (is_first) schedule_all();
}

void BlockWatch::came_back(UnitId unit, const Block& block, Seconds at, Seconds setup,
                           bool is_done) {
  if (units_.empty()) return;
  look(at);
  OfUnit& watched = units_[unit.index];
  if (block.id < first_block_) {
    take_older(watched);
  } else {
    take(watched, block.items);
    if (is_done) learn(watched, block.items, at, setup);
  }
  hear_from(unit, at);
}

/// Something has come back from the unit.
void BlockWatch::hear_from(UnitId unit, Seconds at) {
  units_[unit.index].stop_waiting_at = {};
  wait_for(units_[unit.index], at);
  schedule(unit);
  if (!std::exchange(has_heard_, true)) schedule_all();
  if (is_halted_) begin_again(at);
}

void BlockWatch::probe_sent(UnitId unit, const Probe& probe, Seconds at) {
  if (units_.empty()) return;
  look(at);
  OfUnit& watched = units_[unit.index];
  if (!watched.is_waited_for()) wait_for(watched, at);
  ++watched.probes;
  watched.probe_bytes += bytes_of(probe);
  schedule(unit);
}

void BlockWatch::probe_ended(UnitId unit, const Probe& probe, Seconds at) {
  if (units_.empty()) return;
  look(at);
  OfUnit& watched = units_[unit.index];
  EQ_CHECK(watched.probes > 0, "a probe that ends was sent");
  watched.probe_bytes = --watched.probes == 0 ? 0.0 : watched.probe_bytes - bytes_of(probe);
  if (!watched.has_blocks()) {
    longest_probe_ = std::max(longest_probe_, counted(at) - watched.counted);
  }
  hear_from(unit, at);
}

void BlockWatch::withdrawn(UnitId unit, Items items) {
  if (units_.empty()) return;
  take(units_[unit.index], items);
  schedule(unit);
  if (!is_halted_ || units_[unit.index].is_waited_for()) return;
  is_halted_ = false;  // this unit is free: not all are late
  schedule_all();
}

void BlockWatch::lost(UnitId unit) {
  if (units_.empty()) return;
  OfUnit& watched = units_[unit.index];
  watched.blocks.clear();
  watched.older = watched.probes = 0;
  watched.older_allowed = {};
  watched.probe_bytes = 0.0;
  watched.is_present = false;
  schedule(unit);
}

void BlockWatch::joined(UnitId unit, Seconds at) {
  if (units_.empty()) return;
  units_[unit.index].is_present = true;
  units_[unit.index].may_be_set_up = true;
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
    if (!is_halted_) {
      set_end_of_waiting(units_[unit.index]);
      return unit;
    }
    for (OfUnit& one : units_) set_end_of_waiting(one);
  }
  return std::nullopt;
}

/// The unit is late. Says when it will have been waited for `noise` times as long.
void BlockWatch::set_end_of_waiting(OfUnit& unit) const {
  if (unit.is_present) unit.stop_waiting_at = unit.counted + noise * (unit.due - unit.counted);
}

Seconds BlockWatch::stop_waiting_at() const {
  if (!is_automatic()) return Seconds::infinity();
  Seconds last;
  for (const OfUnit& unit : units_) {
    if (unit.is_present && !is_halted_) return Seconds::infinity();
    last = std::max(last, unit.stop_waiting_at);
  }
  return last + skipped_;
}

/// Whether every unit that is present is waited for and late.
bool BlockWatch::are_all_late(Seconds now) {
  const auto is_late = [now](const OfUnit& unit) {
    return !unit.is_present || (unit.is_waited_for() && unit.due <= now);
  };
  if (!std::ranges::all_of(units_, is_late)) return false;
  schedule_all();
  return std::ranges::all_of(units_, is_late);
}

}  // namespace equipoise
