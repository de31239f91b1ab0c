// Times a kernel's blocks on this machine's units: what `equipoise record` does.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "real/paced_unit.hpp"
#include "real/unit_spec.hpp"
#include "shared_policies/model/trace.hpp"

namespace equipoise {

/// How far a recording is.
struct RecordProgress {
  std::string unit;
  std::size_t unit_index = 0;  ///< of `units`
  std::size_t units = 0;
  Items items = 0;             ///< the block size at hand
  std::size_t size_index = 0;  ///< of `sizes`
  std::size_t sizes = 0;
  int samples = 0;  ///< of this size so far
};

/// What is to be recorded, and how carefully.
struct RecordSetup {
  std::vector<UnitSpec> units;  ///< each is timed alone, in turn, on the cores it has in a run
  Kernel* kernel = nullptr;     ///< allocated
  std::vector<Items> sizes;     ///< block sizes; empty: as `size_ladder` says
  double precision = 0.02;  ///< of the mean time: half the width of its 95 % confidence interval
  int samples_min = 5;      ///< of one size
  int samples_max = 100;    ///< of one size
  Seconds budget{5.0};      ///< for one unit; every size gets `samples_min` all the same
  std::function<void(const RecordProgress&)> progress;  ///< told after every sample; may be none
  std::function<bool()>
      stop_requested;  ///< true ends the recording with what is there; may be none
};

/// A unit as a platform that matches the recording needs it.
struct RecordedUnit {
  Unit unit;                     ///< name, kind, node, model, memory, slots
  std::optional<CopySpeed> in;   ///< none where the kernel copies nothing in
  std::optional<CopySpeed> out;  ///< none where it copies nothing out
};

/// What was recorded.
struct Recording {
  Trace trace;
  std::vector<RecordedUnit> units;
  std::vector<std::string> imprecise;  ///< "cpu0 at 512 items: known to 4.1 %": budget or limit hit
  bool interrupted = false;            ///< a stop was requested; the trace holds what was there
};

/// Records. Every unit in turn runs blocks of each size through the same executor and worker as a
/// run would, one after another through the items, so that memory is as warm or cold as in a run:
/// one block of each size that does not count, then samples until the mean of the whole block's
/// time is known to `precision`, there are `samples_max`, or the size's share of what is left of
/// the budget is spent. All samples are kept, outliers too.
///
/// The trace's dispatch time is the median, over all samples, of what passed between handing a
/// block out and hearing of its end beside its three stages; its first-use time is what the first
/// block of a unit took longer to compute and copy back than the later ones of that size, the mean
/// of all units. Throws InputError for `sizes` that a unit cannot hold, BackendError when a unit
/// does not come up or is lost.
[[nodiscard]] Recording record(const RecordSetup& setup);

/// Block sizes that span what policies use: about 8, each the same factor apart, multiples of the
/// grain, from a 4,096th of the items (a grain at least) to half of them, or to the largest block
/// that the unit's memory holds. Ascending, at least one; empty when not even a grain fits.
[[nodiscard]] std::vector<Items> size_ladder(const Workload& workload, const Unit& unit);

}  // namespace equipoise
