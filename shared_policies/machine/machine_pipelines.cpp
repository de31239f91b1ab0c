// Advances the pipelines of a device together, and gives its copy engines to them.
#include "shared_policies/machine/machine_pipelines.hpp"

#include <algorithm>
#include <tuple>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

void MachinePipelines::add_unit(int copy_engines, const std::string& device,
                                PipelineStages& stages) {
  const auto unit = static_cast<std::uint32_t>(units_.size());
  units_.emplace_back(UnitId{unit}, copy_engines, stages);
  asking_.emplace_back();
  first_.push_back(unit);
  if (device.empty()) return;
  const std::uint32_t first = by_name_.try_emplace(device, unit).first->second;
  first_.back() = first;
  if (first == unit) return;
  EQ_CHECK(copy_engines > 0 && units_[first].is_duplex_ == (copy_engines == 2) &&
               !units_[first].copies_itself_,
           "units of one device have the same number of copy engines");
  std::vector<std::uint32_t>& units = shared_[first].units;
  if (units.empty()) units.push_back(first);
  units.push_back(unit);
}

void MachinePipelines::advance(UnitId device, Seconds until) {
  const auto shared = shared_.find(device.index);
  if (shared == shared_.end()) {
    units_[device.index].advance(until);
    return;
  }
  SharedDevice& together = shared->second;
  for (Seconds at = next_change(together); at <= until; at = next_change(together)) {
    while (step(together, at)) continue;
  }
  together.advanced_to = std::max(together.advanced_to, until);
}

Seconds MachinePipelines::next_date(UnitId device) const {
  const auto shared = shared_.find(device.index);
  if (shared != shared_.end()) return next_change(shared->second);
  if (first_[device.index] != device.index) return Seconds::infinity();
  return units_[device.index].next_date();
}

Fate MachinePipelines::take_back(UnitId unit, const Block& block, Seconds now) {
  UnitPipeline& pipeline = units_[unit.index];
  const bool is_next = pipeline.copied_in_ < pipeline.queue_.size() &&
                       pipeline.queue_[pipeline.copied_in_].work.block.id == block.id;
  const Fate taken = pipeline.take_back(block, now);
  // The block behind it asks for an engine when it is ready.
  if (taken == Fate::not_begun && is_next) asking_[unit.index].in.reset();
  return taken;
}

std::optional<UnitId> MachinePipelines::unit_with(std::uint64_t original) const {
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
    if (units_[unit].has(original)) return UnitId{unit};
  }
  return std::nullopt;
}

std::size_t MachinePipelines::give_up(UnitId unit, Seconds now) {
  const std::size_t going_on = units_[unit.index].give_up(now);
  asking_[unit.index].in.reset();
  return going_on;
}

void MachinePipelines::clear(UnitId unit) {
  units_[unit.index].clear();
  asking_[unit.index] = {};
}

/// A copy that takes no time ends before anything else begins, so it takes no engine.
MachinePipelines::FreeEngines MachinePipelines::free_engines(const SharedDevice& device) const {
  FreeEngines free;
  for (const std::uint32_t unit : device.units) {
    if (units_[unit].is_taking_in()) free.in = false;
    if (units_[unit].running(Stage::out).is_busy) free.out = false;
  }
  if (!units_[device.units.front()].is_duplex_) free.in = free.out = free.in && free.out;
  return free;
}

/// The next time at which something happens on the device; not before it was advanced to, because
/// an engine may have become free by a loss.
Seconds MachinePipelines::next_change(const SharedDevice& device) const {
  const FreeEngines free = free_engines(device);
  Seconds date = Seconds::infinity();
  for (const std::uint32_t unit : device.units) {
    date = std::min({date, units_[unit].next_end(), next_entry(unit, free)});
    if (asking_[unit].out && free.out) date = std::min(date, *asking_[unit].out);
    if (asking_[unit].stream && free.in) date = std::min(date, *asking_[unit].stream);
  }
  return std::max(date, device.advanced_to);
}

/// When the next block of `unit` enters its first stage or asks for an engine.
Seconds MachinePipelines::next_entry(std::uint32_t unit, const FreeEngines& free) const {
  if (!asking_[unit].in) return units_[unit].entry_date_with_engine();
  return free.in ? *asking_[unit].in : Seconds::infinity();
}

/// One thing that happens at `at`; false if there is nothing more.
bool MachinePipelines::step(const SharedDevice& device, Seconds at) {
  for (const std::uint32_t unit : device.units) {
    if (units_[unit].end_one(at)) return true;
    if (units_[unit].wants_to_compute() && !units_[unit].would_stream(at)) {
      units_[unit].begin(Stage::compute, at);
      return true;
    }
  }
  for (const std::uint32_t unit : device.units) {
    if (begin_without_engine(unit, at)) return true;
    ask(unit, at);
  }
  const std::optional<Copy> first = first_copy(device);
  if (first) begin(*first, at);
  return first.has_value();
}

/// Begins a copy of `unit` that takes no time.
bool MachinePipelines::begin_without_engine(std::uint32_t unit, Seconds at) {
  UnitPipeline& pipeline = units_[unit];
  if (pipeline.wants_out() && pipeline.duration(0, Stage::out, at) == Seconds{}) {
    begin({unit, CopyKind::out, at}, at);
    return true;
  }
  if (pipeline.entry_date_with_engine() > at || pipeline.needs_engine_to_enter(at)) return false;
  begin({unit, CopyKind::in, at}, at);
  return true;
}

void MachinePipelines::ask(std::uint32_t unit, Seconds at) {
  Asking& asking = asking_[unit];
  if (!asking.out && units_[unit].wants_out()) asking.out = at;
  if (!asking.stream && units_[unit].wants_to_compute()) asking.stream = at;
  if (!asking.in && units_[unit].entry_date_with_engine() <= at) asking.in = at;
}

/// The copy whose turn it is, if its engine is free.
std::optional<MachinePipelines::Copy> MachinePipelines::first_copy(
    const SharedDevice& device) const {
  const FreeEngines free = free_engines(device);
  const bool is_duplex = units_[device.units.front()].is_duplex_;
  std::optional<Copy> first;
  const auto consider = [&](const Copy& copy) {
    const auto rank = [](const Copy& of) { return std::tuple(of.since, of.kind, of.unit); };
    if (!first || rank(copy) < rank(*first)) first = copy;
  };
  for (const std::uint32_t unit : device.units) {
    const Asking& asking = asking_[unit];
    if (asking.out && free.out) consider({unit, CopyKind::out, *asking.out});
    if (!free.in || (!is_duplex && asking.out)) continue;
    if (asking.stream) consider({unit, CopyKind::stream, *asking.stream});
    if (asking.in) consider({unit, CopyKind::in, *asking.in});
  }
  return first;
}

void MachinePipelines::begin(const Copy& copy, Seconds at) {
  Asking& asking = asking_[copy.unit];
  UnitPipeline& pipeline = units_[copy.unit];
  switch (copy.kind) {
    case CopyKind::out:
      asking.out.reset();
      return pipeline.begin(Stage::out, at);
    case CopyKind::stream:
      asking.stream.reset();
      return pipeline.begin(Stage::compute, at);
    case CopyKind::in:
      asking.in.reset();
      return pipeline.enter(at);
  }
}

}  // namespace equipoise
