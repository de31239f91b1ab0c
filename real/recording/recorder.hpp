// Measures the times of a kernel's blocks on this machine's units, as `equipoise record` does.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "real/gpu/gpu.hpp"
#include "real/kernels/kernel.hpp"
#include "real/machine.hpp"
#include "real/meters/meter_sampler.hpp"
#include "real/nodes/nodes.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/machine/copy_speed.hpp"
#include "shared_policies/machine/trace.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {

/// The progress of the recording of a unit.
struct RecordProgress {
  std::string unit;
  std::size_t unit_index = 0;  ///< among `units`
  std::size_t units = 0;
  Items items = 0;             ///< the current block size
  std::size_t size_index = 0;  ///< among `sizes`
  std::size_t sizes = 0;       ///< so far; sizes are added where the curve bends
  int samples = 0;             ///< of this size so far
  double done = 0.0;           ///< about what share of the whole recording, from 0 to 1
};

/// The recording to be made.
struct RecordSetup {
  /// With the same cores as in a run. Units that take their times from a trace have those of this
  /// kernel. They are kept busy while others are recorded, as in a run; their samples are not kept.
  std::vector<UnitSpec> units;
  std::shared_ptr<Nodes> nodes;        ///< that have some of them; null: this process has all
  std::optional<Placement> placement;  ///< of all units; if absent, `place_units` decides
  Kernel* kernel = nullptr;            ///< allocated
  bool alone = false;        ///< one unit after another; otherwise all at a time, as in a run
  std::vector<Items> sizes;  ///< block sizes; if empty, `size_ladder` and `sizes_at_bends` choose
  int samples_min = 5;       ///< per size
  int samples_max = 100;     ///< per size
  Seconds budget{5.0};  ///< per unit; sizes that `size_ladder` chose may get fewer samples than
                        ///< `samples_min`, see `record`
  /// In addition to the budget, this share of it is for finding out whether items differ, and how
  /// (`CostFinder`); it takes less where they do not. 0: they are taken to be alike.
  double costs_share = 0.2;
  /// How often the recording goes through all sizes, so that a drift of the machine affects all of
  /// them. Each pass has an equal part of the budget and of the samples.
  int passes = 1;
  /// Meters, with the watts of the idle machine (`MeterSampler::measure_idle`). If there are any,
  /// the watts of the units are recorded. May be null.
  std::shared_ptr<MeterSampler> meters;
  /// Gets the records of the runs that measure the controller's work, as a run's file would. May be
  /// null.
  std::shared_ptr<Journal> journal;
  Seconds busy_span{2.0};            ///< how long meters are read while units compute
  std::function<void()> after_pass;  ///< called when all units are idle; may be empty
  std::function<void(const RecordProgress&)> progress;  ///< called after every sample; may be empty
  /// Called before `keep` if items differ, with what is known of their costs by then. May be empty.
  std::function<void(const CostsRecord&)> keep_costs;
  /// Called with the samples of a size when the size is completed in a pass, and at the end with
  /// the samples of sizes that were not completed. Gets all samples; outliers are marked among the
  /// samples of their size so far. May be empty.
  std::function<void(std::span<const TraceSample>)> keep;
  /// If it returns true, the recording ends with the samples so far; may be empty.
  std::function<bool()> stop_requested;

  [[nodiscard]] bool is_stopped() const { return stop_requested && stop_requested(); }
};

/// A unit with the properties that a platform for the recording needs.
struct RecordedUnit {
  Unit unit;  ///< name, kind, node, model, memory, slots, watts
  CopySpeeds copies;
  std::optional<Gpu> gpu;
  /// Of a unit of another node that is paced: `copies` are those of its trace, which its node makes
  /// beside those over the network.
  bool copies_are_on_node = false;
};

/// A size whose mean time is not known as well as is aimed at, because budget or samples ended.
struct ImpreciseMean {
  std::string unit;
  Items items = 0;
  double uncertainty = 0.0;      ///< half the 95 % confidence interval, as a share of the mean
  bool has_all_samples = false;  ///< as many as are taken of one size, so that time was not lacking
};

