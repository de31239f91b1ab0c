// The bytes of a block's copies and the times that they take.
#include "shared_policies/machine/copy_speed.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {
namespace {

/// SimGrid simulates whole bytes, so bytes are rounded up everywhere. Rounding errors must not add
/// a byte.
double whole_bytes(double bytes) { return std::ceil(bytes * (1.0 - 1e-12)); }

Seconds alone(const std::optional<CopySpeed>& speed, double bytes) {
  return speed ? speed->time(bytes) : Seconds{};
}

/// The resident bytes that a block of `iteration` needs and the unit does not have.
double bytes_needed(const Workload& workload, ResidentData data, int iteration) {
  switch (data) {
    case ResidentData::original:
      return workload.first_bytes(iteration);
    case ResidentData::missing:
      return workload.resident_bytes;
    case ResidentData::outdated:
      return workload.iteration_bytes;
    case ResidentData::current:
      break;
  }
  return 0.0;
}

}  // namespace

void add_copies(PipelinedBlock& block, const BlockTiming& timing, const Workload& workload,
                const CopySpeeds& speeds) {
  const auto items = static_cast<double>(block.block.items);
  const double in_bytes = timing.in_bytes(items).value_or(workload.in_bytes_per_item * items);
  const double out_bytes = timing.out_bytes(items).value_or(workload.out_bytes_per_item * items);
  block.in_bytes = whole_bytes(in_bytes);
  block.out_bytes = whole_bytes(out_bytes);
  block.alone.in = alone(speeds.in, block.in_bytes);
  block.alone.out = alone(speeds.out, block.out_bytes);
}

void add_setup(PipelinedBlock& block, ResidentData data, Seconds first_use,
               const Workload& workload, const CopySpeeds& speeds,
               const std::optional<ResidentStream>& stream) {
  if (data == ResidentData::current) return;
  block.first_use = data == ResidentData::outdated ? Seconds{} : first_use;
  const double needed = bytes_needed(workload, data, block.block.iteration);
  const auto items = static_cast<double>(block.block.items);
  block.kept_bytes = whole_bytes(stream ? needed * stream->data.kept_share(items) : needed);
  block.setup_bytes = stream && stream->is_remote ? whole_bytes(needed) : block.kept_bytes;
  block.alone.setup = alone(speeds.in, block.setup_bytes);
}

Seconds disturbed_copy(const CopySpeed& speed, int copy_engines, const StepFunction& rate,
                       Seconds begin, Seconds alone) {
  if (rate.is_one()) return alone;
  const Seconds fixed = copy_engines == 0 ? Seconds{} : std::min(speed.latency, alone);
  return fixed + rate.span_of(begin + fixed, alone - fixed);
}

}  // namespace equipoise
