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

/// If an item is 1 KiB of operands and on some unit of `trace` the time grows faster than the bytes,
/// says so, with the unit for which it is worst: the time of a KiB at the largest size is more than
/// 1.25 times that at a smaller size.
[[nodiscard]] std::optional<std::string> growth_beyond_bytes(const Trace& trace);

}  // namespace equipoise
