// How much work a task of StarPU is, where its model does not say it.
#pragma once

#include <optional>
#include <string>

#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// Flops as a power of the bytes of a task's operands: factor * bytes^exponent.
struct FlopsOfBytes {
  double factor = 0.0;
  double exponent = 1.0;

  [[nodiscard]] double flop(double bytes) const;
};

/// Reads "0.017*bytes^1.5" or "2*bytes". Throws InputError (at `where`) for any other text, and
/// unless both numbers are above 0.
[[nodiscard]] FlopsOfBytes parse_flops(const std::string& text, const std::string& where);

/// A unit whose times grow faster than the bytes of operands.
struct GrowthBeyondBytes {
  std::string unit;
  double bytes = 1.0;  ///< the largest size over the size at which a KiB is cheapest
  double time = 1.0;   ///< the same of their times; more than 1.25 times `bytes`
};

/// The unit of `trace`, in which an item is 1 KiB of operands, whose times grow furthest beyond the
/// bytes; nullopt if none does.
[[nodiscard]] std::optional<GrowthBeyondBytes> growth_beyond_bytes(const Trace& trace);

}  // namespace equipoise
