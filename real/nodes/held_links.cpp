// The rates of held transfers, reckoned anew whenever one begins or ends.
#include "real/nodes/held_links.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace equipoise {
namespace {

using Span = std::chrono::duration<double>;

constexpr double unlimited = std::numeric_limits<double>::infinity();
/// Less than this is nothing: times are whole nanoseconds.
constexpr double bytes_min = 1e-3;

WakeSignal::Span as_span(double seconds) {
  constexpr double longest_s = 1e6;
  return std::chrono::duration_cast<WakeSignal::Span>(Span(std::min(seconds, longest_s)));
}

}  // namespace

bool HeldLinks::holds(int rank) const {
  if (links_.empty()) return false;
  const HeldLink& link = links_[static_cast<std::size_t>(rank)];
  return links_.front().bytes_per_s || link.bytes_per_s || link.latency > Seconds{};
}

void HeldLinks::begin(int rank, double bytes, TimePoint now, Done done) {
  advance(now);
  const auto at = static_cast<std::size_t>(rank);
  transfers_.push_back({at, now + as_span(links_[at].latency.value), bytes, 0.0, std::move(done)});
  share_links();
  find_next(now);
}

void HeldLinks::advance(TimePoint now) {
  while (next_ <= now) {
    move_to(next_);
    std::vector<Done> over;
    for (auto transfer = transfers_.begin(); transfer != transfers_.end();) {
      const bool has_moved = transfer->bytes_left < bytes_min || transfer->bytes_per_s == unlimited;
      if (transfer->ready <= at_ && has_moved) {
        over.push_back(std::move(transfer->done));
        transfer = transfers_.erase(transfer);
      } else {
        ++transfer;
      }
    }
    share_links();
    find_next(at_);
    for (const Done& done : over) done();  // may begin others
  }
  move_to(now);
}

void HeldLinks::clear() {
  transfers_.clear();
  next_ = TimePoint::max();
}

void HeldLinks::move_to(TimePoint at) {
  if (at <= at_) return;
  const double span_s = Span(at - at_).count();
  for (Transfer& transfer : transfers_) {
    if (transfer.bytes_per_s == 0.0) continue;
    transfer.bytes_left = transfer.bytes_per_s == unlimited
                              ? 0.0
                              : std::max(0.0, transfer.bytes_left - transfer.bytes_per_s * span_s);
  }
  at_ = at;
}

void HeldLinks::share_links() {
  std::vector<int> flowing(links_.size(), 0);
  for (Transfer& transfer : transfers_) {
    transfer.bytes_per_s = 0.0;
    if (transfer.ready <= at_) ++flowing[transfer.rank];
  }
  // The most that each transfer of a node may have, ascending, with their number.
  std::vector<std::pair<double, int>> caps;
  int left = 0;
  for (std::size_t rank = 0; rank < links_.size(); ++rank) {
    if (flowing[rank] == 0) continue;
    caps.emplace_back(links_[rank].bytes_per_s.value_or(unlimited) / flowing[rank], flowing[rank]);
    left += flowing[rank];
  }
  std::ranges::sort(caps);
  double bytes_per_s = links_.front().bytes_per_s.value_or(unlimited);
  double level = unlimited;
  for (const auto& [cap, number] : caps) {
    level = bytes_per_s / left;
    if (cap > level) break;
    bytes_per_s -= cap * number;
    left -= number;
    level = unlimited;
  }
  for (Transfer& transfer : transfers_) {
    if (transfer.ready > at_) continue;
    const double cap =
        links_[transfer.rank].bytes_per_s.value_or(unlimited) / flowing[transfer.rank];
    transfer.bytes_per_s = std::min(level, cap);
  }
}

void HeldLinks::find_next(TimePoint now) {
  next_ = TimePoint::max();
  for (const Transfer& transfer : transfers_) {
    TimePoint date = transfer.ready;
    if (transfer.ready <= now) {
      const double left_s =
          transfer.bytes_per_s == unlimited ? 0.0 : transfer.bytes_left / transfer.bytes_per_s;
      // Rounded up, so that nothing is left by then.
      date = now + as_span(left_s) + std::chrono::nanoseconds(left_s > 0.0 ? 1 : 0);
    }
    next_ = std::min(next_, date);
  }
}

}  // namespace equipoise
