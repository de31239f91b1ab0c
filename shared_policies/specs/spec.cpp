// Parses the names, parameters, numbers and quantities that users type.
#include "shared_policies/specs/spec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

struct Scale {
  std::string_view name;
  double factor;
  double divisor = 1.0;  ///< 20 us are 20 / 1e6 s, exactly as 2e-5 is read; 20 * 1e-6 is not

  [[nodiscard]] double of(double value) const { return value * factor / divisor; }
};

constexpr std::array<Scale, 5> binary = {
    {{"", 1.0}, {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}}};
constexpr std::array<Scale, 9> decimal = {{{"", 1.0},
                                           {"n", 1.0, 1e9},
                                           {"u", 1.0, 1e6},
                                           {"\u00b5", 1.0, 1e6},
                                           {"m", 1.0, 1e3},
                                           {"k", 1e3},
                                           {"M", 1e6},
                                           {"G", 1e9},
                                           {"T", 1e12}}};

/// What may stand behind a number of one unit.
struct Quantity {
  std::string_view unit;
  std::string_view examples;      ///< of what can be written
  std::array<Scale, 3> symbols;   ///< of the unit, with what one of them is; unused ones are empty
  bool has_binary = false;        ///< whether Ki, Mi, ... may stand before a symbol
  std::array<Scale, 2> others{};  ///< without prefixes
};

constexpr std::array<Quantity, 7> quantities = {{
    {"s",
     "5e-6, 5 us, 20 ms, 3 s or 2 min",
     {{{"s", 1.0}}},
     false,
     {{{"min", 60.0}, {"h", 3600.0}}}},
    {"bytes", "64e9, 64 GB or 64 GiB", {{{"B", 1.0}}}, true, {{{"bytes", 1.0}, {"byte", 1.0}}}},
    {"bytes/s",
     "3e9, 3 GB/s or, in bits, 25 Gb/s",
     {{{"B/s", 1.0}, {"b/s", 0.125}, {"bit/s", 0.125}}},
     true},
    {"FLOP/s", "5e12 or 5 TFLOP/s", {{{"FLOP/s", 1.0}, {"Flop/s", 1.0}, {"flop/s", 1.0}}}},
    {"Hz", "2.9e9 or 2.9 GHz", {{{"Hz", 1.0}}}},
    {"W", "250, 250 W or 1.2 kW", {{{"W", 1.0}}}},
    {"J", "3e3, 3 kJ or 3000 J", {{{"J", 1.0}}}},
}};

constexpr std::string_view plain_examples = "12, 0.5, 5e6 or 64Ki";

/// How many of the base unit `value` of `suffix` are; nullopt if it is no unit of `quantity`. A
/// null quantity has no units.
std::optional<double> in_base_unit(double value, std::string_view suffix,
                                   const Quantity* quantity) {
  for (const Scale& scale : binary) {
    if (suffix == scale.name) return scale.of(value);
  }
  if (quantity == nullptr) return std::nullopt;
  for (const Scale& other : quantity->others) {
    if (suffix == other.name) return other.of(value);
  }
  for (const Scale& symbol : quantity->symbols) {
    if (symbol.name.empty() || !suffix.ends_with(symbol.name)) continue;
    const std::string_view prefix = suffix.substr(0, suffix.size() - symbol.name.size());
    for (const Scale& scale : decimal) {
      const bool is_slip = quantity->has_binary && scale.divisor > 1.0;  // 25 mb/s means megabits
      if (prefix == scale.name && !is_slip) return symbol.of(scale.of(value));
    }
    for (const Scale& scale : binary) {
      if (quantity->has_binary && prefix == scale.name) return symbol.of(scale.of(value));
    }
  }
  return std::nullopt;
}

/// The number that `text` is; nullopt if it is none of `quantity`.
std::optional<double> number_in(const std::string& text, const Quantity* quantity) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (quantity != nullptr)
    suffix.remove_prefix(std::min(suffix.find_first_not_of(' '), suffix.size()));
  if (error != std::errc()) return std::nullopt;
  const std::optional<double> in_base = in_base_unit(value, suffix, quantity);
  return in_base && std::isfinite(*in_base) ? in_base : std::nullopt;
}

double read_number(const std::string& text, const Quantity* quantity, const std::string& where) {
  if (const std::optional<double> number = number_in(text, quantity)) return *number;
  const std::string examples(quantity == nullptr ? plain_examples : quantity->examples);
  const std::string what =
      quantity == nullptr
          ? "a number"
          : "a number of " + std::string(quantity->unit == "s" ? "seconds" : quantity->unit);
  throw InputError(where, "'" + text + "' is not " + what + "; write " + examples);
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

std::optional<double> as_number(const std::string& text) { return number_in(text, nullptr); }

double parse_number(const std::string& text, const std::string& where) {
  return read_number(text, nullptr, where);
}

double parse_quantity(const std::string& text, const std::string& unit, const std::string& where) {
  const auto* const quantity = std::ranges::find(quantities, unit, &Quantity::unit);
  return read_number(text, quantity == quantities.end() ? nullptr : quantity, where);
}

double parse_ratio(const std::string& text, const std::string& where) {
  if (text.ends_with('%')) return parse_number(text.substr(0, text.size() - 1), where) / 100.0;
  const double ratio = parse_number(text, where);
  if (ratio < 1.0) return ratio;
  throw InputError(where, "'" + text + "' may mean percent or not; write 10% or 0.1");
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
