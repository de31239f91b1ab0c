// The notation that users type: NAME:key=value,key=value, numbers such as 5e6 and 64Ki, and
// quantities such as "64 GiB", "25 Gb/s" and "30 us".
#pragma once

#include <map>
#include <optional>
#include <string>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A name and its parameters, as typed by the user.
struct Spec {
  std::string name;
  std::map<std::string, std::string> parameters;
};

/// Parses "NAME", "NAME:k=v,k=v" (`after_name` is ':') or "NAME,k=v" (`after_name` is ','). Throws
/// InputError (at `where`) for an empty name, a parameter without '=', an empty key, or a key that
/// is given twice.
[[nodiscard]] Spec parse_spec(const std::string& text, char after_name, const std::string& where);

/// `text` as a number in the notation of `parse_number`; nothing if it is none.
[[nodiscard]] std::optional<double> as_number(const std::string& text);

/// Reads a finite number: 12, 0.5, 5e6, 64Ki, 2Mi, 1.5Gi, 1Ti. Otherwise throws InputError (at
/// `where`) with the text.
[[nodiscard]] double parse_number(const std::string& text, const std::string& where);

/// Reads a percentage or a number below 1: "5%" and 0.05 are the same, "250%" is 2.5. Throws
/// InputError (at `where`) for anything else, so that 10 does not stand for 1000 %.
[[nodiscard]] double parse_ratio(const std::string& text, const std::string& where);

/// Reads a share from 0 to below 1: "5%" or 0.05. Otherwise throws InputError (at `where`).
[[nodiscard]] double parse_share(const std::string& text, const std::string& where);
/// Reads a number of `unit`, which is "s", "bytes", "bytes/s", "FLOP/s", "Hz", "W" or "J" (any
/// other text: the number has no unit). The number stands alone, as in `parse_number`, or with a
/// unit: "30 us", "2 min", "64 GiB", "3 GB/s", "25 Gb/s" (bits), "5 TFLOP/s", "2.9 GHz", "250 W".
/// Spaces between number and unit do not matter. Otherwise throws InputError (at `where`) with the
/// text.
[[nodiscard]] double parse_quantity(const std::string& text, const std::string& unit,
                                    const std::string& where);

/// Reads a whole number with an absolute value below 2^53. Otherwise throws InputError (at
/// `where`).
[[nodiscard]] Items parse_items(const std::string& text, const std::string& where);

}  // namespace equipoise
