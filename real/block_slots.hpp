// Which blocks of a unit may copy their results, as the controller and the unit's threads both know
// it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "real/worker.hpp"
#include "shared_policies/model/block.hpp"

namespace equipoise {

/// What two blocks of the same items share: the first that claims them copies its results.
class ResultClaim {
 public:
  /// Returns whether nobody had claimed the items.
  bool take() { return !is_taken_.exchange(true); }
  void release() { is_taken_ = false; }
  [[nodiscard]] bool is_taken() const { return is_taken_; }

 private:
  std::atomic<bool> is_taken_ = false;
};
using ResultClaimPtr = std::shared_ptr<ResultClaim>;

/// The blocks that a unit's thread has. Several threads may use it.
class BlockSlots {
 public:
  using Slot = std::uint8_t;

  BlockSlots();

  // The controller's side.

  /// A slot for a block, until `free`. `claim`: shared with another block; null: there is none. At
  /// most `blocks_at_worker_max` at a time.
  [[nodiscard]] Slot take(ResultClaimPtr claim);
  void free(Slot slot);
  [[nodiscard]] Fate take_back(Slot slot);
  /// Another unit has the items, too. Returns what the two blocks share; null if this one was taken
  /// back or refused.
  [[nodiscard]] ResultClaimPtr contest(Slot slot);
  /// No block may copy results any more.
  void abandon();

  // The side of the unit's threads.

  /// The unit begins the block, or goes on with it. Returns whether it is still wanted; if not,
  /// `kind` is that of its report.
  [[nodiscard]] bool begin(Slot slot, ReportKind& kind);
  /// Whether another unit has the items of the block, too.
  [[nodiscard]] bool is_contested(Slot slot) const;
  /// Whether the block may copy its results: it was not taken back, and nobody has claimed its
  /// items.
  [[nodiscard]] bool is_open(Slot slot) const;
  /// The block begins to copy its results, or has begun. Returns whether it may.
  [[nodiscard]] bool claim(Slot slot);
  /// The block has failed: another one may copy its results.
  void release_claim(Slot slot);

 private:
  enum class State : std::uint8_t {
    queued,
    begun,
    claimed,
    withdrawn,  ///< taken back before it was begun
    dropped     ///< taken back afterwards, or refused
  };
  struct Entry {
    State state = State::queued;
    ResultClaimPtr claim;
  };

  mutable std::mutex mutex_;
  std::array<Entry, blocks_at_worker_max> entries_;
  std::vector<Slot> free_;  ///< used by the controller
};

}  // namespace equipoise
