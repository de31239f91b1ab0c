// The pipeline of one unit: blocks are set up, copied in, computed and copied out, and overlap as
// far as copy engines and memory allow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "shared_policies/machine/block_room.hpp"
#include "shared_policies/model/block.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

enum class Stage : std::uint8_t { setup, in, compute, out };
inline constexpr std::size_t stage_count = 4;

/// What a unit has of the resident data that a block needs.
enum class ResidentData : std::uint8_t {
  original,  ///< what it had at the start: the unit has had no block of the phase
  missing,   ///< nothing: the unit went or joined, and has had no block of the phase since
  outdated,  ///< the data of an earlier iteration
  current
};

/// The time in `times`, constant or not, that belongs to `stage`.
[[nodiscard]] inline auto& time_of(auto& times, Stage stage) {
  constexpr std::array members = {&StageTimes::setup, &StageTimes::in, &StageTimes::compute,
                                  &StageTimes::out};
  return times.*members[static_cast<std::size_t>(stage)];
}

/// A block or a probe that was handed to a unit, with its costs.
struct PipelinedBlock {
  Block block;          ///< of a probe: `no_block`, of no items
  Seconds assigned;     ///< when it was handed out
  Seconds ready;        ///< its first stage must not begin earlier
  Seconds first_use{};  ///< the part of its setup before the transfer of resident data
  StageTimes alone{};   ///< undisturbed durations of its stages; of the setup, the transfer alone
  Seconds stream{};     ///< undisturbed time in which it reads resident data while computed
  double setup_bytes = 0.0;  ///< resident data, over the whole route
  double kept_bytes = 0.0;   ///< of these, those that stay on the unit
  double in_bytes = 0.0;
  double out_bytes = 0.0;
  Seconds in_core{};     ///< how long its copy in takes the core of the unit's computation
  Seconds out_core{};    ///< and its copy out
  Items room_items = 0;  ///< number of items of its workload that fit in the unit's memory at once
  StageTimes times{};    ///< durations of the stages that have ended
  StageTimes begins{};   ///< when each stage began; in `finished` as BlockFinished::begins
  std::optional<Probe> probe{};  ///< none: it is a block

  /// Whether it has a setup; otherwise it begins with its copy in.
  [[nodiscard]] bool brings_setup() const { return first_use + alone.setup > Seconds{}; }
};

/// `probe`, asked for at `asked`, whose copies begin at `ready` at the earliest and take `there`
/// and `back`.
[[nodiscard]] PipelinedBlock work_of(const Probe& probe, Seconds asked, Seconds ready,
                                     Seconds there, Seconds back);

/// What an executor reports of `block`, which has ended on `unit` at `at`; see
/// PipelineStages::finished.
[[nodiscard]] Event end_of(UnitId unit, const PipelinedBlock& block, Seconds at, bool is_dropped);
/// What it reports of a probe, see PipelineStages::probed.
[[nodiscard]] Event end_of_probe(UnitId unit, const PipelinedBlock& probe, Seconds at);
/// What it reports of a probe on a unit to which no link leads.
[[nodiscard]] Event answered_at_once(UnitId unit, const Probe& probe, Seconds at);

/// The bytes that `stage` of `block` moves; 0 for its computation.
[[nodiscard]] double bytes_of(const PipelinedBlock& block, Stage stage);

/// The interface through which a pipeline gets stage durations and reports progress.
class PipelineStages {
 public:
  PipelineStages() = default;
  PipelineStages(const PipelineStages&) = delete;
  PipelineStages& operator=(const PipelineStages&) = delete;
  virtual ~PipelineStages() = default;

  /// The duration of `stage` of `block` if it begins at `begin`; of the setup, the duration of the
  /// transfer of resident data, which begins at `begin`, after first use. Nothing if it is unknown
  /// beforehand: then `launch` is called, and UnitPipeline::end_stage must be called when the stage
  /// ends.
  [[nodiscard]] virtual std::optional<Seconds> duration(UnitId unit, const PipelinedBlock& block,
                                                        Stage stage, Seconds begin) const = 0;
  /// How long `block` reads resident data if it begins at `begin`.
  [[nodiscard]] virtual Seconds stream_time(UnitId /*unit*/, const PipelinedBlock& block,
                                            Seconds /*begin*/) const {
    return block.stream;
  }
  /// `stage` of `block`, whose duration is unknown, begins now; of the setup, its transfer.
  virtual void launch(UnitId unit, const PipelinedBlock& block, Stage stage) = 0;
  /// Whether `block` may copy its results, which a copy of it may do in its place.
  [[nodiscard]] virtual bool is_open(UnitId /*unit*/, const Block& /*block*/) const { return true; }
  /// `block` begins to copy its results. Returns whether it may.
  virtual bool claim(UnitId /*unit*/, const Block& /*block*/) { return true; }
  /// `block` has finished at `at`. `is_dropped`: it copied no results, because it was taken back or
  /// a copy of it does.
  virtual void finished(UnitId unit, const PipelinedBlock& block, Seconds at, bool is_dropped) = 0;
  /// `probe` has ended at `at`. Does nothing by default, for pipelines without probes.
  virtual void probed(UnitId /*unit*/, const PipelinedBlock& /*probe*/, Seconds /*at*/) {}
};

