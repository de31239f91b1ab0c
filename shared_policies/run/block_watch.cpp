// Keeps the units with blocks in the order in which they will be late.
#include "shared_policies/run/block_watch.hpp"

namespace equipoise {

BlockWatch::BlockWatch(std::size_t units, Seconds timeout)
    : timeout_(timeout), units_(timeout < Seconds::infinity() ? units : 0) {}

void BlockWatch::handed_out(UnitId unit, Seconds at) {
  if (units_.empty()) return;
  if (units_[unit.index].blocks++ == 0) count_from(unit, at);
}

void BlockWatch::came_back(UnitId unit, Seconds at) {
  if (units_.empty()) return;
  OfUnit& watched = units_[unit.index];
  due_.erase({watched.late_at, unit.index});
  if (--watched.blocks > 0) count_from(unit, at);
}

void BlockWatch::withdrawn(UnitId unit) {
  if (units_.empty()) return;
  OfUnit& watched = units_[unit.index];
  if (--watched.blocks == 0) due_.erase({watched.late_at, unit.index});
}

void BlockWatch::lost(UnitId unit) {
  if (units_.empty()) return;
  OfUnit& watched = units_[unit.index];
  if (watched.blocks > 0) due_.erase({watched.late_at, unit.index});
  watched.blocks = 0;
}

void BlockWatch::count_from(UnitId unit, Seconds at) {
  units_[unit.index].late_at = at + timeout_;
  due_.emplace(units_[unit.index].late_at, unit.index);
}

Seconds BlockWatch::next_late() const {
  return due_.empty() ? Seconds::infinity() : due_.begin()->first;
}

bool BlockWatch::is_late(UnitId unit, Seconds at) const {
  return !units_.empty() && units_[unit.index].blocks > 0 && units_[unit.index].late_at <= at;
}

}  // namespace equipoise
