// What the copies of a block cost when nobody disturbs them, and when somebody does.
#pragma once

#include <optional>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/machine/unit_pipeline.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// A copy takes latency + bytes / bandwidth; one of no bytes takes no time.
struct CopySpeed {
  Seconds latency;
  double bandwidth_bytes_per_s = 0.0;

  [[nodiscard]] Seconds time(double bytes) const {
    return bytes <= 0.0 ? Seconds{} : latency + Seconds{bytes / bandwidth_bytes_per_s};
  }
};

/// Of a unit's copies in and out; none: nothing is copied that way, or it takes no time.
struct CopySpeeds {
  std::optional<CopySpeed> in;
  std::optional<CopySpeed> out;
};

/// Sets the bytes of `work`, and how long they take alone. Bytes are the trace's if it has them,
/// else the workload's, rounded up to whole ones; those in come with `resident_bytes`.
void add_copies(PipelinedBlock& work, const BlockTiming& timing, const Workload& workload,
                double resident_bytes, const CopySpeeds& speeds);

/// How long a copy on a unit with so many copy engines takes from `begin` on that takes `alone`
/// when nobody disturbs it: its latency, and what is left at `rate`. A unit that copies by itself
/// (0 engines) does all of it at `rate`.
[[nodiscard]] Seconds disturbed_copy(const CopySpeed& speed, int copy_engines,
                                     const StepFunction& rate, Seconds begin, Seconds alone);

}  // namespace equipoise
