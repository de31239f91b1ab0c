// The constraints of the lower bound: what a unit's share needs, what units share, and what a span
// of time offers under a scenario.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/machine/resident_data.hpp"
#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/machine/step_function.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// An amount that a block of a given size takes: seconds or bytes.
struct BlockTake {
  double items = 0.0;
  double takes = 0.0;
};

/// A lower bound C(x) on the sum of f(y_i) over all divisions y_1 + ... + y_m = x, where every y_i
/// lies between the first and the last of the sizes at which f is given. f is linear between these
/// sizes.
///
///     C(x) = x min{ f(y) / y : y <= x },   because no block of a share is larger than the share
///
/// C(x) = f(x) as long as f(y) / y falls with y. C(x) is attained if x is a multiple of the size
/// with the smallest f(y) / y.
class CheapestBlocks {
 public:
  /// `takes`: ascending in items, at least one entry (otherwise a bug), items > 0, takes >= 0.
  explicit CheapestBlocks(std::span<const BlockTake> takes);

  /// The largest x with C(x) <= `limit`. 0 if even the smallest block takes more; infinite if
  /// nothing is taken at any size.
  [[nodiscard]] double within(double limit) const;
  /// The smallest f(y) / y over all sizes.
  [[nodiscard]] double per_item() const { return kinks_.back().least_per_item; }

 private:
  struct Kink {
    double items;
    double takes;
    double least_per_item;  // in blocks of up to this size
  };
  std::vector<Kink> kinks_;
};

/// The integral of a rate from `start` on, as a function of the length of the span.
///
///     over(T) = integral of rate(t) dt for t from start to start + T
///
/// Non-decreasing in T. Spans are counted from `start`, so that a late start costs no precision. At
/// a constant rate it is exactly rate * T. O(log steps) for each call, O(steps) to construct.
class RateIntegral {
 public:
  /// The integral of the constant rate 1.
  RateIntegral() : RateIntegral(StepFunction{}, Seconds{}) {}
  RateIntegral(const StepFunction& rate, Seconds start);

  [[nodiscard]] double over(double span_s) const;

 private:
  struct Stretch {
    double from_s = 0.0;  // counted from `start`
    double rate = 1.0;    // until the next stretch begins
    double done = 0.0;    // before this stretch
  };
  std::vector<Stretch> stretches_;
};

/// The copies of a unit in one direction, or in both directions through one copy engine, as
/// functions of a block's items that are linear between `sizes`.
struct CopyDirection {
  StepFunction rate;  ///< r(t): the route's bandwidth over the undisturbed one
  std::function<double(double)> latency_s;
  std::function<double(double)> moving_s;  ///< at the undisturbed bandwidth
  double setup = 0.0;                      ///< seconds for each setup byte
  std::vector<double> sizes;

  /// A lower bound on c L + bytes/B of some items, in any number of blocks, see UnitNeeds.
  [[nodiscard]] CheapestBlocks takes(double c) const;
  /// What the copies are offered while the unit is there, see UnitNeeds: max(c, r) * `present`.
  [[nodiscard]] StepFunction offered(double c, const StepFunction& present) const;
};

/// One resource that a unit's share needs, and the rate at which it is offered over time.
struct Need {
  CheapestBlocks takes;
  double setup = 0.0;  ///< additional need for each setup byte
  StepFunction rate;
  RateIntegral offered = {};  ///< the integral of `rate` from the start that was set last

  /// The number of items for which a span of `span_s` is enough, with `setup_bytes` to be sent
  /// as well.
  [[nodiscard]] double within(double span_s, double setup_bytes) const;
};

/// What a share is counted in, and what of it is counted. If items differ (ItemCosts), two bounds
/// hold: one on shares of work, in items of mean cost, and one on shares of items that leaves
/// computing out. A block of y work has at least y / `most` items, whose copies it needs.
struct ShareMeasure {
  double least = 1.0;  ///< work of an item; 1 if shares are of items
  double most = 1.0;
  bool counts_computing = true;
};

