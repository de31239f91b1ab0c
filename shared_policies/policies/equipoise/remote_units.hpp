// Which remote units take part: asks what their links carry, and compares what fetching and copying
// over them takes with the time left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "shared_policies/model/decision.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/policies/equipoise/forecast.hpp"

namespace equipoise {

/// What probes have shown of the link from the input to a node.
struct NodeLink {
  UnitId unit;  ///< that is asked, of the node
  bool is_known = false;
  double latency_s = 0.0;
  double alone_s = 0.0;     ///< of a byte
  double together_s = 0.0;  ///< of a byte, while all nodes copy

  [[nodiscard]] double copy_s(double bytes) const { return latency_s + bytes * alone_s; }
  [[nodiscard]] double shared_copy_s(double bytes) const { return latency_s + bytes * together_s; }
};

/// What is known of the links from the input to remote nodes: nothing but what probes have shown. A
/// probe copies a thousandth of the bytes that it helps to decide about (the resident data of the
/// phase, or what all items copy), so that asking costs a thousandth of what is decided. The nodes
/// are asked one after another, each for its latency (0 bytes) and its bandwidth, and then all at
/// once: links that several nodes share carry less then. Source: ours.
class Network {
 public:
  /// Begins to ask all nodes (anew) if the phase needs larger probes than those sent so far, a node
  /// is new, or a node has not answered and the unit through which it was asked is gone.
  void begin(const View& view, Decisions& decisions) {
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

  /// Learns from the answer to a probe, and sends the next one.
  void learn(const Probed& probed, Decisions& decisions) {
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
        link.alone_s = std::min(link.alone_s, byte_s);  // what was slower alone was disturbed
      } else if (step % 2 == 1) {
        link.alone_s = link.together_s = byte_s;
        link.is_known = true;
      } else {
        link.latency_s = took_s;
      }
    }
    ask_next(decisions);
  }

  /// Whether all nodes were asked, and no answer is awaited.
  [[nodiscard]] bool is_known() const { return answers_ == 0 && step_ > all_at_once(); }
  /// The link to the node of a remote unit; null if the node did not answer.
  [[nodiscard]] const NodeLink* link(const UnitState& unit) const {
    const auto found = links_.find(unit.unit.node);
    return found != links_.end() && found->second.is_known ? &found->second : nullptr;
  }

 private:
  static constexpr double probed_part = 1e-3;  ///< of the bytes decided about, which a probe copies

  [[nodiscard]] std::size_t all_at_once() const { return 2 * links_.size(); }  ///< the last step

  /// If no answer is awaited, asks what comes next: the next node, or all if there are several.
  void ask_next(Decisions& decisions) {
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

  std::map<std::string, NodeLink> links_;  ///< by node
  double bytes_ = 0.0;                     ///< of a probe, for the phases so far
  std::uint64_t times_ = 0;                ///< how often it has begun to ask
  std::size_t step_ = 1;     ///< next: 2k the latency of the k-th node, 2k + 1 its bandwidth
  std::size_t answers_ = 0;  ///< awaited
};

/// Remote units begin once the network is known and the units that have begun show how long the run
/// takes; unfinished first blocks count as half done. Then
///
/// - a node fetches the resident data if that takes at most `worthwhile` of the time left, the
///   iterations to come included, in which what it brings can be used. The node whose units are
///   expected to do most for it comes first; nodes whose links are shared fetch one after another:
///   the first has its data sooner, and none later.
/// - a first block is so small that copying it takes at most a hundredth of the time left, or a
///   grain, if copying that takes at most a quarter of it; else the unit is kept out.
///
/// This is decided whenever the items are divided; while no block ends, whenever the phase is twice
/// as old. Where no unit is beside the input, all begin at once. Source: ours.
class RemoteUnits {
 public:
  explicit RemoteUnits(Forecast& forecast) : forecast_(forecast) {}

  /// A phase begins: no unit has its data.
  void begin_phase() {
    arrives_s_.clear();
    began_ = looks_at_ = view().now();
  }

  /// A phase begins, or a unit has come or gone: asks links of which too little is known.
  void ask(Decisions& decisions) { network_.begin(view(), decisions); }
  void learn(const Probed& probed, Decisions& decisions) { network_.learn(probed, decisions); }
  /// Whether all links have answered.
  [[nodiscard]] bool know_links() const { return network_.is_known(); }

  /// Keeps out all remote units that have something to copy and no block yet, so that a forecast
  /// without them can follow.
  void keep_out() {
    const Workload& workload = view().workload();
    const double item_bytes = workload.in_bytes_per_item + workload.out_bytes_per_item;
    is_any_out_ = false;
    if (workload.first_bytes(0) + item_bytes == 0.0) return;
    for (const UnitState& unit : view().units()) {
      UnitPart& part = forecast_.part(unit.id);
      part.is_kept_out =
          unit.present && unit.unit.is_remote && !part.has_data && unit.outstanding.empty();
      is_any_out_ = is_any_out_ || part.is_kept_out;
    }
  }