/// How precisely the mean of every size is to be known: `ImpreciseMean::uncertainty` is not above.
inline constexpr double recording_precision = 0.02;

/// The result of a recording.
struct Recording {
  Trace trace;
  std::vector<RecordedUnit> units;
  std::vector<ImpreciseMean> imprecise;
  std::size_t means = 0;  ///< how many sizes of how many units were timed
  /// Results that are impossible or doubtful: a copy faster than this machine can copy, the number
  /// of outliers, other programs on the cores.
  std::vector<std::string> doubts;
  /// "busy watts of cpu0 and cpu1 were not measured apart: record each unit alone"
  std::vector<std::string> unmetered;
  bool interrupted = false;  ///< a stop was requested; the trace holds the samples until then
};

/// The header of the trace that `record` makes: everything except the samples and measured times.
[[nodiscard]] Trace header_of_recording(const RecordSetup& setup);

/// Records the units. Every unit runs blocks of each size through the same executor and worker as
/// in a run, one after another through the items, so that its caches are as warm or cold as in a
/// run. For each size, the first block does not count. Samples follow until the mean of the total
/// block time is known to 2 % (half the width of its 95 % confidence interval), or there are
/// `samples_max` samples, or the size has spent its share of the remaining budget. This is repeated
/// in every pass, with the pass's part of budget and samples. Every size gets `samples_min` in any
/// case, unless `sizes` is empty and these would take more than half of the budget (and half a
/// second): then each pass takes the time of its first block, and if these would take more than the
/// budget (and a second), it is not timed. How long a block takes is estimated from the next
/// smaller size, and known of the very first when it is back. So a slow unit takes up to about
/// twice its budget, and `Recording::doubts` says what is lacking. All samples are kept. What a
/// block waited for cores that other threads had is not in its times but in `waited_s`, and so is
/// what an outlier (`BlockSamples`) took beyond the mean of its size; the times of outliers are not
/// used.
///
/// If items differ (`look_for_costs`), the trace has their costs, and samples have the times of
/// blocks whose items have mean cost: what a block computed beyond the fixed cost of its unit's
/// blocks is divided by the mean cost of its items. Blocks with less than half of the usual work of
/// the unit's part are passed over, because little is learned from them, and in every pass units
/// have another part. Costs and fixed costs depend on one another; they are settled at the end, in
/// turns. Samples that `keep` got before have what was known by then.
///
/// If all units are recorded at a time, every unit goes through its own part of the items, and this
/// part is its largest size. Units that are done continue with blocks that do not count until all
/// are done, because units share caches, memory bandwidth and turbo in a run. If units are recorded
/// alone, the largest size is half of the items.
///
/// The trace has a dispatch time for each unit and one for all. It is the mean over all samples,
/// and the blocks of paced units, of the time from handing out a block until its end is noticed,
/// without its stages; `undisturbed` leaves out the longest. It also has what a report and a
/// block cost the controller (`record_controller`). The first-use time of a unit is the setup of
/// its first block, without the time that the resident bytes take at the unit's recorded speed of
/// copies in (the whole setup if no copies in were recorded), and at least 0; that of the trace is
/// the mean over all units that computed a block. For a workload with iterations, some iterations
/// run at the end of every pass (`record_merges`); the merge time is the mean of the kernel's times
/// between them.
///
/// With meters, units that were recorded together, or one alone, go on with blocks of their largest
/// size for `busy_span` after the last pass. A unit's busy watts are its part of the idle machine's
/// watts (`UnitDomains`) and what its domains took in addition to those while it computed
/// (`BusyWatch`). If several units that compute at a time have a domain in common, their busy watts
/// are unknown.
///
/// Throws InputError, before anything is recorded, if a unit cannot hold one of `sizes` or if the
/// workload has fewer items than all units need. Throws BackendError if a unit does not come up or
/// is lost, after `keep` has received all samples. Passes on exceptions of `keep`.
[[nodiscard]] Recording record(const RecordSetup& setup);

}  // namespace equipoise
