// What takes a unit's cores away from its blocks now and then, as a recording shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

class Draw;

/// The waits of one unit's blocks for cores that others had (`TraceSample::waited_s`). They do not
/// grow with a block but come now and then while the unit computes: in a short block hardly ever,
/// but then many times its own length. So they belong to the time that a unit has computed.
///
/// How much a unit waits may depend on the size of its blocks: one that pauses between short blocks
/// finds its core free more often. From the smallest size on, sizes are grouped until a group has
/// `enough_waits`; the last sizes, which do not get so many, join the group before. If blocks of a
/// group computed for T seconds and waited n times (several waits of one block count as equally
/// long), a simulated unit in such a block has one wait in every T / n seconds of its computing: at
/// a random moment, as long as a random one of the n. Other programs get their turns regularly, so
/// that the number of waits varies less than if they came independently. Source: ours.
class Interruptions {
 public:
  static constexpr std::size_t enough_waits = 10;

  /// None.
  Interruptions() = default;
  /// Those of `trace.units[unit]`. Samples without `waited_s` do not count; outliers count with the
  /// mean time of others of their size.
  Interruptions(const Trace& trace, std::uint32_t unit);

  /// The mean wait for each second of computing in blocks of `items`.
  [[nodiscard]] double share(double items) const;
  /// The sum of the waits (of very many, their mean) while a unit that has computed for `begin`,
  /// without waits, goes on to `end`, in a block of `items`. Equal draws give equal waits; those of
  /// consecutive spans add up to those of the whole.
  [[nodiscard]] Seconds between(Seconds begin, Seconds end, double items, const Draw& draw) const;

 private:
  /// Neighbouring block sizes.
  struct Group {
    double most_items = 0.0;
    std::vector<double> waits_s{};  ///< each wait
    double computed_s = 0.0;        ///< by all blocks, outliers with the mean of the others
    double waited_s = 0.0;          ///< the sum of `waits_s`

    void add(const Group& other);
    [[nodiscard]] double share() const { return computed_s > 0.0 ? waited_s / computed_s : 0.0; }
  };
  [[nodiscard]] const Group* of(double items) const;

  std::vector<Group> groups_;  ///< by ascending size
};

}  // namespace equipoise