  /// Lets in those of them that are worth their copies, according to the forecast without them;
  /// returns whether there are any.
  bool let_in() {
    if (!is_any_out_) return false;
    const auto is_local = [](const UnitState& unit) {
      return unit.present && !unit.unit.is_remote;
    };
    const bool is_any_local = std::ranges::any_of(view().units(), is_local);
    const double left_s = time_left_s();
    if (!network_.is_known() || (is_any_local && left_s <= 0.0)) return false;
    bool is_fetching = false;
    std::multimap<double, const UnitState*, std::greater<>> waiting;  // by what they are worth
    for (const UnitState& unit : view().units()) {
      const UnitPart& part = forecast_.part(unit.id);
      if (part.is_kept_out) {
        waiting.emplace(worth(unit), &unit);
      } else if (unit.present && !part.has_data) {
        is_fetching = is_fetching || view().now().value < arrives_s_[unit.unit.node];
      }
    }
    bool is_anyone_in = false;
    is_any_out_ = false;
    for (const auto& [by, unit] : waiting) {
      UnitPart& part = forecast_.part(unit->id);
      part.is_kept_out =
          is_any_local && (!is_worthwhile(*unit, left_s, is_fetching) || most_items(*unit) == 0.0);
      is_any_out_ = is_any_out_ || part.is_kept_out;
      if (part.is_kept_out) continue;
      is_anyone_in = true;
      const double bytes = view().resident_bytes_to_send(unit->id);
      const NodeLink* const link = network_.link(*unit);
      double& arrives_s = arrives_s_[unit->unit.node];
      const double copy_s = link == nullptr ? 0.0 : link->copy_s(bytes);
      if (bytes > 0.0) arrives_s = view().now().value + copy_s;
      part.fetch_s = std::max(0.0, arrives_s - view().now().value);
      is_fetching = is_fetching || bytes > 0.0;
    }
    return is_anyone_in;
  }

  /// If the time of the last look has come and units are still out: when to look again, for the
  /// case that no block ends before. Otherwise nothing.
  std::optional<Seconds> next_look() {
    const bool is_due = view().now() >= looks_at_ && view().outstanding() > 0;
    if (!is_due || !is_any_out_) return std::nullopt;
    return looks_at_ = view().now() + std::max(view().now() - began_, first_look);
  }

  /// The largest first block of a remote unit, in items; infinite if copies are not what limits it.
  [[nodiscard]] double most_items(const UnitState& unit) const {
    const Workload& workload = view().workload();
    const double item_bytes = workload.in_bytes_per_item + workload.out_bytes_per_item;
    const NodeLink* const link = network_.link(unit);
    const auto grain = static_cast<double>(workload.grain_items);
    const double left_s = time_left_s();
    if (item_bytes == 0.0 || link == nullptr || left_s <= 0.0) {
      return std::numeric_limits<double>::infinity();
    }
    if (link->shared_copy_s(grain * item_bytes) > grain_copy_share * left_s) return 0.0;
    const double copied_s = first_copy_share * left_s - link->latency_s;
    return std::max(grain, copied_s / (link->together_s * item_bytes));
  }

 private:
  /// Fetching may take this share of the time left.
  static constexpr double worthwhile = 0.8;
  /// The copy of a first block may take this share of it, and that of a single grain this one.
  static constexpr double first_copy_share = 0.01;
  static constexpr double grain_copy_share = 0.25;
  /// The shortest time until the next look.
  static constexpr Seconds first_look{1e-3};
  /// A link counts as shared if a copy takes so many times as long while all nodes copy.
  static constexpr double shared_factor = 1.25;

  [[nodiscard]] const View& view() const { return forecast_.view(); }

  /// The time left, iterations to come included.
  [[nodiscard]] double time_left_s() const {
    const Workload& workload = view().workload();
    const int later = workload.iterations - 1 - view().iteration();
    const double iteration_s =
        forecast_.rate() > 0.0 ? static_cast<double>(workload.items) / forecast_.rate() : 0.0;
    return forecast_.end_s() - view().now().value + later * iteration_s;
  }

  /// The mean rate of the unit's kind for a second of fetching; infinite for accelerators of a kind
  /// not yet measured.
  [[nodiscard]] double worth(const UnitState& unit) const {
    const double rate = forecast_.rate_of(unit.unit.kind);
    const NodeLink* const link = network_.link(unit);
    const double fetch_s =
        link == nullptr ? 0.0 : link->copy_s(view().resident_bytes_to_send(unit.id));
    const bool is_untried = rate == 0.0 && unit.unit.kind != UnitKind::cpu;
    return is_untried || fetch_s == 0.0 ? std::numeric_limits<double>::infinity() : rate / fetch_s;
  }

  /// Whether what `unit` has to fetch comes in time, and its link is not in use.
  [[nodiscard]] bool is_worthwhile(const UnitState& unit, double left_s, bool is_fetching) const {
    const Workload& workload = view().workload();
    const double bytes = view().resident_bytes_to_send(unit.id);
    if (bytes == 0.0) return true;
    const NodeLink* const link = network_.link(unit);
    if (link == nullptr) return false;
    const int later = workload.iterations - 1 - view().iteration();
    const double fetch_s = link->copy_s(bytes);
    const double again_s = later * link->copy_s(workload.iteration_bytes);
    if (fetch_s + again_s > worthwhile * left_s) return false;
    return !is_fetching || link->shared_copy_s(bytes) <= shared_factor * fetch_s;
  }

  Forecast& forecast_;
  Network network_;
  std::map<std::string, double> arrives_s_;  ///< by node: when its data should be there
  Seconds began_;                            ///< of the phase
  Seconds looks_at_;                         ///< next
  bool is_any_out_ = false;                  ///< since the items were divided last
};

}  // namespace equipoise