/// All needs of one unit's share.
///
/// compute: mean times C, at the speed s(t) that the scenario leaves while the unit is present. A
/// unit that copies by itself over links that no other unit uses does one thing at a time: at any
/// time it computes, at the rate s, or it copies in or out, at the rates s q_in and s q_out, where
/// q is the bandwidth of the route over its undisturbed bandwidth. (Latencies pass at these rates,
/// too.) Let I and O be the undisturbed times of its copies. For all constants a, b >= 0, the sum
///
///     a b C + b I + a O
///
/// grows at one of the rates a b s, b s q_in and a s q_out at any time when the unit is there, and
/// so by no more than the integral of s max(a b, b q_in, a q_out) over that time. Used for a = 1
/// and the smallest and largest q_in, and b = 1 and the smallest and largest q_out. Without changes
/// of links this is C + I + O <= integral of s. If links get faster, small constants give what
/// copying alone needs, and large ones what is left for computing: with a and b the largest values,
/// C + I / a + O / b <= integral of s.
///
/// copies: a unit copies one block at a time in each direction (in total, with one copy engine).
/// Let B be the undisturbed bandwidth of the route's narrowest link, and r(t) the bandwidth of the
/// narrowest link at time t, divided by B. A transfer first spends its latency L in real time, then
/// needs bytes/B of the integral of r. The times of the transfers are disjoint and lie where the
/// unit is present. Adding up over all transfers gives, for every constant c,
///
///     sum (c L + bytes/B)  <=  integral of max(c, r(t)) dt while the unit is there,
///
/// because max(c, r) >= c during latencies and max(c, r) >= r after them. This is used for c = the
/// smallest and c = the largest value of r. Without a scenario both are 1, which gives latency +
/// bytes/B <= T. With one copy engine, L and bytes/B are sums over both directions, and r is the
/// larger of the two rates.
///
/// For a unit that copies by itself over its own links, latencies also pass at its rate: they count
/// like bytes/B.
///
/// streams: a unit that reads resident data with each block (ResidentStream) computes it at least
/// as long as it reads, and its engine for copies in does nothing else meanwhile: the time of the
/// stream is added to that of the copy in. What of the resident data goes to such a unit before its
/// first block depends on that block, so nothing is counted; on another node, all of them. Streams
/// are counted if the scenario changes neither the speed of the unit nor the links of its route.
///
/// own_link_bytes: a link that only this unit uses, in both directions, carries all its bytes.
struct UnitNeeds {
  std::size_t unit = 0;
  std::vector<Need> compute;
  std::vector<Need> copies;
  std::optional<Need> own_link_bytes;
  std::vector<CopyDirection> engines;  ///< of a unit with a `device`: the copies in and out, or all
                                       ///< copies if it has one engine
  std::optional<RemoteNode> node;      ///< with which it shares resident data
  double in_bytes_per_item = 0.0;      ///< a lower bound
  double out_bytes_per_item = 0.0;     ///< a lower bound
  bool counts_setup = true;            ///< false: the setup bytes depend on the unit's first block
  bool ends_present = true;            ///< the unit is present after the scenario's last change
  StepFunction present;                ///< 1 while it is there, else 0

  UnitNeeds(const DisturbedPlatform& world, const Workload& workload, std::size_t unit,
            const BlockTiming& timing, const std::optional<ResidentStream>& stream,
            const ShareMeasure& measure = {});

  /// Declares that only this unit uses `links`, each of them in both directions.
  void set_own_links(const DisturbedPlatform& world, const std::vector<std::uint32_t>& links);
  /// Declares that the unit shares resident data with `node`: only the node's trunk, of this
  /// bandwidth, carries them for certain, once for all of its units.
  void share_setup(const RemoteNode& node, double trunk_bytes_per_s);
  /// The bytes that `link` must carry for the unit, for each byte of its setup.
  [[nodiscard]] double setup_over(std::uint32_t link) const;
  /// Sets the start of all following spans to `start`.
  void begin_at(Seconds start);

  /// The number of items whose computation fits into `span_s`; with the copies of a unit that
  /// copies by itself over links of its own.
  [[nodiscard]] double computed_within(double span_s) const;
  /// The number of items whose copies fit into `span_s`, with `setup_bytes` to be sent as well.
  [[nodiscard]] double copies_within(double span_s, double setup_bytes) const;
};

/// A link that several units use, or a copy engine of a device that several units share.
///
/// An engine copies for one unit at a time. As in UnitNeeds, adding up over all transfers of all
/// its units gives, for every constant c,
///
///     sum over units of sum (c L + bytes/B)  <=  integral of max over units of max(c, r(t)) while
///                                                the unit is there
///
/// where L, B and r are those of the unit's route. Used for the smallest and the largest value of
/// all r.
struct SharedResource {
  /// The least that a unit needs of it. A unit may stand there twice.
  struct User {
    std::size_t needs = 0;        ///< its position among the needs
    double per_item = 0.0;        ///< bytes, or seconds of an engine
    double per_setup_byte = 0.0;  ///< bytes, or seconds of an engine
  };
  std::string name;  ///< the link's; "copies" for an engine
  std::vector<User> users;
  StepFunction rate;
  RateIntegral offered = {};  ///< the integral of `rate` from the start that was set last
};

/// The shared resources of the units in `needs`. Tells units that use links alone about them
/// (UnitNeeds::set_own_links).
[[nodiscard]] std::vector<SharedResource> find_shared_resources(const DisturbedPlatform& world,
                                                                std::vector<UnitNeeds>& needs);

}  // namespace equipoise
