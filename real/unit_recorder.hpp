// The recording of one unit: which block comes next, and what becomes of its times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "real/block_samples.hpp"
#include "real/recorder.hpp"
#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// One timed block.
struct RecordedBlock {
  StageTimes times;
  Seconds besides;  ///< from handing out to hearing of the end, without the stages
};

/// Items [first, first + items) that a unit goes through.
struct ItemSegment {
  Items first = 0;
  Items items = 0;
};

/// Goes through the sizes of one unit. Blocks are asked for and handed in one by one.
class UnitRecorder {
 public:
  UnitRecorder(const RecordSetup& setup, std::size_t unit, ItemSegment segment);

  /// All sizes are known well enough for this pass, or its time is spent.
  [[nodiscard]] bool is_done() const { return at_ == sizes_.size(); }
  /// Goes through all sizes once more, from time 0 on.
  void begin_pass();
  /// The next block to be timed; when done, one that keeps the unit busy.
  [[nodiscard]] Block next_block(std::uint64_t id);
  /// The block that was given last took so long; it is `now` since the recording of this unit's
  /// group began. False: it does not count, as a first one of its size, or behind the last.
  bool take(const RecordedBlock& block, Seconds now);

  [[nodiscard]] bool computes() const { return setup_.units[unit_].computes(); }
  /// Where this recording is.
  [[nodiscard]] RecordProgress progress() const;
  /// What the first block took longer to compute and copy back than later ones of its size; none
  /// until that size has ended.
  [[nodiscard]] std::optional<Seconds> first_use() const { return first_use_; }
  [[nodiscard]] const std::vector<double>& besides_s() const { return besides_s_; }

  /// All samples, with outliers marked.
  [[nodiscard]] std::vector<TraceSample> samples() const;
  /// Those of sizes that have ended since this was asked last, with outliers among what there is.
  [[nodiscard]] std::vector<TraceSample> take_ended();
  /// The samples that were not taken yet. To be asked when no block comes any more.
  [[nodiscard]] std::vector<TraceSample> take_rest();
  /// Appends which means are not known well enough, and what is doubtful.
  void add_remarks(Recording& recording) const;

 private:
  struct Size {
    Items items = 0;
    BlockSamples samples{};
    int before = 0;         ///< samples of former passes
    std::size_t taken = 0;  ///< samples
  };

  void begin_size(Seconds now);
  void end_size(Seconds now);
  [[nodiscard]] bool is_known(Seconds spent) const;
  [[nodiscard]] bool refine();
  [[nodiscard]] std::vector<TraceSample> take_until(std::size_t end);
  [[nodiscard]] std::vector<TraceSample> samples_of(const Size& size) const;
  [[nodiscard]] Seconds pass_budget() const { return (1.0 / setup_.passes) * setup_.budget; }
  [[nodiscard]] TraceSample sample_of(const Size& size, std::size_t index) const;
  [[nodiscard]] std::vector<SizeTime> curve() const;
  [[nodiscard]] const std::string& name() const { return setup_.units[unit_].unit.name; }

  const RecordSetup& setup_;
  std::size_t unit_;
  ItemSegment segment_;
  std::vector<Size> sizes_;  ///< in the order of recording
  std::size_t at_ = 0;
  Items position_ = 0;  ///< in the segment
  bool is_warm_ = false;
  std::optional<StageTimes> first_block_;
  Seconds size_began_;
  Seconds size_budget_;
  std::optional<Seconds> first_use_;
  std::vector<double> besides_s_;
};

}  // namespace equipoise
