// Asks what the links to remote nodes carry, and what copies over them will take.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "shared_policies/model/event.hpp"
#include "shared_policies/run/policy.hpp"

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
  /// Asks if larger probes are wanted, a node is new, or one was asked through a unit that is gone.
  void begin(const View& view, Decisions& decisions);
  /// The end of a probe; asks on.
  void learn(const Probed& probed, Decisions& decisions);

  /// Whether nothing is asked any more.
  [[nodiscard]] bool is_known() const { return answers_ == 0 && step_ > all_at_once(); }
  /// The link to the node of a remote unit; null if the node did not answer.
  [[nodiscard]] const NodeLink* link(const UnitState& unit) const;

 private:
  static constexpr double probed_part = 1e-3;  ///< of the bytes decided about, which a probe copies

  [[nodiscard]] std::size_t all_at_once() const { return 2 * links_.size(); }  ///< the last step
  void ask_next(Decisions& decisions);

  std::map<std::string, NodeLink> links_;  ///< by node
  double bytes_ = 0.0;                     ///< of a probe, for the phases so far
  std::uint64_t times_ = 0;                ///< how often it has begun to ask
  std::size_t step_ = 1;     ///< next: 2k the latency of the k-th node, 2k + 1 its bandwidth
  std::size_t answers_ = 0;  ///< awaited
};

}  // namespace equipoise
