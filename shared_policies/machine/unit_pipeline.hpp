// How blocks pass through one unit: copy in, compute, copy out, as its copy engines and its memory
// let them overlap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "shared_policies/model/block.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

enum class Stage : std::uint8_t { in, compute, out };

/// The stage of `times` that `stage` names.
[[nodiscard]] Seconds& time_of(StageTimes& times, Stage stage);
[[nodiscard]] const Seconds& time_of(const StageTimes& times, Stage stage);

/// A block that was handed to a unit.
struct PipelinedBlock {
  Block block;
  Seconds assigned;     ///< when it was handed out
  Seconds ready;        ///< its copy in begins no earlier
  Seconds first_use{};  ///< the unit is taken this much longer, before the copy in
  StageTimes alone{};   ///< what its stages take when nobody disturbs them, first use aside
  double in_bytes = 0.0;
  double out_bytes = 0.0;
  Items room_items = 0;  ///< how many items of its workload the unit's memory holds at a time
  StageTimes times{};    ///< what the stages took that are over, first use included
};

/// What a pipeline asks and tells.
class PipelineStages {
 public:
  PipelineStages() = default;
  PipelineStages(const PipelineStages&) = delete;
  PipelineStages& operator=(const PipelineStages&) = delete;
  virtual ~PipelineStages() = default;

  /// How long `stage` of `block` takes if it begins at `begin`; nothing where that is not known
  /// beforehand: then `launch` is called, and UnitPipeline::end_stage is to be called when it ends.
  [[nodiscard]] virtual std::optional<Seconds> duration(UnitId unit, const PipelinedBlock& block,
                                                        Stage stage, Seconds begin) const = 0;
  /// `stage` of `block` begins now.
  virtual void launch(UnitId unit, const PipelinedBlock& block, Stage stage) = 0;
  /// `block` came to its end.
  virtual void finished(UnitId unit, const PipelinedBlock& block, Seconds at) = 0;
};

/// The blocks of one unit, from handing out to their ends.
///
/// Each stage takes one block at a time, in the order of handing out. One copy engine makes one
/// copy at a time, either way; when it is free, a copy out that is ready goes before a copy in. Two
/// make one copy in and one copy out at a time. What moves nothing (0 s) needs no engine. A unit
/// without an engine copies by itself: it has one block at a time in any of the stages.
///
/// A block holds memory for its items from the begin of its copy in to the end of its copy out, or,
/// in a group, until no block of the group is left on the unit. A copy in waits for memory. When
/// nothing is in flight, what ended blocks hold is let go, and the next block begins whatever it
/// needs: there is no deadlock. A block of another phase, whose resident data replace the former,
/// and one that the unit thinks before (`think`), wait until the unit has nothing else.
///
/// Deterministic: at one instant, first all that ends then, next computing, copies out, copies in
/// begin. O(1) a stage, but for groups: O(blocks on the unit) at the end of a block of a group.
class UnitPipeline {
 public:
  /// `copy_engines` is 0, 1 or 2; `stages` outlives the pipeline.
  UnitPipeline(UnitId unit, int copy_engines, PipelineStages& stages);

  /// Whether no block of `phase` came since the unit began, or had another phase.
  [[nodiscard]] bool is_new(int phase) const { return phase != phase_; }

  /// Appends `block`. All that is due before `block.ready` must have happened, see `advance`.
  void add(const PipelinedBlock& block);

  /// The unit thinks for `span`: from `now` on if it is idle, else after the blocks that it has. It
  /// starts no block meanwhile.
  void think(Seconds now, Seconds span);

  /// Forgets all blocks and resident data: the unit is gone. Whatever was launched is of no
  /// account.
  void clear();

  /// What was launched for `stage` is over; takes effect with `advance`.
  void end_stage(Stage stage, Seconds at);

  /// Lets all happen that is due until `until`, in order of time.
  void advance(Seconds until);

  /// When `advance` is to be called next: no later than a block ends or a stage is launched.
  /// Infinity: only after `add` or `end_stage`. A block that no other holds up (it is alone, or
  /// the unit copies by itself) has one such date for all its stages of known duration.
  [[nodiscard]] Seconds next_date() const;

 private:
  struct Entry {
    PipelinedBlock work;
    Seconds thought;  ///< before it, when the unit has nothing else
    bool waits_for_all = false;
  };
  /// What a stage is busy with.
  struct Running {
    bool is_busy = false;
    bool is_first_use = false;
    Seconds began;
    Seconds end;  ///< infinity: not known yet
    Seconds time;
  };
  /// The memory of blocks of a group that have ended.
  struct Held {
    std::uint32_t group;
    Items items;
  };

  [[nodiscard]] Running& running(Stage stage) { return running_[static_cast<size_t>(stage)]; }
  [[nodiscard]] const Running& running(Stage stage) const {
    return running_[static_cast<size_t>(stage)];
  }
  [[nodiscard]] std::size_t position(Stage stage) const;
  [[nodiscard]] std::optional<Seconds> duration(std::size_t place, Stage stage, Seconds at) const {
    return stages_->duration(unit_, queue_[place].work, stage, at);
  }

  [[nodiscard]] Seconds next_change() const;
  [[nodiscard]] Seconds end_of_first_block() const;
  [[nodiscard]] Seconds copy_in_date() const;
  bool end_one(Seconds at);
  bool begin_compute(Seconds at);
  bool begin_out(Seconds at);
  bool begin_in(Seconds at);
  void begin(Stage stage, Seconds at);
  void finish(Seconds at);
  void take_memory(const PipelinedBlock& block);
  void release_memory(const Block& block);

  UnitId unit_;
  bool copies_itself_;
  bool is_duplex_;
  PipelineStages* stages_;
  std::deque<Entry> queue_;    ///< in the order of handing out
  std::size_t copied_in_ = 0;  ///< so many of the queue, from its front, are on the unit
  std::size_t computed_ = 0;   ///< and so many of these are computed
  std::array<Running, 3> running_;
  Items held_items_ = 0;    ///< of memory, by blocks in flight and by those of `held_`
  std::vector<Held> held_;  ///< by ended blocks
  Seconds free_at_;         ///< the unit starts no block before
  Seconds thought_;         ///< to be thought after the last block of the queue
  int phase_ = -1;          ///< of the last block added
};

}  // namespace equipoise