/// The blocks of one unit, from handing out to their ends.
///
/// A block may bring a setup: first use of the unit, then a transfer of resident data. Its copy in
/// begins when the setup ends. Both use the engine for copies in, for first use too.
///
/// Each stage processes one block at a time, in the order of handing out. With one copy engine,
/// only one copy runs at a time, in or out; a copy out that is ready has priority over a copy in.
/// With two copy engines, one copy in and one copy out can run at a time. A copy that takes 0 s
/// needs no engine. A unit without copy engines copies by itself: only one of its blocks is in any
/// stage at a time.
///
/// A block may read resident data while it is computed, because the unit does not hold them
/// (`ResidentStream`). Its computation and this stream begin together, when the engine for copies
/// in is free, and the computation ends when both have ended: it takes the longer of the two times.
/// Copies in (and setups; with one engine, copies out) wait until the stream is over. A computation
/// with a stream goes before a copy in that is ready at the same time; with one engine, a copy out
/// goes before both.
///
/// A block holds memory for its items from the start of its first stage to the end of its copy out;
/// in a group, until no block of the group is left on the unit. The first stage waits until there
/// is memory. If nothing is in flight, the memory held by ended blocks is released and the next
/// block begins whatever it needs, so there is no deadlock. A block of another phase and one that
/// brings a setup (its resident data replace the former ones), and a block that follows a decision
/// of the unit (`add_decision_time`) wait until all blocks before them have left the unit.
///
/// While a copy of another block goes on, the unit's computation stands still for the part of
/// `PipelinedBlock::in_core` or `out_core` that falls into it: copying threads may have its cores.
/// Copies of unknown duration (over links that others use) do not.
///
/// A probe is in the queue as a block that computes nothing, needs no memory and brings nothing:
/// its copy there is a copy in, its copy back a copy out.
///
/// Deterministic: at one instant, first all stages end that end then; after them computations
/// begin, then copies out, then copies in. Takes O(1) for each stage, but O(blocks on the unit) at
/// the end of each block of a group.
///
/// Pipelines of units that share the copy engines of a device are advanced together, by
/// MachinePipelines.
class UnitPipeline {
 public:
  /// `copy_engines` is 0, 1 or 2; `stages` must outlive the pipeline.
  UnitPipeline(UnitId unit, int copy_engines, PipelineStages& stages);

  /// What the unit will have of the resident data of `block` when the blocks added before are done.
  [[nodiscard]] ResidentData resident_data(const Block& block) const {
    if (block.phase != phase_) return is_emptied_ ? ResidentData::missing : ResidentData::original;
    return block.iteration == iteration_ ? ResidentData::current : ResidentData::outdated;
  }

  /// Appends `block`. All events due before `block.ready` must have been processed, see `advance`.
  void add(const PipelinedBlock& block);

  /// Appends a probe, likewise.
  void add_probe(const PipelinedBlock& probe);

  /// The unit spends `span` on a decision: from `now` on if it is idle, else after its present
  /// blocks. It starts no block meanwhile.
  void add_decision_time(Seconds now, Seconds span);

  /// Something else has the core of the unit for `span` from `now` on: what the core does now ends
  /// so much later. That is the computation, or any stage of a unit that copies by itself, which
  /// also begins nothing meanwhile. All events due before `now` must have been processed. A stage
  /// of unknown duration stays as it is.
  void lose_core(Seconds now, Seconds span);

  /// Takes back `block`: unless its first stage has begun, it is gone, and the block behind it
  /// brings its setup; else it goes on up to its copy out, which it does not make. Too late: it
  /// makes it, or has left the unit. All events due before `now` must have been processed.
  Fate take_back(const Block& block, Seconds now);
  /// Whether the unit has a block with this Block::original() that was not taken back.
  [[nodiscard]] bool has(std::uint64_t original) const;
  /// A copy of that block was given to another unit: it will ask whether it may copy its results.
  /// Returns whether it copies them already. All events due before now must have been processed.
  bool contest(std::uint64_t original);

  /// The unit is lost, but works on what it has begun: blocks of which no stage has begun are gone,
  /// the others go on and count as dropped, and the resident data are not used again. Returns how
  /// many go on. All events due before `now` must have been processed.
  std::size_t give_up(Seconds now);

  /// Drops all blocks and resident data, because the unit is lost or joins. Stages that were
  /// launched must not be reported any more.
  void clear();

