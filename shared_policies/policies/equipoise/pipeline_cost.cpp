// Learns the costs of blocks on an empty unit and of queued blocks separately.
#include "shared_policies/policies/equipoise/pipeline_cost.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {
namespace {

/// Waiting for this share of a block is not worth another block in the queue.
constexpr double tolerance = 0.05;
constexpr double most_queued = 4.0;

}  // namespace

void PipelineCost::add(const BlockFinished& finished, Seconds at, Seconds last_end, bool is_first,
                       Seconds heard) {
  const auto items = static_cast<double>(finished.block.items);
  const StageTimes& times = finished.times;
  const Seconds longest =
      overlaps_ ? std::max({times.in, times.compute, times.out}) : recurring(times);
  const double longest_s = longest.value;
  if (is_first) {
    if (!is_known()) alone_.add(items, times.compute.value);
  } else if (last_end > finished.assigned) {
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
  }
}

void PipelineCost::start_from(const LearnedCost& learned) {
  alone_.start_from(learned.alone.empty() ? learned.queued : learned.alone, learned.scatter,
                    learned.doubt);
  queued_.start_from(learned.queued, learned.scatter, learned.doubt);
  latency_s_ = alone_.seconds(alone_.largest_items());
  stage_s_ = learned.stage_share * latency_s_;
  if (overlaps_) copies_s_ = latency_s_ - stage_s_;
}

bool PipelineCost::hides_copies() const { return copies_s_ > tolerance * stage_s_; }

std::size_t PipelineCost::depth() const {
  const double ratio = stage_s_ > 0.0 ? latency_s_ / stage_s_ : 1.0;
  const double blocks = std::ceil(ratio - tolerance);
  return static_cast<std::size_t>(std::clamp(blocks, 1.0, most_queued));
}

}  // namespace equipoise
