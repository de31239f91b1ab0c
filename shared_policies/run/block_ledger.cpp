// Follows each block, and each copy of one, to the one end that it has.
#include "shared_policies/run/block_ledger.hpp"

#include <algorithm>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

void BlockLedger::begin_iteration(const Workload& workload) {
  pool_ = Pool(workload.items, workload.grain_items);
  coverage_ = Coverage();
}

const OutstandingBlock* BlockLedger::find(UnitId unit, std::uint64_t id) const {
  const auto& blocks = view_.unit(unit).outstanding;
  const auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](const auto& b) { return b.block.id == id; });
  return found == blocks.end() ? nullptr : &*found;
}

Items BlockLedger::hand_out(UnitId unit, Items items, BlockTag tag, std::uint32_t group) {
  const ItemRange range = pool_.cut(items, view_.unit(unit).cap_items);
  start({blocks_granted_++, range.first, range.items, view_.phase(), view_.iteration(), tag, group},
        unit);
  return range.items;
}

void BlockLedger::start(const Block& block, UnitId unit) {
  view_.grant(OutstandingBlock{block, executor_.start(block, unit), events_}, unit);
  if (view_.unit(unit).is_idle()) offered_.add(unit);
}

bool BlockLedger::take_back(UnitId unit, std::uint64_t id) {
  const OutstandingBlock lost = *find(unit, id);
  const Executor::TakenBack taken = executor_.take_back(lost.block, unit);
  if (taken.fate == Fate::too_late) return false;
  drop(unit, lost, LostBy::take_back, taken);
  return true;
}

bool BlockLedger::can_give_twice(std::uint64_t id, UnitId of, UnitId unit) const {
  const OutstandingBlock* const found = find(of, id);
  const UnitState& to = view_.unit(unit);
  const bool has_copy = std::ranges::any_of(
      copies_, [id](const auto& pair) { return pair.first.id == id || pair.second.id == id; });
  return found != nullptr && unit != of && to.present && !has_copy &&
         found->block.items <= to.cap_items;
}

Items BlockLedger::give_twice(std::uint64_t id, UnitId of, UnitId unit) {
  Block copy = find(of, id)->block;
  copy.copy_of = copy.original();
  copy.id = blocks_granted_++;
  copy.group = 0;
  copies_.push_back({{of, id}, {unit, copy.id}});
  start(copy, unit);
  return copy.items;
}

void BlockLedger::probe(UnitId unit, Probe probe) {
  probe.id = probes_granted_++;
  const Seconds asked = executor_.probe(probe, unit);
  view_.grant(OutstandingProbe{probe, asked}, unit);
  tell({asked, ProbeBegin{unit, probe, blocks_granted_}});
}

std::optional<Event> BlockLedger::untold() {
  if (untold_.empty()) return std::nullopt;
  const Event next = untold_.front();
  untold_.pop_front();
  return next;
}

void BlockLedger::finish(const Event& event, const BlockFinished& finished) {
  const OutstandingBlock* const found = find(finished.unit, finished.block.id);
  if (found == nullptr) return;  // a late result of a block that was already lost
  coverage_.add({finished.block.first, finished.block.items});
  journal_.block({finished.unit, finished.block, finished.assigned, finished.times, finished.begins,
                  event.at, found->after_events});
  ++events_;
  view_.include(event);
  if (const std::optional<Handed> copy = part_from_copy(finished.block.id)) {
    const OutstandingBlock lost = *find(copy->unit, copy->id);
    Executor::TakenBack taken = executor_.take_back(lost.block, copy->unit);
    // Its late end, or the loss of its unit, was not reported yet.
    if (taken.fate == Fate::too_late) taken.fate = Fate::goes_on;
    drop(copy->unit, lost, LostBy::copy, taken);
  }
  answer_(event);
  offered_.add(finished.unit);
}

void BlockLedger::end_late(const Event& event, const LateEnd& late) {
  std::optional<Event> loss;
  if (const OutstandingBlock* const found = find(late.unit, late.block.id)) {
    // Its copy copies the results, and has not ended; or the unit with the copy is lost by now.
    const bool has_copy = part_from_copy(late.block.id).has_value();
    loss = record_loss(late.unit, *found, LostBy::copy, {Fate::goes_on, event.at}, !has_copy);
  } else {
    const auto& going_on = view_.unit(late.unit).going_on;
    const auto is_it = [&](const OutstandingBlock& b) { return b.block.id == late.block.id; };
    if (std::ranges::none_of(going_on, is_it)) return;  // its unit was lost meanwhile
  }
  tell({event.at, late});  // right behind the loss: see journal_check.cpp
  if (loss) {
    view_.include(*loss);
    answer_(*loss);
  }
  view_.include(event);
  answer_(event);
  offered_.add(late.unit);
}