  /// The launched `stage` ended at `at`. Takes effect at the next `advance`.
  void end_stage(Stage stage, Seconds at);

  /// Processes everything that is due up to `until`, in order of time.
  void advance(Seconds until);

  /// The time at which `advance` must be called next: not later than the next end of a block or
  /// launch of a stage. Infinity: not before the next `add` or `end_stage`. For a block that no
  /// other block delays (it is alone, or the unit copies by itself), there is only one such time
  /// for all its stages of known duration.
  [[nodiscard]] Seconds next_date() const;

 private:
  friend class MachinePipelines;

  struct Entry {
    PipelinedBlock work;
    Seconds decision_time;  ///< of the unit, before this block and after all earlier ones
    bool waits_for_all = false;
    int phase_before = -1;  ///< of the block before it, see `phase_`
    int iteration_before = 0;
    bool is_contested = false;  ///< another unit has a copy
    bool is_dropped = false;    ///< copies no results
  };
  /// The state of one stage.
  struct Running {
    bool is_busy = false;
    bool is_first_use = false;  ///< of the setup: its transfer is still to come
    Seconds began;
    Seconds end;  ///< infinity: not yet known
    Seconds time;
  };
  [[nodiscard]] Running& running(Stage stage) { return running_[static_cast<size_t>(stage)]; }
  [[nodiscard]] const Running& running(Stage stage) const {
    return running_[static_cast<size_t>(stage)];
  }
  [[nodiscard]] std::size_t position(Stage stage) const;
  [[nodiscard]] std::size_t place_of(std::uint64_t original) const;
  [[nodiscard]] bool has_begun(std::size_t place) const;
  void remove(std::size_t place, Seconds now);
  void leave_setup(const Entry& gone, std::size_t place);
  [[nodiscard]] bool copies_out(std::size_t place) const;
  [[nodiscard]] std::optional<Seconds> duration(std::size_t place, Stage stage, Seconds at) const;
  [[nodiscard]] Seconds with_stream(std::size_t place, Stage stage, Seconds at,
                                    Seconds alone) const;
  [[nodiscard]] Seconds stream_time(std::size_t place, Seconds at) const {
    return stages_->stream_time(unit_, queue_[place].work, at);
  }

  /// Whether a block is in its setup or copied in, or reads resident data.
  [[nodiscard]] bool is_taking_in() const {
    return running(Stage::setup).is_busy || running(Stage::in).is_busy || is_streaming_;
  }
  /// Whether an engine is free for a copy in, if the unit shares none.
  [[nodiscard]] bool can_take_in() const {
    return !is_taking_in() && (is_duplex_ || (!running(Stage::out).is_busy && computed_ == 0));
  }

  [[nodiscard]] Seconds next_change() const;
  [[nodiscard]] Seconds next_end() const;
  [[nodiscard]] Seconds end_of_first_block() const;
  [[nodiscard]] Seconds entry_date() const;
  [[nodiscard]] Seconds entry_date_with_engine() const;
  [[nodiscard]] bool needs_engine_to_enter(Seconds date) const;
  [[nodiscard]] bool wants_out() const { return !running(Stage::out).is_busy && computed_ > 0; }
  [[nodiscard]] bool wants_to_compute() const {
    return !running(Stage::compute).is_busy && computed_ < copied_in_;
  }
  /// Whether the next computation needs a copy engine if it begins at `at`.
  [[nodiscard]] bool would_stream(Seconds at) const {
    return queue_[computed_].work.stream > Seconds{} && stream_time(computed_, at) > Seconds{};
  }
  bool end_one(Seconds at);
  bool begin_compute(Seconds at);
  bool begin_out(Seconds at);
  bool begin_next(Seconds at);
  void enter(Seconds at);
  void begin(Stage stage, Seconds at);
  void lose_core_to_copies(Stage begun, Seconds at);
  void finish(Seconds at);

  UnitId unit_;
  bool copies_itself_;
  bool is_duplex_;
  PipelineStages* stages_;
  std::deque<Entry> queue_;    ///< in the order of handing out
  std::size_t copied_in_ = 0;  ///< number of blocks at the front of the queue whose copy in has
                               ///< ended
  std::size_t computed_ = 0;   ///< number of these that are computed
  std::array<Running, stage_count> running_;
  bool is_streaming_ = false;  ///< the block that is computed reads resident data
  Seconds stream_end_;         ///< of the last block that read some
  BlockRoom room_;
  Seconds free_at_;                ///< the unit starts no block before this time
  Seconds pending_decision_time_;  ///< decision time to spend after the last block of the queue
  int phase_ = -1;                 ///< phase of the last block added; -1: none since `clear`
  int iteration_ = 0;              ///< iteration of that block
  bool is_emptied_ = false;        ///< by `clear`
};

}  // namespace equipoise
