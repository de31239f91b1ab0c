// Follows a path through the fields of a result.
#include "tools/report/result_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

namespace equipoise {
namespace {

constexpr std::array<std::string_view, 4> parts_of_statistics = {"mean", "sd", "min", "max"};

/// What is left of `path` after the name of `field`: empty, or ".rest". nullopt if it is not the
/// field's.
std::optional<std::string_view> rest_of(const ResultField& field, std::string_view path) {
  const std::string_view name = field.name;
  if ((field.outputs & in_json) == 0 || !path.starts_with(name)) return std::nullopt;
  const std::string_view rest = path.substr(name.size());
  if (!rest.empty() && rest.front() != '.') return std::nullopt;
  return rest;
}

/// Whether `path` may name a number of a phase: "2.duration_s", "2.share_by_unit.cuda0".
bool names_in_phase(std::string_view path, const std::vector<std::string>& units) {
  const std::size_t dot = path.find('.');
  if (dot == 0 || dot == path.npos || path.find_first_not_of("0123456789") != dot) return false;
  const std::string_view member = path.substr(dot + 1);
  constexpr std::string_view shares = "share_by_unit.";
  if (!member.starts_with(shares)) return member == "end_s" || member == "duration_s";
  return std::ranges::find(units, member.substr(shares.size())) != units.end();
}

/// The numbers in a value, each with the end of its path.
struct NumbersIn {
  const Comparison& comparison;
  using Numbers = std::vector<std::pair<std::string, double>>;

  Numbers operator()(double value) const { return {{"", value}}; }
  Numbers operator()(std::uint64_t value) const { return {{"", static_cast<double>(value)}}; }
  Numbers operator()(const Statistics& value) const {
    return {{"", value.mean},
            {".mean", value.mean},
            {".sd", value.sd},
            {".min", value.min},
            {".max", value.max}};
  }
  Numbers operator()(const std::vector<std::optional<double>>& value) const {
    Numbers numbers;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (value[i]) numbers.emplace_back("." + comparison.units[i], *value[i]);
    }
    return numbers;
  }
  Numbers operator()(const std::vector<PhaseResult>& value) const {
    Numbers numbers;
    double begin_s = 0.0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string phase = fmt::format(".{}", i + 1);
      numbers.emplace_back(phase + ".end_s", value[i].end_s);
      numbers.emplace_back(phase + ".duration_s", value[i].end_s - begin_s);
      for (std::size_t u = 0; u < value[i].share_by_unit.size(); ++u) {
        numbers.emplace_back(phase + ".share_by_unit." + comparison.units[u],
                             value[i].share_by_unit[u]);
      }
      begin_s = value[i].end_s;
    }
    return numbers;
  }
  template <class Other>
  Numbers operator()(const Other& /*value*/) const {
    return {};
  }
};

}  // namespace

std::vector<ResultNumber> numbers_at(const OfResult& of, std::string_view path) {
  std::vector<ResultNumber> found;
  for (const ResultField& field : result_fields()) {
    const auto rest = rest_of(field, path);
    if (!rest) continue;
    const FieldValue value = field.value(of);
    const bool all =
        rest->empty() && std::holds_alternative<std::vector<std::optional<double>>>(value);
    for (const auto& [end, number] : std::visit(NumbersIn{of.comparison}, value)) {
      if (!all && end != *rest) continue;
      const bool is_time = std::string_view(field.name) == "phases" && end.ends_with("_s");
      found.push_back({field.name + end, number, is_time ? "s" : field.unit,
                       is_time ? NumberFormat{Notation::significant, 4} : field.format});
    }
  }
  return found;
}

bool is_number_path(std::string_view path, const std::vector<std::string>& units) {
  return std::ranges::any_of(result_fields(), [&](const ResultField& field) {
    const auto rest = rest_of(field, path);
    if (!rest || rest->empty()) return rest.has_value();
    const std::string_view end = rest->substr(1);
    if (std::string_view(field.name) == "phases") return names_in_phase(end, units);
    return std::ranges::find(parts_of_statistics, end) != parts_of_statistics.end() ||
           std::ranges::find(units, end) != units.end();
  });
}

}  // namespace equipoise
