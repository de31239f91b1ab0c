// Translates units between levels, and tells records of nodes from those of units.
#include "shared_policies/run/two_levels.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace equipoise {

std::vector<Unit> NodeOfRun::units_of(std::span<const Unit> all) const {
  std::vector<Unit> own;
  for (const UnitId id : units) {
    own.push_back(all[id.index]);
    own.back().is_remote = false;
    if (own.back().kind == UnitKind::cpu) own.back().copy_engines = 0;
  }
  return own;
}

RunSetup setup_of_master(std::span<const NodeOfRun> nodes, std::vector<Workload> phases) {
  RunSetup setup;
  for (const NodeOfRun& node : nodes) setup.units.push_back(node.unit);
  setup.phases = std::move(phases);
  setup.may_take_back = false;
  return setup;
}

RunSetup setup_of_agent(std::size_t node, std::vector<Unit> units, std::vector<Workload> phases) {
  RunSetup setup;
  setup.units = std::move(units);
  setup.phases = std::move(phases);
  setup.first_block = first_block_of(node);
  return setup;
}

std::vector<NodeOfRun> nodes_of(std::span<const Unit> units) {
  std::vector<NodeOfRun> nodes;
  for (std::uint32_t i = 0; i < units.size(); ++i) {
    const Unit& unit = units[i];
    const std::string name = unit.node.empty() ? "master" : unit.node;
    auto node = std::ranges::find(nodes, name, [](const NodeOfRun& of) { return of.unit.name; });
    if (node == nodes.end()) {
      node = nodes.emplace(nodes.end());
      node->unit.name = name;
      node->unit.node = name;
      node->unit.is_remote = unit.is_remote;
      node->unit.copy_engines = unit.is_remote ? 2 : 0;
      node->unit.slots = 2;
    }
    node->units.push_back(UnitId{i});
  }
  return nodes;
}

void LevelJournal::block(const BlockRecord& record) {
  BlockRecord whole = record;
  whole.unit = ids_[record.unit.index];
  whole.node = node_;
  next_.block(whole);
}

void LevelJournal::decision(const DecisionRecord& record) {
  DecisionRecord whole = record;
  if (whole.decision.unit) whole.decision.unit = ids_[whole.decision.unit->index];
  for (UnitEstimate& estimate : whole.decision.estimates) {
    estimate.unit = ids_[estimate.unit.index];
  }
  whole.node = node_;
  next_.decision(whole);
}

void LevelJournal::event(const EventRecord& record) {
  EventRecord whole = record;
  std::visit(
      [this](auto& what) {
        if constexpr (requires { what.unit = UnitId{}; }) what.unit = ids_[what.unit.index];
      },
      whole.what);
  whole.node = node_;
  next_.event(whole);
}

void LevelJournal::measured(const Measured& record) {
  Measured whole = record;
  whole.node = node_;
  next_.measured(whole);
}

void UnitRecords::block(const BlockRecord& record) {
  if (!is_node(record.unit)) return take(record);
  release(record.unit);
  node_ended_(record.end);
}

void UnitRecords::decision(const DecisionRecord& record) {
  DecisionRecord known = record;
  if (known.decision.unit && is_node(*known.decision.unit)) known.decision.unit.reset();
  std::erase_if(known.decision.estimates,
                [&](const UnitEstimate& estimate) { return is_node(estimate.unit); });
  take(known);
}

void UnitRecords::event(const EventRecord& record) {
  const std::optional<UnitId> unit = unit_of(record.what);
  if (unit && is_node(*unit)) return event_of_node(*unit, record.what);
  if (record.node && std::holds_alternative<IterationBegin>(record.what)) return;
  take(record);
}

void UnitRecords::measured(const Measured& record) { next_.measured(record); }

void UnitRecords::finish() {
  while (!held_.empty()) release(held_.begin()->first);
}

void UnitRecords::event_of_node(UnitId node, const RunEvent& what) {
  if (std::holds_alternative<UnitLost>(what)) {
    lost_.insert(node);
    release_lost(node);
  } else if (std::holds_alternative<UnitJoined>(what)) {
    lost_.erase(node);
  }
}

template <class Record>
void UnitRecords::take(const Record& record) {
  if (!record.node) return tell({0, record}, next_);
  held_[*record.node].push_back({0, record});
  if (lost_.contains(*record.node)) release_lost(*record.node);
}

void UnitRecords::release(UnitId node) {
  const auto held = held_.extract(node);
  if (held.empty()) return;
  for (const RecordedLine& line : held.mapped()) tell(line, next_);
}

/// The parts come after the losses of their units, which took them along.
void UnitRecords::release_lost(UnitId node) {
  const auto held = held_.extract(node);
  if (held.empty()) return;
  for (const RecordedLine& line : held.mapped()) {
    if (!std::holds_alternative<BlockRecord>(line.what)) tell(line, next_);
  }
  for (const RecordedLine& line : held.mapped()) {
    if (const auto* const part = std::get_if<BlockRecord>(&line.what)) lose(*part);
  }
}

void UnitRecords::lose(const BlockRecord& part) {
  next_.event(
      {part.end, LostBlock{part.unit, part.block, part.assigned, part.after_events}, part.node});
}

}  // namespace equipoise
