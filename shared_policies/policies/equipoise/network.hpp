// Asks what the links to remote nodes carry, and what copies over them will take.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "shared_policies/model/event.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// What is known of the links from the input to remote nodes, in seconds and bytes: nothing but what probes have
/// shown. A probe copies a thousandth of the bytes that it helps to decide about (the resident data of the phase, or
/// the inputs of all items), so that asking costs a thousandth of what is decided. The nodes are asked one after
/// another, each for its latency (0 bytes) and its bandwidth, and then all at once: links that several nodes share
/// carry less then. Source: ours.
class Network {
 public:
  /// A phase begins, or a unit has come. Asks, unless what is known comes from probes that were as large, of all
  /// nodes.
  void begin(const View& view, Decisions& decisions);
  /// The end of a probe; asks on.
  void learn(const Probed& probed, Decisions& decisions);

  /// Whether nothing is asked any more.
  [[nodiscard]] bool is_known() const { return asked_ == Asked::nothing; }
  /// The time of a copy of `bytes` to or from the node of a remote unit: alone, or while all nodes copy. None: the
  /// unit's node did not answer.
  [[nodiscard]] std::optional<double> copy_s(const UnitState& unit, double bytes) const;
  [[nodiscard]] std::optional<double> shared_copy_s(const UnitState& unit, double bytes) const;

 private:
  enum class Asked : std::uint8_t { nothing, latency, alone, together };
  struct Link {
    UnitId unit;  ///< that is asked, of its node
    double latency_s = 0.0;
    double alone_s = 0.0;     ///< of a byte
    double together_s = 0.0;  ///< of a byte, while all nodes copy
    bool is_known = false;
  };

  void ask_next(Decisions& decisions);
  void ask(const Link& link, double bytes, Decisions& decisions);

  std::map<std::string, Link> links_;  ///< by node
  double bytes_ = 0.0;                 ///< of a probe
  std::uint64_t times_ = 0;            ///< how often it has begun to ask
  Asked asked_ = Asked::nothing;
  std::string node_;         ///< that is asked alone
  std::size_t answers_ = 0;  ///< awaited
};

}  // namespace equipoise
