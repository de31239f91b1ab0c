// The conditions as comparisons of stage times.
#include "shared_policies/policies/hierarchical/stall_free.hpp"

#include <algorithm>
#include <numeric>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr double equality_error = 1e-9;  // relative error that a solver's equality may have

/// a >= b, up to rounding.
bool covers(Seconds a, Seconds b) { return a.value * (1.0 + equality_error) >= b.value; }

/// Whether `out` and `in` both fit into `span` on the unit's copy engines.
bool fit_within(Seconds out, Seconds in, Seconds span, int copy_engines) {
  return covers(span, copy_engines > 1 ? std::max(out, in) : out + in);
}

Items sum_of(std::span<const Items> blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), Items{0});
}

}  // namespace

bool fit_together(std::span<const Items> blocks, Items cap_items) {
  return sum_of(blocks) <= cap_items;
}

bool hide_outer_copies(std::span<const StageTimes> times) {
  return (times.size() < 2 || covers(times[0].compute, times[1].in)) &&
         (times.size() < 3 || covers(times[2].compute, times[1].out));
}

bool hide_inner_copies(std::span<const StageTimes> times, int copy_engines) {
  return times.size() < 3 || fit_within(times[0].out, times[2].in, times[1].compute, copy_engines);
}

bool hides_later_copies(std::span<const StageTimes> times, std::size_t position, int copy_engines) {
  EQ_CHECK(position < times.size(), "a block of the group");
  if (position < 3) return true;
  return fit_within(times[position - 2].out, times[position].in, times[position - 1].compute,
                    copy_engines) &&
         covers(times[position].compute, times[position - 1].out);
}

bool are_stall_free(std::span<const StageTimes> times, int copy_engines) {
  bool hidden = hide_outer_copies(times) && hide_inner_copies(times, copy_engines);
  for (std::size_t position = 3; position < times.size(); ++position) {
    hidden = hidden && hides_later_copies(times, position, copy_engines);
  }
  return hidden;
}

Seconds stall_free_time(std::span<const StageTimes> times) {
  EQ_CHECK(!times.empty(), "a group has blocks");
  Seconds sum = times.front().in + times.back().out;
  for (const StageTimes& block : times) sum += block.compute;
  return sum;
}

}  // namespace equipoise
