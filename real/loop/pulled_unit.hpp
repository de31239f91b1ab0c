// A unit whose blocks a thread of the user's program takes and does by itself.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "real/loop/loop_kernel.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/model/block.hpp"

namespace equipoise {

/// The side of the user's thread, for one run. One thread at a time may use it; `close` is for any.
class PulledUnit {
 public:
  /// `calls` counts its blocks while the thread has them.
  explicit PulledUnit(std::shared_ptr<BodyCalls> calls);
  PulledUnit(const PulledUnit&) = delete;
  PulledUnit& operator=(const PulledUnit&) = delete;
  ~PulledUnit();

  /// Waits for the run to begin. Returns false if there will be none.
  [[nodiscard]] bool await_begin();
  /// Waits for the next block of the unit. Nothing: there are no more, because the run has ended or
  /// the unit is lost. Throws std::logic_error if the block before is neither done nor failed.
  [[nodiscard]] std::optional<Block> next();
  /// Whether the unit has a block.
  [[nodiscard]] bool has_block() const;
  /// The block is done. Returns whether its results count: false if another unit has done its items
  /// first, or if the unit has no block.
  bool done();
  /// The block could not be done: it goes back to the pool. Does nothing if the unit has none.
  void failed(const std::string& why);
  /// The unit does no more blocks. One that it has is lost.
  void leave(const std::string& why);

  /// There is no run, or it has ended: `next` returns nothing from now on.
  void close();
  /// Makes the worker of the unit.
  [[nodiscard]] std::unique_ptr<Worker> make_worker(const WorkerSetup& setup);

 private:
  class Blocks;
  class PulledWorker;
  using BlocksPtr = std::shared_ptr<Blocks>;
  BlocksPtr blocks_;
};

/// Units with these names, in their order. `units`, of which there are as many, must live until
/// their runs have ended. Throws InputError for names that are none, or the same.
[[nodiscard]] std::vector<UnitSpec> pulled_units(
    const std::vector<std::string>& names, const std::vector<std::unique_ptr<PulledUnit>>& units);

}  // namespace equipoise
