// The recording of one unit: chooses the next block and stores the times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "real/recording/block_samples.hpp"
#include "real/recording/recorder.hpp"
#include "real/recording/size_plan.hpp"
#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// One timed block.
struct RecordedBlock {
  StageTimes times;
  Seconds dispatch;  ///< from handing out to noticing the end, without the stages
};

/// The items [first, first + items) through which a unit goes.
struct ItemSegment {
  Items first = 0;
  Items items = 0;
};

/// Goes through the sizes of one unit. The caller asks for blocks and returns their times one by
/// one.
class UnitRecorder {
 public:
  UnitRecorder(const RecordSetup& setup, std::size_t unit, ItemSegment segment);

  /// True if all sizes are known precisely enough for this pass, or the pass's time is spent.
  [[nodiscard]] bool is_done() const { return at_ == sizes_.size(); }
  /// Starts another pass through all sizes at time 0.
  void begin_pass();
  /// The next block to be timed; if the pass is done, one of the largest size, which only keeps the
  /// unit busy.
  [[nodiscard]] Block next_block(std::uint64_t id);
  /// Takes the times of the block that was given last, at the time `now` since the recording of
  /// this unit's group began. Returns false if the block does not count, because it was the first
  /// of its size or came after the pass was done.
  bool take(const RecordedBlock& block, Seconds now);

  /// The largest size of which a block does not take long, or else the first.
  [[nodiscard]] Items usual_items() const;
  [[nodiscard]] bool computes() const { return setup_.units[unit_].computes(); }
  /// The progress of this recording.
  [[nodiscard]] RecordProgress progress() const;
  /// The setup of the unit's first block: first use and the copy of resident data. Nullopt until
  /// that block is back.
  [[nodiscard]] std::optional<Seconds> first_setup() const { return first_setup_; }
  [[nodiscard]] const std::vector<double>& dispatch_s() const { return dispatch_s_; }

  /// All samples, with outliers marked.
  [[nodiscard]] std::vector<TraceSample> samples() const;
  /// The samples of completed sizes that were not taken yet, with outliers among the samples so
  /// far.
  [[nodiscard]] std::vector<TraceSample> take_ended();
  /// The samples that were not taken yet. To be called when no more blocks come.
  [[nodiscard]] std::vector<TraceSample> take_rest();
  /// Appends the means that are not known precisely enough, and doubtful results.
  void add_remarks(Recording& recording) const;

 private:
  /// How often a size is timed: with a first block that does not count and as many samples as it
  /// needs, by its first block alone in each pass, or not at all.
  enum class Often : std::uint8_t { enough, few, never };
  struct Size {
    Items items = 0;
    Often often = Often::enough;
    BlockSamples samples{};
    int before = 0;         ///< samples of earlier passes
    std::size_t taken = 0;  ///< samples that were taken
  };

  void begin_size(Seconds now);
  void end_size(Seconds now);
  [[nodiscard]] bool is_known(Seconds spent) const;
  [[nodiscard]] Seconds most_of_a_size() const;
  [[nodiscard]] bool is_wanted(Size& size) const;
  [[nodiscard]] Often how_often(Seconds block) const;
  [[nodiscard]] Seconds expected(const Size& size) const;
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
  int passes_begun_ = 0;
  Items position_ = 0;  ///< within the segment
  bool is_warm_ = false;
  Seconds size_began_;
  Seconds size_budget_;
  std::optional<Seconds> first_setup_;
  std::vector<double> dispatch_s_;
};

}  // namespace equipoise
