// Probes of one node after another, and of all at once.
#include "shared_policies/policies/equipoise/network.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace equipoise {

void Network::begin(const View& view, Decisions& decisions) {
  const Workload& workload = view.workload();
  const double items_bytes = (workload.in_bytes_per_item + workload.out_bytes_per_item) *
                             static_cast<double>(workload.items);
  const double enough_bytes = probed_part * std::max(workload.first_bytes(0), items_bytes);
  std::map<std::string, NodeLink> links;
  for (const UnitState& unit : view.units()) {
    if (unit.present && unit.unit.is_remote) links.try_emplace(unit.unit.node, NodeLink{unit.id});
  }
  const bool has_all = std::ranges::all_of(links, [&](const auto& entry) {
    const auto known = links_.find(entry.first);
    return known != links_.end() &&
           (known->second.is_known || view.unit(known->second.unit).present);
  });
  if (links.empty() || enough_bytes == 0.0 || (has_all && enough_bytes <= bytes_)) return;
  bytes_ = std::max(enough_bytes, bytes_);
  links_ = std::move(links);
  ++times_;
  answers_ = 0;
  step_ = 0;
  ask_next(decisions);
}

void Network::learn(const Probed& probed, Decisions& decisions) {
  if (answers_ == 0 || probed.probe.number != times_) return;
  --answers_;
  const auto found = std::ranges::find_if(
      links_, [&](const auto& entry) { return entry.second.unit == probed.unit; });
  if (found != links_.end() && probed.times) {
    NodeLink& link = found->second;
    const std::size_t step = step_ - 1;
    const double took_s = probed.times->there.value;
    const double byte_s = std::max(took_s - link.latency_s, 0.0) / bytes_;
    if (step == all_at_once()) {
      link.together_s = std::max(link.alone_s, byte_s);
    } else if (step % 2 == 1) {
      link.alone_s = link.together_s = byte_s;
      link.is_known = true;
    } else {
      link.latency_s = took_s;
    }
  }
  ask_next(decisions);
}

/// If no answer is awaited, asks what comes next: of the next node, or of all if there are several.
void Network::ask_next(Decisions& decisions) {
  const auto ask = [&](const NodeLink& link, double bytes) {
    answers_ += decisions.probe(link.unit, bytes, std::nullopt, times_) ? 1 : 0;
  };
  for (; answers_ == 0 && step_ <= all_at_once(); ++step_) {
    if (step_ < all_at_once()) {
      ask(std::next(links_.begin(), static_cast<std::ptrdiff_t>(step_ / 2))->second,
          step_ % 2 == 0 ? 0.0 : bytes_);
      continue;
    }
    for (const auto& [name, link] : links_) {
      if (links_.size() > 1 && link.is_known) ask(link, bytes_);
    }
  }
}

const NodeLink* Network::link(const UnitState& unit) const {
  const auto found = links_.find(unit.unit.node);
  return found != links_.end() && found->second.is_known ? &found->second : nullptr;
}

}  // namespace equipoise
