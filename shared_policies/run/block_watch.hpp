// How long units keep their blocks: the rule by which executors find that a silent unit is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// Watches the units of an executor. A unit that has blocks is late when `timeout` has passed since
/// its last block came back or, if it had none since, since the first of them was handed out. O(log
/// units) for each call; O(1) if `timeout` is infinite, then no unit is ever late.
class BlockWatch {
 public:
  BlockWatch(std::size_t units, Seconds timeout);

  /// `unit` gets a block.
  void handed_out(UnitId unit, Seconds at);
  /// A block of `unit` came back, done or lost.
  void came_back(UnitId unit, Seconds at);
  /// A block of `unit`, which it had not begun, was taken back.
  void withdrawn(UnitId unit);
  /// `unit` is lost, with all its blocks.
  void lost(UnitId unit);

  /// When the next unit is late if no block comes back before; infinity if none will be.
  [[nodiscard]] Seconds next_late() const;
  /// The unit that is late at `next_late()`, which must be finite.
  [[nodiscard]] UnitId first_late() const { return UnitId{due_.begin()->second}; }
  /// Whether `unit` is late at `at`.
  [[nodiscard]] bool is_late(UnitId unit, Seconds at) const;

 private:
  struct OfUnit {
    std::size_t blocks = 0;
    Seconds late_at;  ///< if it has blocks
  };
  void count_from(UnitId unit, Seconds at);

  Seconds timeout_;
  std::vector<OfUnit> units_;
  std::set<std::pair<Seconds, std::uint32_t>> due_;  ///< (units with blocks) by `late_at`
};

}  // namespace equipoise
