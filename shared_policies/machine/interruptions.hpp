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
/// finds its core free more often. From the smallest size on, sizes are put together until these
/// have `enough_waits`; the last sizes, which do not get so many, join those before. Of such sizes,
/// which computed for T seconds in all, blocks have waited n times, each time equally long in a
/// block. Another run has one wait in each n-th
/// part of T seconds of its computing of such sizes, at a random place there, and each is a random
/// one of the n. Other programs get their turns regularly, so that the number of waits varies less
/// than if they came independently. Source: ours.
class Interruptions {
 public:
  static constexpr std::size_t enough_waits = 10;

  /// None.
  Interruptions() = default;
  /// Those of `trace.units[unit]`. Samples without `waited_s` do not count; outliers count as waits
  /// only.
  Interruptions(const Trace& trace, std::uint32_t unit);

  /// The mean wait for each second of computing in blocks of `items`.
  [[nodiscard]] double share(double items) const;
  /// The sum of the waits (of very many, their mean) while a unit that has computed for `begin`
  /// goes on to `end`, in a block of `items`. Equal draws give equal waits; those of consecutive
  /// spans add up to those of the whole.
  [[nodiscard]] Seconds between(Seconds begin, Seconds end, double items, const Draw& draw) const;

 private:
  /// Sizes that are put together.
  struct Sizes {
    double most_items = 0.0;
    std::vector<double> waits_s{};
    double computed_s = 0.0;
    double waited_s = 0.0;

    void add(const Sizes& other);
    [[nodiscard]] double share() const { return computed_s > 0.0 ? waited_s / computed_s : 0.0; }
  };
  [[nodiscard]] const Sizes* of(double items) const;

  std::vector<Sizes> sizes_;  ///< ascending
};

}  // namespace equipoise
