// Holds what travels between the master and nodes to given rates, so that one machine is a cluster
// with a slow network.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <optional>
#include <vector>

#include "real/threads/wake_signal.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// What the link of a rank is held to. All transfers between the master and a node cross the
/// master's link and the node's.
struct HeldLink {
  std::optional<double> bytes_per_s;  ///< in each direction; none: as fast as it is
  Seconds latency{};                  ///< that each transfer takes in addition
};

/// Transfers in one direction. Each waits for the latency of its node's link; then those that go on
/// at the same time divide the links they cross, as SimGrid's do (max-min fairness): a transfer of
/// node j, one of n(j), has the rate
///
///     min(level, bytes_per_s(j) / n(j))
///
/// with the highest level at which all together do not exceed the master's link.
class HeldLinks {
 public:
  using TimePoint = WakeSignal::TimePoint;
  using Done = std::function<void()>;

  /// (ranks); the first is the master's, whose latency does not count.
  explicit HeldLinks(std::vector<HeldLink> links) : links_(std::move(links)) {}

  /// Whether transfers with rank `rank` are held.
  [[nodiscard]] bool holds(int rank) const;
  /// Begins a transfer of `bytes` with `rank` at `now`; `done` is called when it has ended.
  void begin(int rank, double bytes, TimePoint now, Done done);
  /// Ends what has ended by `now`.
  void advance(TimePoint now);
  /// When `advance` is to be called next; max: nothing is on its way.
  [[nodiscard]] TimePoint next_date() const { return next_; }
  void clear();

 private:
  struct Transfer {
    std::size_t rank = 0;
    TimePoint ready;  ///< its latency is over
    double bytes_left = 0.0;
    double bytes_per_s = 0.0;  ///< now; infinite if nothing holds it
    Done done;
  };

  void move_to(TimePoint at);
  void share_links();
  void find_next(TimePoint now);

  std::vector<HeldLink> links_;
  std::list<Transfer> transfers_;
  TimePoint at_{};  ///< up to when `bytes_left` are reckoned
  TimePoint next_ = TimePoint::max();
};

}  // namespace equipoise
