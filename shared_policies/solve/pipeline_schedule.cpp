// A unit's copies and computations in their order.
#include "shared_policies/solve/pipeline_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace equipoise {
namespace {

Seconds time_with_two_engines(std::span<const StageTimes> times) {
  Seconds in_end;
  Seconds compute_end;
  Seconds out_end;
  for (const StageTimes& block : times) {
    in_end += block.in;
    compute_end = std::max(in_end, compute_end) + block.compute;
    out_end = std::max(compute_end, out_end) + block.out;
  }
  return out_end;
}

Seconds time_with_one_engine(std::span<const StageTimes> times) {
  std::vector<Seconds> compute_end(times.size());
  Seconds engine_free;
  std::size_t copied_in = 0;
  std::size_t copied_out = 0;
  while (copied_out < times.size()) {
    const bool has_out = copied_out < copied_in;
    const bool out_is_ready = has_out && compute_end[copied_out] <= engine_free;
    if (!out_is_ready && copied_in < times.size()) {
      engine_free += times[copied_in].in;
      const Seconds before = copied_in > 0 ? compute_end[copied_in - 1] : Seconds{};
      compute_end[copied_in] = std::max(engine_free, before) + times[copied_in].compute;
      ++copied_in;
    } else {
      engine_free = std::max(engine_free, compute_end[copied_out]) + times[copied_out].out;
      ++copied_out;
    }
  }
  return engine_free;
}

}  // namespace

Seconds pipeline_time(std::span<const StageTimes> times, int copy_engines) {
  return copy_engines > 1 ? time_with_two_engines(times) : time_with_one_engine(times);
}

}  // namespace equipoise
