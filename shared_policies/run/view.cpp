// Updates the state of a run with each of its events.
#include "shared_policies/run/view.hpp"

#include <algorithm>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

View::View(std::vector<Unit> units, std::vector<Workload> phases) : phases_(std::move(phases)) {
  EQ_CHECK(!phases_.empty(), "a run has at least one workload");
  units_.reserve(units.size());
  for (Unit& unit : units) {
    UnitState state;
    state.id = UnitId{static_cast<std::uint32_t>(units_.size())};
    state.unit = std::move(unit);
    if (state.unit.is_remote) remote_units_[state.unit.node].push_back(state.id);
    units_.push_back(std::move(state));
  }
  residents_.resize(units_.size());
  begin_phase(0);
}

void View::begin_phase(int phase) {
  phase_ = phase;
  iteration_ = 0;
  fill_pool();
  for (UnitState& unit : units_) unit.cap_items = largest_block(unit.unit, workload());
  for (Residents& of : residents_) of = {std::nullopt, std::nullopt, of.has_original};
}

void View::fill_pool() {
  pool_ = Pool(part_.value_or(ItemRange{0, workload().items}), workload().grain_items);
}

void View::begin_part(int phase, ItemRange range) {
  const bool is_first = !part_ || phase != phase_;
  part_.reset();
  if (is_first) begin_phase(phase);
  part_ = range;
  phases_[static_cast<std::size_t>(phase)].items = range.items;
}

void View::include(const Event& event) {
  pass(event.at);
  if (const auto* finished = std::get_if<BlockFinished>(&event.what)) {
    remove(units_[finished->unit.index].outstanding, finished->block.id);
    --outstanding_;
    learn(finished->unit, finished->block, finished->times);
  } else if (const auto* lost = std::get_if<BlockLost>(&event.what)) {
    lose(*lost);
  } else if (const auto* late = std::get_if<LateEnd>(&event.what)) {
    remove(units_[late->unit.index].going_on, late->block.id);
    --going_on_;
    if (late->times.compute > Seconds{}) learn(late->unit, late->block, late->times);
  } else if (const auto* probed = std::get_if<Probed>(&event.what)) {
    std::erase_if(units_[probed->unit.index].probes, [&](const OutstandingProbe& entry) {
      return entry.probe.id == probed->probe.id;
    });
    --probes_;
  } else if (const auto* gone = std::get_if<UnitLost>(&event.what)) {
    mark_absent(gone->unit);
  } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
    units_[joined->unit.index].present = true;
  } else if (const auto* phase = std::get_if<PhaseStarted>(&event.what)) {
    if (!part_) begin_phase(phase->phase);
  } else if (const auto* iteration = std::get_if<IterationStarted>(&event.what)) {
    iteration_ = iteration->iteration;
    fill_pool();
  }
}

void View::lose(const BlockLost& lost) {
  UnitState& unit = units_[lost.unit.index];
  const OutstandingBlock block = remove(unit.outstanding, lost.block.id);
  --outstanding_;
  if (lost.goes_on) {
    unit.going_on.push_back(block);
    ++going_on_;
  }
  if (lost.returns_items) pool_.put_back({lost.block.first, lost.block.items});
  unit.cap_items = std::min(unit.cap_items, lost.cap_items.value_or(unit.cap_items));
}

void View::mark_absent(UnitId unit) {
  UnitState& state = units_[unit.index];
  state.present = false;
  going_on_ -= state.going_on.size();
  state.going_on.clear();
  residents_[unit.index] = {std::nullopt, std::nullopt, false};
}

void View::grant(const OutstandingBlock& block, UnitId unit) {
  units_[unit.index].outstanding.push_back(block);
  if (!block.block.copy_of) pool_.take({block.block.first, block.block.items});
  ++outstanding_;
  pass(block.assigned);
}

void View::grant(const OutstandingProbe& probe, UnitId unit) {
  units_[unit.index].probes.push_back(probe);
  ++probes_;
  pass(probe.asked);
}

void View::learn(UnitId unit, const Block& block, const StageTimes& times) {
  if (block.phase != phase_) return;  // it ends late
  Residents& of = residents_[unit.index];
  of.iteration = std::max(of.iteration.value_or(0), block.iteration);
  const bool had_them = is_replicated_to(unit) && block.iteration == 0;
  if (times.setup > Seconds{} && !had_them) of.sent = block.iteration;
}

bool View::is_replicated_to(UnitId unit) const {
  return workload().distribution == Distribution::replicated && residents_[unit.index].has_original;
}

/// Whether the unit has the data of this iteration for certain.
bool View::has_current(UnitId unit) const {
  const std::optional<int> has = residents_[unit.index].iteration
                                     ? residents_[unit.index].iteration
                                     : (is_replicated_to(unit) ? std::optional(0) : std::nullopt);
  return has && (*has == iteration_ || workload().iteration_bytes == 0.0);
}

/// Whether the unit has a block that needs the data of this iteration.
bool View::is_getting(const UnitState& unit) const {
  const auto needs_them = [this](const OutstandingBlock& b) {
    return b.block.phase == phase_ && b.block.iteration == iteration_;
  };
  return std::ranges::any_of(unit.outstanding, needs_them) ||
         std::ranges::any_of(unit.going_on, needs_them);
}

DataPlace View::resident_data(UnitId unit) const {
  const UnitState& state = units_[unit.index];
  if (workload().resident_bytes == 0.0 || has_current(unit)) return DataPlace::here;
  if (is_getting(state)) return DataPlace::coming;
  const Unit& of = state.unit;
  if (!of.is_remote) {
    const bool shares_memory = of.kind == UnitKind::cpu || of.copy_engines == 0;
    return shares_memory ? DataPlace::node : DataPlace::master;
  }
  DataPlace place = DataPlace::master;
  for (const UnitId other : remote_units_.at(of.node)) {
    if (other == unit) continue;
    if (residents_[other.index].sent == iteration_) return DataPlace::node;
    if (!has_current(other) && is_getting(this->unit(other))) place = DataPlace::coming;
  }
  return place;
}

double View::resident_bytes_to_send(UnitId unit) const {
  if (resident_data(unit) != DataPlace::master) return 0.0;
  if (residents_[unit.index].iteration) return workload().iteration_bytes;
  return is_replicated_to(unit) ? workload().first_bytes(iteration_) : workload().resident_bytes;
}

void View::pass(Seconds now) { now_ = std::max(now_, now); }

OutstandingBlock View::remove(std::deque<OutstandingBlock>& blocks, std::uint64_t block_id) {
  const auto found = std::find_if(blocks.begin(), blocks.end(),
                                  [&](const auto& entry) { return entry.block.id == block_id; });
  EQ_CHECK(found != blocks.end(), "a block that came back was handed out");
  OutstandingBlock block = *found;
  blocks.erase(found);
  return block;
}

}  // namespace equipoise
