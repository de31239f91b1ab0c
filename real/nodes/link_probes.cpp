// Sends probes, and reckons their times by both clocks.
#include "real/nodes/link_probes.hpp"

#include <algorithm>
#include <utility>

namespace equipoise {

using std::chrono::steady_clock;

void LinkProbes::begin(const std::vector<LinkProbe>& probes) {
  probes_.clear();
  for (const LinkProbe& probe : probes) probes_.push_back({probe});
  for (std::size_t number = 0; number < probes_.size(); ++number) send(number);
}

void LinkProbes::send(std::size_t number) {
  Probe& probe = probes_[number];
  const LinkProbe& asked = probe.asked;
  const bool is_held = there_.holds(asked.rank);
  communicator_.post(
      asked.rank,
      archived(MessageToNode(SendLinkProbe{number, asked.there_bytes, asked.back_bytes, is_held})));
  probe.sent = steady_clock::now();
  if (asked.there_bytes > 0) {
    const PooledBytes blank = pool_.take(asked.there_bytes);
    communicator_.send(asked.rank, blank.bytes(), blank.owner);
  }
  if (!is_held) return;
  there_.begin(asked.rank, static_cast<double>(asked.there_bytes), probe.sent, [this, number] {
    communicator_.post(probes_[number].asked.rank,
                       archived(MessageToNode(ReleaseLinkProbe{number})));
  });
}

void LinkProbes::end(int from, const LinkProbed& probed) {
  if (!back_.holds(from)) return set_times(probed);
  back_.begin(from, static_cast<double>(probed.back_bytes), steady_clock::now(),
              [this, probed] { set_times(probed); });
}

void LinkProbes::set_times(const LinkProbed& probed) {
  if (probed.number >= probes_.size()) return;
  Probe& probe = probes_[probed.number];
  const auto now_ns = static_cast<double>(ns_of(steady_clock::now()));
  const double ahead_ns = communicator_.clock_of(probe.asked.rank).ahead_at(now_ns);
  const auto sent_ns = static_cast<double>(ns_of(probe.sent));
  const double arrived_ns = std::clamp(static_cast<double>(probed.arrived_ns) - ahead_ns, sent_ns,
                                       std::max(sent_ns, now_ns));
  probe.times = {Seconds{1e-9 * (arrived_ns - sent_ns)}, Seconds{1e-9 * (now_ns - arrived_ns)}};
  probe.is_done = true;
  done_();
}

}  // namespace equipoise
