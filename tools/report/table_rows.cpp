// Sorts and chooses rows of a comparison's table, and judges whether the fastest policy is so by
// chance.
#include "tools/report/table_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/console/console.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// The column that is called so; nullptr if there is none.
const ResultField* find_column(const std::string& name) {
  for (const ResultField& field : result_fields()) {
    const std::string heading = field.heading;
    if ((field.outputs & (in_text | in_html | in_json)) == 0) continue;
    if (name == field.name || name + ".mean" == field.name) return &field;
    if (!heading.empty() && (name == heading || name == heading + " " + field.unit)) return &field;
  }
  return nullptr;
}

/// What a row is sorted by: a text, or a number.
struct SortKey {
  double number = std::numeric_limits<double>::infinity();
  std::string text;

  auto operator<=>(const SortKey&) const = default;
};

SortKey key_of(const ResultField& field, const OfResult& of) {
  Json value = field.value(of);
  if (value.is_object() && value.contains("mean")) value = value["mean"];
  if (value.is_string()) return {0.0, value.get<std::string>()};
  if (value.is_boolean()) return {value.get<bool>() ? 1.0 : 0.0, {}};
  if (!value.is_number()) return {};
  const bool more_is_better = std::string_view(field.name) == "speedup_vs_baseline";
  return {value.get<double>() * (more_is_better ? -1.0 : 1.0), {}};
}

/// Whether repetitions of `result` do not differ by noise.
bool is_exact(const Comparison& comparison, const PolicyResult& result) {
  const std::optional<RunSettings>& sim = comparison.experiment.sim;
  return is_simulated(result) && sim && !sim->noise &&
         comparison.experiment.decision_cost != "measured";
}

/// Whether `other` is slower than `fastest` with a probability of at least 95 %.
bool is_certainly_slower(const PolicyResult& other, const PolicyResult& fastest) {
  return probability_faster(fastest, other.spelling).value_or(0.0) >= 0.95;
}

bool is_oracle(const Comparison& comparison, const PolicyResult& result) {
  return foresight_of(comparison, result) == Foresight::oracle;
}

}  // namespace

void expect_column(const std::string& sort, const std::string& where) {
  if (sort.empty() || find_column(sort) != nullptr) return;
  std::vector<std::string> known;
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & (in_text | in_html)) == 0) continue;
    known.emplace_back(*field.heading != '\0' ? field.heading : field.name);
  }
  throw InputError(where, unknown_name("column", sort, known));
}

std::vector<std::string> worlds_of(const Comparison& comparison) {
  std::vector<std::string> worlds;
  for (const PolicyResult& result : comparison.results) {
    if (std::ranges::find(worlds, result.on) == worlds.end()) worlds.push_back(result.on);
  }
  return worlds;
}

Comparison arranged(Comparison comparison, const TableChoice& choice) {
  if (choice.sort.empty() && !choice.top) return comparison;
  const ResultField* const field = find_column(choice.sort.empty() ? "makespan_s" : choice.sort);
  EQ_CHECK(field != nullptr, "the column was checked before");
  std::vector<PolicyResult> shown;
  for (const std::string& on : worlds_of(comparison)) {
    std::vector<std::pair<SortKey, const PolicyResult*>> rows;
    for (const PolicyResult& result : comparison.results) {
      if (result.on == on) rows.emplace_back(key_of(*field, {comparison, result}), &result);
    }
    if (!choice.sort.empty() &&
        std::ranges::all_of(rows, [](const auto& row) { return row.first == SortKey(); })) {
      warn(fmt::format("--sort {}: no result of {} has a value there; rows keep their order",
                       choice.sort, on));
    }
    std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.first; });
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const PolicyResult& result = *rows[i].second;
      const bool is_baseline = result.spelling == comparison.experiment.baseline;
      if (!choice.top || i < *choice.top || is_baseline) shown.push_back(result);
    }
  }
  comparison.results = std::move(shown);
  return comparison;
}

std::vector<const ResultField*> table_columns(const Comparison& shown, bool is_brief) {
  std::vector<const ResultField*> columns = columns_of(in_text, shown);
  if (!is_brief) return columns;
  constexpr std::array brief = {std::string_view("spelling"), std::string_view("makespan_s"),
                                std::string_view("makespan_half_ci95_s"),
                                std::string_view("speedup_vs_baseline"),
                                std::string_view("over_lower_bound")};
  const bool has_worlds = worlds_of(shown).size() > 1;
  std::erase_if(columns, [&](const ResultField* field) {
    const std::string_view name = field->name;
    if (name == "on") return !has_worlds;
    if (name == "remarks") {
      return std::ranges::all_of(shown.results, [&](const PolicyResult& result) {
        return cell_text(*field, {shown, result}, "").empty();
      });
    }
    return std::ranges::find(brief, name) == brief.end();
  });
  return columns;
}

std::vector<std::string> perhaps_as_fast(const Comparison& comparison, const std::string& on) {
  std::vector<std::string> policies;
  const PolicyResult* const fastest = fastest_result(comparison, on);
  if (fastest == nullptr || is_exact(comparison, *fastest)) return policies;
  for (const PolicyResult& other : comparison.results) {
    if (&other == fastest || other.on != on || !other.verified) continue;
    if (is_oracle(comparison, other) || is_certainly_slower(other, *fastest)) continue;
    if (other.makespan_s.mean == fastest->makespan_s.mean) continue;  // it has a star, too
    policies.push_back(other.spelling);
  }
  return policies;
}

}  // namespace equipoise
