// Times a kernel's blocks on this machine's units: what `equipoise record` does.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/paced_unit.hpp"
#include "real/size_plan.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// How far the recording of a unit is.
struct RecordProgress {
  std::string unit;
  std::size_t unit_index = 0;  ///< of `units`
  std::size_t units = 0;
  Items items = 0;             ///< the block size at hand
  std::size_t size_index = 0;  ///< of `sizes`
  std::size_t sizes = 0;       ///< so far: more are added where the curve bends
  int samples = 0;             ///< of this size so far
};

/// What is to be recorded, and how carefully.
struct RecordSetup {
  std::vector<UnitSpec> units;  ///< on the cores that they have in a run
  /// (units, 1) What times paced units, as in RealSetup. They keep busy while others are recorded,
  /// as in a run; what they take is known, and so nothing of theirs is kept. Empty: all compute.
  std::vector<std::vector<PacedPhase>> paced;
  Kernel* kernel = nullptr;    ///< allocated
  bool alone = false;          ///< one unit after the other; else all at a time, as in a run
  std::vector<Items> sizes;    ///< block sizes; empty: `size_ladder`, and `sizes_at_bends`
  std::size_t sizes_max = 20;  ///< with those at bends
  double bend_tolerance = 0.02;
  double precision = 0.02;  ///< of the mean time: half the width of its 95 % confidence interval
  int samples_min = 5;      ///< of one size
  int samples_max = 100;    ///< of one size
  Seconds budget{5.0};      ///< for one unit; every size gets `samples_min` all the same
  /// How often all sizes are gone through, so that a machine that drifts does so for all of them.
  /// Each time has its part of the budget and of the samples.
  int passes = 1;
  std::function<void()> after_pass;  ///< called when all units are at rest; may be none
  std::function<void(const RecordProgress&)> progress;  ///< told after every sample; may be none
  /// Told of the samples of a size as soon as it ends in a pass, and of those of sizes that never
  /// end: all samples, with the outliers among those of their size so far. May be none.
  std::function<void(std::span<const TraceSample>)> keep;
  /// True ends the recording with what is there; may be none.
  std::function<bool()> stop_requested;

  [[nodiscard]] bool is_stopped() const { return stop_requested && stop_requested(); }
};

/// A unit as a platform that matches the recording needs it.
struct RecordedUnit {
  Unit unit;  ///< name, kind, node, model, memory, slots
  CopySpeeds copies;
};

/// What was recorded.
struct Recording {
  Trace trace;
  std::vector<RecordedUnit> units;
  std::vector<std::string> imprecise;  ///< "cpu0 at 512 items: known to 4.1 %": budget or limit hit
  /// What makes no sense, or is doubtful: a copy faster than this machine copies, a time that falls
  /// as the size grows, how many samples are outliers, that other programs had the cores.
  std::vector<std::string> doubts;
  bool interrupted = false;  ///< a stop was requested; the trace holds what was there
};

/// The header of the trace that `record` makes: all but the samples and what is measured.
[[nodiscard]] Trace header_of_recording(const RecordSetup& setup);

/// Records. Every unit runs blocks of each size through the same executor and worker as a run
/// would, one after another through the items, so that memory is as warm or cold as in a run: one
/// block of each size that does not count, then samples until the mean of the whole block's time is
/// known to `precision`, there are `samples_max`, or the size's share of what is left of the budget
/// is spent; so in every pass, for its part of all these. All samples are kept; outliers
/// (`BlockSamples`) are marked, and count in nothing.
///
/// All at a time, every unit goes through a part of the items of its own, which is its largest
/// size, and those that are done go on with blocks that nobody counts until all are: they share
/// caches, memory bandwidth and turbo as in a run. Alone, the largest size is half of the items.
///
/// The trace's dispatch times, of each unit and of all, are the mean of what passed between handing
/// a block out and hearing of its end beside its three stages, over all samples, and the blocks of
/// paced units, but the longest twentieth, in which something else had the cores. Its first-use
/// time is what the first block of a unit took longer to compute and copy back than the later ones
/// of that size, the mean of all units that came to the end of a size. Of a workload with
/// iterations, some are run at the end of every pass (`record_merges`), and its merge time is the
/// mean of what the kernel took between them.
///
/// Throws InputError, before anything is recorded, for `sizes` that a unit cannot hold and for
/// workloads with fewer items than all units need; BackendError when a unit does not come up or is
/// lost, after `keep` has been told of all samples; and what `keep` throws.
[[nodiscard]] Recording record(const RecordSetup& setup);

}  // namespace equipoise
