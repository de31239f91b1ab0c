// Learns the costs of blocks on an empty unit and of queued blocks separately.
#include "shared_policies/policies/equipoise/pipeline_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace equipoise {

bool PipelineCost::add(const BlockFinished& finished, Seconds at, Seconds last_end, bool is_first,
                       Seconds heard) {
  const bool met_an_empty_unit = last_end <= finished.assigned;
  const auto items = static_cast<double>(finished.block.items);
  const bool is_contradicted =
      is_unconfirmed_ && met_an_empty_unit &&
      alone_.is_far_from(items, (at - finished.assigned - finished.times.setup).value);
  const bool shows_items =
      items * alone_.item_s() >= alone_.fixed_s() || items >= alone_.largest_items();
  if (is_contradicted) *this = PipelineCost(overlaps_);
  if (shows_items) is_unconfirmed_ = false;
  const StageTimes& times = finished.times;
  const Seconds longest =
      overlaps_ ? std::max({times.in, times.compute, times.out}) : recurring(times);
  const double longest_s = longest.value;
  if (is_first) {
    if (!is_known()) alone_.add(items, (overlaps_ ? recurring(times) : times.compute).value);
  } else if (!met_an_empty_unit) {
    const double span_s = std::max((at - last_end - times.setup).value, 0.0);
    spans_s_ += span_s;
    queued_stages_s_ += longest_s;
    if (overlaps_) {
      const double waits = queued_stages_s_ > 0.0 ? spans_s_ / queued_stages_s_ : 1.0;
      queued_.add(items, longest_s * std::max(waits, 1.0));
    } else {  // with larger blocks the controller's latency matters less
      queued_.add(items, std::max(span_s, longest_s));
      latency_s_ += longest_s;
      stage_s_ += longest_s;
    }
  } else {
    const Seconds span = at - finished.assigned - times.setup;
    alone_.add(items, span.value);
    latency_s_ += (span + heard).value;
    stage_s_ += longest_s;
    if (overlaps_) copies_s_ += (recurring(times) - longest).value;
    in_s_ += times.in.value;
    in_stage_s_ += longest_s;
  }
  return is_contradicted;
}

void PipelineCost::start_from(const LearnedCost& learned) {
  alone_.start_from(learned.alone.empty() ? learned.queued : learned.alone, learned.scatter,
                    learned.doubt);
  queued_.start_from(learned.queued, learned.scatter, learned.doubt);
  is_unconfirmed_ = is_known();
  latency_s_ = alone_.seconds(alone_.largest_items());
  stage_s_ = learned.stage_share * latency_s_;
  if (overlaps_) copies_s_ = latency_s_ - stage_s_;
}

bool PipelineCost::hides_copies() const { return copies_s_ > tolerance * stage_s_; }

double PipelineCost::longest_hidden_s(double busy_s, double left_s) const {
  if (!hides_copies() || in_s_ == 0.0) return std::numeric_limits<double>::infinity();
  const double fixed_s = queued().fixed_s();
  const double in_share = in_s_ / in_stage_s_;
  return fixed_s + std::max(busy_s, std::sqrt(fixed_s * in_share * left_s)) / in_share;
}

std::size_t PipelineCost::depth() const {
  const double ratio = stage_s_ > 0.0 ? latency_s_ / stage_s_ : 1.0;
  const double blocks = std::ceil(ratio - tolerance);
  return static_cast<std::size_t>(std::clamp(blocks, 1.0, most_queued));
}

int PipelineCost::blocks_in_memory(double items, int engines) const {
  const double stage_share = latency_s_ > 0.0 ? stage_s_ / latency_s_ : 1.0;
  int cheapest = 1;
  double least_s = std::numeric_limits<double>::infinity();
  for (int blocks = 1; is_known() && blocks <= engines + 1; ++blocks) {
    const double share = std::max(stage_share, 1.0 / blocks);
    const double all_s = blocks * alone().seconds(items / blocks) * share;
    if (all_s >= least_s * (cheapest > 1 ? 1.0 + tolerance : 1.0)) continue;
    least_s = all_s;
    cheapest = blocks;
  }
  return cheapest;
}

}  // namespace equipoise
