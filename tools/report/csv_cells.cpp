// Quotes cells and writes numbers without loss.
#include "tools/report/csv_cells.hpp"

#include <fmt/format.h>

#include <cmath>

namespace equipoise {

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

}  // namespace equipoise
