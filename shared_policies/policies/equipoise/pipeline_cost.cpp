// Learns the costs of blocks on an empty unit and of queued blocks separately.
#include "shared_policies/policies/equipoise/pipeline_cost.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {
namespace {

constexpr double queueing_ratio_min = 1.005;
constexpr double depth_margin = 0.2;
constexpr std::size_t most_queued = 4;

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
    queued_.add(items, std::max((at - last_end - times.setup).value, longest_s));
    if (!overlaps_) {  // with larger blocks the controller's latency matters less
      latency_s_ += longest_s;
      stage_s_ += longest_s;
    }
  } else {
    const Seconds span = at - finished.assigned - times.setup;
    alone_.add(items, span.value);
    latency_s_ += (span + heard).value;
    stage_s_ += longest_s;
  }
}

void PipelineCost::start_from(const LearnedCost& learned) {
  const std::vector<LearnedSize>& alone = learned.alone.empty() ? learned.queued : learned.alone;
  alone_.start_from(alone, learned.scatter, learned.doubt);
  queued_.start_from(learned.queued, learned.scatter, learned.doubt);
  latency_s_ = alone.back().seconds;
  stage_s_ = learned.stage_share * latency_s_;
}

std::size_t PipelineCost::depth() const {
  const double ratio = stage_s_ > 0.0 ? latency_s_ / stage_s_ : 1.0;
  if (ratio < queueing_ratio_min) return 1;
  return std::min(most_queued, static_cast<std::size_t>(std::ceil(ratio + depth_margin)));
}

}  // namespace equipoise
