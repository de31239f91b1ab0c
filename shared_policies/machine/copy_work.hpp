// What copies to and from a unit take from the cores that compute its blocks.
#pragma once

#include <algorithm>
#include <tuple>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// How long the unit's computation stands still for one copy. The threads that copy for an emulated
/// accelerator, and those that wait for its bus, may have the cores on which it computes.
struct CopyWork {
  Seconds copy{};       ///< for a copy of any length
  double byte_s = 0.0;  ///< and for each of its bytes

  /// For a copy of `bytes` that takes `span`, which it cannot exceed.
  [[nodiscard]] Seconds of(double bytes, Seconds span) const {
    return std::min(copy + Seconds{byte_s * bytes}, span);
  }
  bool operator==(const CopyWork&) const = default;
};

constexpr auto describe(DescriptionOf<CopyWork> /*of*/) {
  return std::tuple(
      member("copy_s", &CopyWork::copy, "for each copy in or out").cost().may_lack(),
      member("byte_s", &CopyWork::byte_s, "for each byte of a block's input and results")
          .in("s")
          .at_least(0)
          .at_most(1)
          .may_lack());
}

}  // namespace equipoise
