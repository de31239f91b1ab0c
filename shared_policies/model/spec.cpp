// Parses the names, parameters and numbers that users type.
#include "shared_policies/model/spec.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

double scale_of(const std::string& suffix) {
  const std::pair<const char*, double> scales[] = {
      {"", 1.0}, {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}};
  for (const auto& [name, scale] : scales) {
    if (suffix == name) return scale;
  }
  return 0.0;
}

}  // namespace

Spec parse_spec(const std::string& text, char after_name, const std::string& where) {
  Spec spec;
  const std::size_t name_end = text.find(after_name);
  spec.name = text.substr(0, name_end);
  if (spec.name.empty())
    throw InputError(where,
                     "'" + text + "' has no name; write NAME or NAME" + after_name + "key=value");
  if (name_end == std::string::npos) return spec;
  std::size_t at = name_end + 1;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string pair = text.substr(at, end - at);
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(where, "'" + pair + "' in '" + text + "' is not key=value");
    }
    if (!spec.parameters.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second) {
      throw InputError(where, "'" + pair.substr(0, equals) + "' is given twice in '" + text + "'");
    }
    at = end + 1;
  }
  return spec;
}

std::optional<double> as_number(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const double scale = scale_of(std::string(end, text.data() + text.size()));
  if (error != std::errc() || scale == 0.0 || !std::isfinite(value * scale)) return std::nullopt;
  return value * scale;
}

double parse_number(const std::string& text, const std::string& where) {
  const std::optional<double> value = as_number(text);
  if (!value) {
    throw InputError(where, "'" + text + "' is not a number; write 12, 0.5, 5e6 or 64Ki");
  }
  return *value;
}

double parse_share(const std::string& text, const std::string& where) {
  const bool is_percent = text.ends_with('%');
  const std::optional<double> number =
      as_number(is_percent ? text.substr(0, text.size() - 1) : text);
  const double share = number.value_or(-1.0) / (is_percent ? 100.0 : 1.0);
  if (share >= 0.0 && share < 1.0) return share;
  throw InputError(where, "'" + text + "' is not a share from 0 to below 1; write 5% or 0.05");
}

Items parse_items(const std::string& text, const std::string& where) {
  const double value = parse_number(text, where);
  if (value != std::floor(value) || std::abs(value) >= 0x1p53) {
    throw InputError(where, "'" + text + "' is not a whole number below 2^53");
  }
  return static_cast<Items>(value);
}

}  // namespace equipoise
