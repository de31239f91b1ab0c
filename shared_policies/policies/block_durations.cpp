// Finds each unit's first block of a phase.
#include "shared_policies/policies/block_durations.hpp"

#include <algorithm>

namespace equipoise {

BlockDurations::Duration BlockDurations::of(const View& view, const BlockFinished& finished) {
  char& is_served = has_resident_data_[finished.unit.index];
  const bool brought_resident_data = is_served == 0 && view.workload().resident_bytes > 0.0;
  is_served = 1;
  const Seconds in = brought_resident_data ? Seconds{} : finished.times.in;
  const Seconds span = in + finished.times.compute + finished.times.out;
  return {std::max(span.value, shortest_block_s), brought_resident_data};
}

}  // namespace equipoise
