// Follows a path through the fields of a result.
#include "tools/report/result_numbers.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

namespace equipoise {
namespace {

/// What is left of `path` after the name of `field`: empty, or ".rest". nullopt if it is not the
/// field's.
std::optional<std::string_view> rest_of(const ResultField& field, std::string_view path) {
  const std::string_view name = field.name;
  if ((field.outputs & in_json) == 0 || !path.starts_with(name)) return std::nullopt;
  const std::string_view rest = path.substr(name.size());
  if (!rest.empty() && rest.front() != '.') return std::nullopt;
  return rest;
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

/// A comparison with one result, in which all numbers are known.
Comparison complete_example(const std::vector<std::string>& units, std::size_t phases) {
  constexpr const char* policy = "greedy";
  Comparison comparison;
  comparison.units = units;
  comparison.policies = {parse_policy(policy)};
  PolicyResult& result = comparison.results.emplace_back();
  result.spelling = policy;
  result.reps = 2;
  result.core_use = {1.0, 0.0};
  result.speedup_vs_baseline = result.over_lower_bound = 1.0;
  result.means.of<&RunNumbers::energy_j>() = 1.0;
  result.paired_ratio = Statistics{};
  result.loss = Losses{};
  result.idle_by_unit = result.share_by_unit = std::vector<double>(units.size());
  result.energy_by_unit_j = std::vector<std::optional<double>>(units.size(), 1.0);
  result.phases = std::vector<PhaseResult>(phases, {0.0, std::vector<double>(units.size())});
  return comparison;
}

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
                       is_time ? NumberFormat{Notation::significant, 4} : field.shown.format});
    }
  }
  return found;
}

std::vector<std::string> number_paths(std::string_view path, const std::vector<std::string>& units,
                                      std::size_t phases) {
  const Comparison example = complete_example(units, phases);
  std::vector<std::string> paths;
  for (const ResultNumber& number : numbers_at({example, example.results.front()}, path)) {
    paths.push_back(number.path);
  }
  return paths;
}

}  // namespace equipoise
