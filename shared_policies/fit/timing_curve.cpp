// Block times are piecewise linear: a straight line between neighbouring recorded sizes, and
// outside of them.
#include "shared_policies/fit/timing_curve.hpp"

#include <algorithm>
#include <utility>

namespace equipoise {

TimingCurve::TimingCurve(BlockTiming timing, const Moving& moving,
                         std::optional<ResidentStream> stream)
    : timing_(std::move(timing)), moving_(moving), stream_(std::move(stream)) {
  const std::vector<double>& sizes = timing_.sizes();
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    non_decreasing_ = non_decreasing_ && seconds(sizes[i]) <= seconds(sizes[i + 1]);
  }
}

double TimingCurve::computing_s(double items) const {
  const Seconds time = timing_.mean(items);
  return stream_ ? std::max(time, stream_->time(items)).value : time.value;
}

double TimingCurve::seconds(double items) const {
  const double in_bytes = timing_.in_bytes(items).value_or(moving_.in_bytes_per_item * items);
  const double out_bytes = timing_.out_bytes(items).value_or(moving_.out_bytes_per_item * items);
  // Over the route to another node goes everything.
  const bool sends_all = !stream_ || stream_->is_remote;
  const double setup_bytes =
      moving_.setup_bytes * (sends_all ? 1.0 : stream_->data.kept_share(items));
  return moving_.dispatch.value + moving_.in.time(setup_bytes).value +
         moving_.in.time(in_bytes).value + computing_s(items) + moving_.out.time(out_bytes).value;
}

CostAt TimingCurve::at(double items) const {
  const double here_s = seconds(items);
  const std::vector<double>& sizes = timing_.sizes();
  const auto above = std::upper_bound(sizes.begin(), sizes.end(), items);
  const double further = above == sizes.end() ? 2.0 * items : *above;
  return {here_s, (seconds(further) - here_s) / (further - items)};
}

TimingCurve::Moving moving_of(const Platform& platform, const PlatformUnit& unit,
                              const Workload& workload, Seconds dispatch) {
  TimingCurve::Moving moving;
  moving.dispatch = dispatch;
  moving.in = copy_speed_of(platform.links, unit.in);
  moving.out = copy_speed_of(platform.links, unit.out);
  moving.in_bytes_per_item = workload.in_bytes_per_item;
  moving.out_bytes_per_item = workload.out_bytes_per_item;
  moving.setup_bytes = workload.bytes_of_an_iteration();
  return moving;
}

}  // namespace equipoise
