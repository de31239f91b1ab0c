// Bytes, and seconds for them.
#include "sim/copy_costs.hpp"

#include <cmath>
#include <optional>

namespace equipoise {
namespace {

/// What `bytes` take on `way` when nobody else is on it.
Seconds alone(const Way& way, double bytes) {
  if (bytes == 0.0 || way.from == way.to) return {};
  return way.latency + Seconds{bytes / way.bandwidth_bytes_per_s};
}

/// Bytes are whole for SimGrid, so they are for everybody; a little noise does not make one more.
double whole_bytes(double bytes) { return std::ceil(bytes * (1.0 - 1e-12)); }

}  // namespace

void add_copies(PipelinedBlock& work, const CopyingUnit& unit) {
  const auto items = static_cast<double>(work.block.items);
  const double in_bytes =
      unit.timing.in_bytes(items).value_or(unit.workload.in_bytes_per_item * items);
  const double out_bytes =
      unit.timing.out_bytes(items).value_or(unit.workload.out_bytes_per_item * items);
  work.in_bytes = whole_bytes(in_bytes + unit.resident_bytes);
  work.out_bytes = whole_bytes(out_bytes);
  work.alone.in = alone(unit.ways.in, work.in_bytes);
  work.alone.out = alone(unit.ways.out, work.out_bytes);
  if (!unit.copies_itself) return;
  const std::optional<Seconds> in = unit.timing.in_time(items);
  const std::optional<Seconds> out = unit.timing.out_time(items);
  if (in && unit.ways.in.is_private) {
    work.alone.in = *in + alone(unit.ways.in, whole_bytes(unit.resident_bytes));
  }
  if (out && unit.ways.out.is_private) work.alone.out = *out;
}

}  // namespace equipoise
