// Writes the tables of a comparison from results.json.
#include "tools/page/results_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "shared_policies/run/losses.hpp"
#include "shared_policies/text/markup.hpp"
#include "tools/page/result_cells.hpp"
#include "tools/report/glossary.hpp"

namespace equipoise {
namespace {

/// Whether all results have the same value of a field that says something about all of them.
bool is_of_all(const ResultField& field, const Results& results) {
  const std::string_view name = field.name;
  if (name == "on") return !has_worlds(results);
  const bool is_verified = name == "verified";
  if (!is_verified && name != "reps") return false;
  return std::ranges::all_of(results, [&](const JsonValue* r) {
    return is_verified ? is_true_at(*r, name)
                       : number_at(*r, name, 0.0) == number_at(*results.front(), name, 0.0);
  });
}

/// The fields of the table of which some result has a value that is not 0, without the policy's
/// name and what is said of all results together.
std::vector<const ResultField*> columns_for(const Results& results) {
  std::vector<const ResultField*> columns;
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & in_html) == 0 || std::string_view(field.name) == "spelling") continue;
    const bool says_something = std::ranges::any_of(results, [&](const JsonValue* r) {
      const JsonValue* const value = member(*r, field.name);
      return value != nullptr && (value->kind != JsonValue::Kind::number || value->number != 0.0);
    });
    if (says_something && !is_of_all(field, results)) columns.push_back(&field);
  }
  return columns;
}

std::string signed_percent(double ratio) { return fmt::format("{:+.2f} %", 100.0 * (ratio - 1.0)); }

}  // namespace

std::string numbers_html(const JsonValue& results) {
  const Results sorted = sorted_results(results);
  const std::vector<const ResultField*> columns = columns_for(sorted);
  const JsonValue* const best = fastest(sorted);
  PageTable table;
  table.caption =
      "The fastest first; the fastest policy that knows nothing beforehand is emphasised. In "
      "brackets: the 95 % interval of the mean. Point at a heading or a mark for what it means.";
  if (!sorted.empty() && is_of_all(result_field("reps"), sorted)) {
    const double reps = number_at(*sorted.front(), "reps", 0.0);
    table.caption += fmt::format(" {:.0f} {} of each policy.", reps, reps == 1.0 ? "run" : "runs");
  }
  if (!sorted.empty() && is_of_all(result_field("verified"), sorted)) {
    table.caption += " All results are verified.";
  }
  table.headings = {"policy"};
  for (const ResultField* const field : columns) {
    table.headings.push_back(explained(heading_for(*field), field->explanation));
  }
  for (const JsonValue* const result : sorted) {
    std::vector<PageCell>& row = table.rows.emplace_back();
    row.push_back(policy_cell(*result));
    for (const ResultField* const field : columns) row.push_back(cell_of(*field, *result));
    table.marked.push_back(result == best);
  }
  return table_html(table);
}

std::string predictions_html(const JsonValue& results) {
  const Results sorted = sorted_results(results);
  PageTable table;
  table.headings = {"policy", "measured", explained("sd", term("sd").sentence), "predicted",
                    explained("error", "predicted over measured makespan, less 1")};
  double worst = 0.0;
  const ResultField& makespan = result_field("makespan_s");
  for (const JsonValue* const real : sorted) {
    if (text_at(*real, "on") == "sim") continue;
    for (const JsonValue* const sim : sorted) {
      if (text_at(*sim, "on") != "sim" || text_at(*sim, "spelling") != text_at(*real, "spelling")) {
        continue;
      }
      const double ratio = mean_s(*sim) / mean_s(*real);
      worst = std::max(worst, std::abs(ratio - 1.0));
      const JsonValue* const sd = member(*real, "makespan_relative_sd");
      table.rows.push_back({policy_cell(*real),
                            cell_of(makespan, *real),
                            {sd == nullptr ? "–" : fmt::format("{:.1f} %", 100.0 * sd->number)},
                            cell_of(makespan, *sim),
                            {signed_percent(ratio), fmt::format("{}", ratio - 1.0)}});
    }
  }
  if (table.rows.empty()) return {};
  table.caption = fmt::format(
      "Simulated and really run. An error below sd, by which repetitions of the same run differ, "
      "is no "
      "error that could be measured. Worst error: {:.2f} %.",
      100.0 * worst);
  return table_html(table);
}

std::string losses_html(const JsonValue& results) {
  const double bound_s = number_at(results, "lower_bound_s", 0.0);
  const Results sorted = sorted_results(results);
  PageTable table;
  table.caption = "In percent of the lower bound. Empty: less than half a percent.";
  table.headings = {"policy"};
  if (has_worlds(sorted)) table.headings.emplace_back("on");
  table.headings.push_back(explained("loss", "The mean makespan less the lower bound."));
  for (const LossCause& cause : loss_causes) {
    table.headings.push_back(explained(cause.name, cause.explanation));
  }
  for (const JsonValue* const result : sorted) {
    if (!(bound_s > 0.0) || member(*result, "loss_s.total") == nullptr) continue;
    std::vector<PageCell>& row = table.rows.emplace_back(1, policy_cell(*result));
    if (has_worlds(sorted)) row.push_back({markup_escaped(text_at(*result, "on")), {}, true});
    const auto add = [&](const std::string& name) {
      const JsonValue* const lost = member(*result, "loss_s." + name);
      const double share = lost == nullptr ? 0.0 : lost->number / bound_s;
      const bool is_small = std::abs(share) < 0.005 && name != "total";
      row.push_back({is_small ? "" : fmt::format("{:.1f}", 100.0 * share),
                     lost == nullptr ? "" : lost->text});
    };
    add("total");
    for (const LossCause& cause : loss_causes) add(cause.name);
  }
  return table.rows.empty() ? std::string() : table_html(table);
}

std::string energy_html(const JsonValue& results) {
  PageTable table;
  table.caption = "The energy of each unit, from its busy and idle watts.";
  table.headings = {"policy", "on"};
  const ResultField& field = result_field("energy_j");
  for (const JsonValue* const result : sorted_results(results)) {
    const JsonValue* const by_unit = member(*result, "energy_by_unit_j");
    if (by_unit == nullptr) continue;
    const bool is_known = std::ranges::any_of(by_unit->object, [](const JsonMember& unit) {
      return unit.value.kind == JsonValue::Kind::number;
    });
    if (!is_known) continue;
    std::vector<PageCell>& row = table.rows.emplace_back(1, policy_cell(*result));
    row.push_back({markup_escaped(text_at(*result, "on")), {}, true});
    for (const JsonMember& unit : by_unit->object) {
      if (table.rows.size() == 1) table.headings.push_back(markup_escaped(unit.name));
      const bool is_number = unit.value.kind == JsonValue::Kind::number;
      row.push_back({is_number ? shown(field, unit.value.number) : "–", unit.value.text});
    }
  }
  return table.rows.empty() ? std::string() : table_html(table);
}

std::string command_html(const std::string& command) {
  if (command.empty()) return {};
  return "<p>The command:</p>\n<pre>" + markup_escaped(command) + "</pre>\n";
}

std::string repeat_html(const JsonValue& results) {
  std::string html;
  const JsonValue* const environment = member(results, "environment");
  if (environment != nullptr) {
    html += command_html(text_at(*environment, "command"));
    html += facts_html(*environment, "command");
  }
  const JsonValue* const experiment = member(results, "experiment");
  if (experiment != nullptr) html += "<h3>Experiment</h3>\n" + facts_html(*experiment);
  return html;
}

}  // namespace equipoise
