// Cells of comma-separated values.
#pragma once

#include <string>

namespace equipoise {

/// `text` as a cell: in quotation marks if it needs them (RFC 4180).
[[nodiscard]] std::string csv_quoted(const std::string& text);

/// As many digits as are needed to read the same number back; empty if `value` is not finite.
[[nodiscard]] std::string csv_number(double value);

}  // namespace equipoise