void BlockLedger::end_probe(const Event& event, const Probed& probed) {
  const auto& under_way = view_.unit(probed.unit).probes;
  const auto is_it = [&](const OutstandingProbe& p) { return p.probe.id == probed.probe.id; };
  if (std::ranges::none_of(under_way, is_it)) return;  // its unit was lost meanwhile
  tell({event.at, probed});
  view_.include(event);
  answer_(event);
}

void BlockLedger::lose(Seconds at, const BlockLost& lost) {
  const OutstandingBlock* const found = find(lost.unit, lost.block.id);
  if (found == nullptr) return;
  const Block block = found->block;
  // A unit may be lost while the master is busy, before the block is handed out.
  at = std::max(at, found->assigned);
  const bool returns_items = !part_from_copy(block.id);
  if (returns_items) pool_.put_back({block.first, block.items});
  tell({at, LostBlock{lost.unit, block, found->assigned, found->after_events, lost.cap_items}});
  const Event event{
      at, BlockLost{lost.unit, block, lost.cap_items, LostBy::unit, false, returns_items}};
  view_.include(event);
  answer_(event);
  if (returns_items) offer_all();
  offered_.add(lost.unit);
}

/// The journal records the loss of the unit before the losses of its blocks and the ends of its
/// probes: the cause comes first.
void BlockLedger::lose_unit(const Event& event, UnitId unit) {
  view_.mark_absent(unit);
  tell({event.at, UnitLost{unit}});
  while (!view_.unit(unit).outstanding.empty()) {
    lose(event.at, {unit, view_.unit(unit).outstanding.front().block});
  }
  while (!view_.unit(unit).probes.empty()) {
    const OutstandingProbe probe = view_.unit(unit).probes.front();
    const Seconds at = std::max(event.at, probe.asked);
    const Probed ended{unit, probe.probe};
    end_probe({at, ended}, ended);
  }
  view_.include(event);
  answer_(event);
}

/// Records that `lost` of `unit` was taken back, or that a copy of it is done or copies results.
/// Returns what the policy is to be told.
Event BlockLedger::record_loss(UnitId unit, const OutstandingBlock& lost, LostBy by,
                               const Executor::TakenBack& taken, bool returns_items) {
  const Block& block = lost.block;
  const bool goes_on = taken.fate == Fate::goes_on;
  if (returns_items) pool_.put_back({block.first, block.items});
  tell({taken.at,
        LostBlock{unit, block, lost.assigned, lost.after_events, std::nullopt, by, goes_on}});
  if (returns_items) offer_all();
  offered_.add(unit);
  return {taken.at, BlockLost{unit, block, std::nullopt, by, goes_on, returns_items}};
}

/// The same, of a block that the policy's own call has lost: it is told when that is over.
void BlockLedger::drop(UnitId unit, const OutstandingBlock& lost, LostBy by,
                       const Executor::TakenBack& taken) {
  const bool returns_items = by == LostBy::take_back && !part_from_copy(lost.block.id);
  untold_.push_back(record_loss(unit, lost, by, taken, returns_items));
  view_.include(untold_.back());
}

/// If `id` and another outstanding block have the same items, forgets that and returns the other.
std::optional<BlockLedger::Handed> BlockLedger::part_from_copy(std::uint64_t id) {
  for (auto pair = copies_.begin(); pair != copies_.end(); ++pair) {
    if (pair->first.id != id && pair->second.id != id) continue;
    const Handed other = pair->first.id == id ? pair->second : pair->first;
    copies_.erase(pair);
    return other;
  }
  return std::nullopt;
}

void BlockLedger::offer_all() {
  for (const UnitState& unit : view_.units()) offered_.add(unit.id);
}

void BlockLedger::tell(const EventRecord& record) {
  journal_.event(record);
  if (is_counted(record.what)) ++events_;
}

void BlockLedger::tell_outstanding() {
  for (const UnitState& unit : view_.units()) {
    for (const OutstandingBlock& b : unit.outstanding) {
      tell({view_.now(), UnfinishedBlock{unit.id, b.block, b.assigned, b.after_events}});
    }
  }
}

}  // namespace equipoise
