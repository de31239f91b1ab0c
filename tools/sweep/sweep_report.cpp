// Writes the same numbers as JSON, Markdown, HTML and text.
#include "tools/sweep/sweep_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/page/page_html.hpp"
#include "tools/page/report_page.hpp"
#include "tools/report/glossary.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/runs/version.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// A row of a table: the text of its cells.
using Row = std::vector<std::string>;

/// Escapes `text` for Markdown.
std::string in_markdown(const std::string& text) {
  constexpr std::string_view meaningful = "\\`*[]<>|";
  std::string escaped;
  for (const char c : printable(text)) {
    if (meaningful.find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// A row of a table, with `emphasis` around each cell.
std::string markdown_line(const Row& cells, const char* emphasis = "") {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += fmt::format(" {0}{1}{0} |", emphasis, in_markdown(cell));
  }
  return line + "\n";
}

/// A table of headings, the first row, and the rows below them. All columns but the first are
/// right-aligned.
std::string markdown_table(const std::vector<Row>& rows) {
  std::string text = markdown_line(rows.front()) + "|---|";
  for (std::size_t i = 1; i < rows.front().size(); ++i) text += "---:|";
  text += "\n";
  for (std::size_t i = 1; i < rows.size(); ++i) text += markdown_line(rows[i]);
  return text;
}

/// Experiments in which the reference is behind by more than this share are listed.
constexpr double behind_share = 0.01;

std::string marked(const PolicyStanding& standing) {
  std::vector<std::string> words;
  if (standing.foresight == Foresight::oracle) words.push_back(term("oracle").word);
  if (standing.foresight == Foresight::informed) words.push_back(term("informed").word);
  if (standing.knows_costs) words.push_back(term("knows_costs").word);
  if (words.empty()) return standing.spelling;
  return fmt::format("{} ({})", standing.spelling, fmt::join(words, ", "));
}

std::string ratio_text(const RatioSummary& ratio, double value, int decimals) {
  return ratio.experiments == 0 ? "-" : fmt::format("{:.{}f}", value, decimals);
}

/// The summary over all experiments: the headings, then one row for each policy.
std::vector<Row> standing_rows(const SweepResults& results) {
  const std::vector<StandingRatio> ratios = standing_ratios();
  std::vector<Row> rows = {{"policy", "experiments"}};
  for (const StandingRatio& of : ratios) {
    rows[0].insert(rows[0].end(), {of.heading, "worst " + of.heading});
  }
  if (!results.reference.empty()) rows[0].push_back("times " + results.reference);
  for (const PolicyStanding& s : results.standings) {
    Row row = {marked(s), fmt::format("{}", s.experiments)};
    for (const StandingRatio& of : ratios) {
      const RatioSummary& ratio = s.*of.summary;
      row.push_back(ratio_text(ratio, ratio.geometric_mean, of.decimals));
      row.push_back(ratio_text(ratio, ratio.worst, of.decimals));
    }
    if (!results.reference.empty()) {
      row.push_back(ratio_text(s.over_reference, s.over_reference.geometric_mean, 4));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The words of the summary's ratios (see `glossary`).
std::vector<std::string> ratio_words() {
  std::vector<std::string> words;
  for (const StandingRatio& of : standing_ratios()) words.push_back(of.heading);
  return words;
}

/// A ratio, for a table with one row per experiment and one column per policy.
struct RatioTable {
  const char* field;  ///< of results
  RatioSummary PolicyStanding::*summary;
  int decimals = 3;
};

std::string ratio_table(const SweepResults& results, const RatioTable& table) {
  const ResultField& field = result_field(table.field);
  std::vector<Row> rows = {{"experiment"}};
  for (const PolicyStanding& standing : results.standings) rows[0].push_back(marked(standing));
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    const Comparison& comparison = results.comparisons[i];
    Row& row = rows.emplace_back(Row{results.campaign.experiments[i].name});
    for (const PolicyStanding& standing : results.standings) {
      const PolicyResult* result = find_result(comparison, standing.spelling, "sim");
      const Json ratio = result == nullptr ? Json() : field.value({comparison, *result});
      row.push_back(ratio.is_number() ? fmt::format("{:.{}f}", ratio.get<double>(), table.decimals)
                                      : "-");
    }
  }
  Row mean = {"geometric mean"};
  Row worst = {"worst"};
  for (const PolicyStanding& standing : results.standings) {
    const RatioSummary& sum = standing.*table.summary;
    mean.push_back(ratio_text(sum, sum.geometric_mean, table.decimals));
    worst.push_back(ratio_text(sum, sum.worst, table.decimals));
  }
  return markdown_table(rows) + markdown_line(mean, "**") + markdown_line(worst, "**");
}

/// A table with one row per policy and one column per group: geometric means, with the worst in
/// brackets.
std::string group_section(const SweepResults& results) {
  if (results.groups.empty()) return {};
  std::vector<Row> rows = {{"policy"}};
  for (const GroupStanding& group : results.groups) {
    rows[0].push_back(fmt::format("{} ({})", group.group, group.experiments));
  }
  for (std::size_t p = 0; p < results.standings.size(); ++p) {
    Row& row = rows.emplace_back(Row{marked(results.standings[p])});
    for (const GroupStanding& group : results.groups) {
      const RatioSummary& ratio = group.over_best_known[p];
      row.push_back(ratio.experiments == 0
                        ? "-"
                        : fmt::format("{:.3f} ({:.2f})", ratio.geometric_mean, ratio.worst));
    }
  }
  return "\n## Makespan over the best known, by group\n\n"
         "Geometric means, the worst in brackets; the number of experiments stands behind the "
         "group.\n\n" +
         markdown_table(rows);
}

/// The experiments in which the reference is behind the best other policy, the largest lag first.
std::string behind_section(const SweepResults& results) {
  if (results.against.empty()) return {};
  std::vector<Behind> behind;
  std::size_t certain = 0;
  for (const Behind& one : results.against) {
    if (one.ratio.mean <= 1.0 + behind_share) continue;
    if (one.ratio.ci95_low > 1.0 + behind_share) ++certain;
    behind.push_back(one);
  }
  std::sort(behind.begin(), behind.end(), [](const Behind& a, const Behind& b) {
    return a.ratio.mean != b.ratio.mean ? a.ratio.mean > b.ratio.mean : a.experiment < b.experiment;
  });
  std::string text = fmt::format(
      "\n## {0} against the best other policy\n\nPolicies are compared repetition by "
      "repetition, with equal seeds. \"Best other\" is the fastest other policy that knows neither "
      "speeds nor mean times beforehand. {0} is more than {1:.0f} % slower in {2} of {3} "
      "experiments; in {4} of them the whole 95 % confidence interval is above {1:.0f} %.\n",
      in_markdown(results.reference), 100.0 * behind_share, behind.size(), results.against.size(),
      certain);
  if (behind.empty()) return text;
  std::vector<Row> rows = {{"experiment", "group", "best other", "behind %", "95 % interval"}};
  for (const Behind& one : behind) {
    rows.push_back({one.experiment, one.group.empty() ? "-" : one.group, one.best_other,
                    fmt::format("{:.2f}", 100.0 * (one.ratio.mean - 1.0)),
                    fmt::format("{:.2f} to {:.2f}", 100.0 * (one.ratio.ci95_low - 1.0),
                                100.0 * (one.ratio.ci95_high - 1.0))});
  }
  return text + "\n" + markdown_table(rows);
}

/// A row for each policy: what it lost over the lower bound, by cause.
std::string loss_section(const SweepResults& results) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> shares;
  for (const PolicyStanding& standing : results.standings) {
    names.push_back(marked(standing));
    shares.push_back(standing.loss_shares);
  }
  const std::vector<Row> rows = loss_rows("policy", names, shares);
  if (rows.empty()) return {};
  std::string text = fmt::format(
      "\n## Losses by cause\n\nMeans over the experiments, in percent of the lower bound. {}\n\n",
      legend_paragraph({rows.front().begin() + 1, rows.front().end()}));
  return text + markdown_table(rows);
}

/// The parameters of a policy as it is spelled: {"k=v", ...}.
std::vector<std::string> parameters_of(const std::string& spelling) {
  std::vector<std::string> parameters;
  for (std::size_t mark = spelling.find(':'); mark != std::string::npos;) {
    const std::size_t next = spelling.find(',', mark + 1);
    parameters.push_back(spelling.substr(mark + 1, next - mark - 1));
    mark = next;
  }
  return parameters;
}

/// Whether the policy spelled like this is one that knows the units beforehand and has no parameter
/// `one`, "k=v": a first block, for example.
bool does_not_need(const std::string& spelling, const std::string& one) {
  const auto info = std::ranges::find(policy_catalog(), spelling.substr(0, spelling.find(':')),
                                      &PolicyInfo::name);
  return info != policy_catalog().end() && info->foresight != Foresight::none &&
         std::ranges::find(info->parameters, one.substr(0, one.find('=')), &ParameterInfo::name) ==
             info->parameters.end();
}

/// The parameters that all policies of a figure's rows have, but for those that do not need them,
/// in the order of the first policy with parameters.
std::vector<std::string> shared_parameters(const std::vector<const PublishedComparison*>& rows) {
  std::vector<std::string> spellings;
  for (const PublishedComparison* row : rows) {
    for (const auto& one : row->figure.policies) spellings.push_back(one.spelling);
    if (!row->figure.over.empty()) spellings.push_back(row->figure.over);
  }
  std::vector<std::string> shared;
  for (const std::string& spelling : spellings) {
    if (shared.empty()) shared = parameters_of(spelling);
  }
  for (const std::string& spelling : spellings) {
    const std::vector<std::string> own = parameters_of(spelling);
    std::erase_if(shared, [&](const std::string& one) {
      return !does_not_need(spelling, one) && std::ranges::find(own, one) == own.end();
    });
  }
  return shared;
}

/// A policy's spelling without the parameters that the caption tells.
std::string shortened(const std::string& spelling, const std::vector<std::string>& shared) {
  std::vector<std::string> own = parameters_of(spelling);
  std::erase_if(
      own, [&](const std::string& one) { return std::ranges::find(shared, one) != shared.end(); });
  const std::string name = spelling.substr(0, spelling.find(':'));
  return own.empty() ? name : fmt::format("{}:{}", name, fmt::join(own, ","));
}

/// What the numbers of a row are, with their unit.
std::string meaning_of(const PublishedComparison& row, const std::vector<std::string>& shared) {
  if (!row.figure.over.empty()) {
    return fmt::format("{} of {} / of the policy", row.number.path,
                       shortened(row.figure.over, shared));
  }
  const std::string& path = row.number.path;
  return *row.number.unit == '\0' ? path : fmt::format("{}, {}", path, row.number.unit);
}

std::string number_of(const PublishedComparison& row, double number) {
  return row.figure.over.empty() ? number_text(row.number.format, number) : significant(number, 4);
}

/// "2.20", or "> 1.20 (no)" or "1.20 to 2.50 (no)" if ours is not as the paper says.
std::string printed_text(const PublishedComparison& row, const PrintedValue& printed,
                         const std::optional<double>& ours) {
  std::string text = number_of(row, printed.value);
  if (printed.relation == PrintedValue::Relation::equal) return text;
  text = printed.relation == PrintedValue::Relation::within
             ? fmt::format("{} to {}", text, number_of(row, printed.most))
             : fmt::format("{} {}", word_of(printed.relation), text);
  const auto held = ours ? holds(printed, *ours) : std::nullopt;
  return held ? fmt::format("{} ({})", text, *held ? "yes" : "no") : text;
}

/// A column of a figure's table: our numbers of a policy, or the printed ones.
struct FigureColumn {
  std::string spelling;
  bool printed = false;
};

/// The columns that the rows fill, in the order in which policies are named.
std::vector<FigureColumn> columns_of(const std::vector<const PublishedComparison*>& rows) {
  std::vector<FigureColumn> columns;
  for (const PublishedComparison* row : rows) {
    for (const auto& [policy, printed] : row->figure.policies) {
      auto at = std::ranges::find(columns, policy, &FigureColumn::spelling);
      if (at == columns.end()) at = columns.insert(at, {policy, false});
      const auto next = at + 1;
      if (printed && (next == columns.end() || !next->printed)) {
        columns.insert(next, {policy, true});
      }
    }
  }
  return columns;
}

std::string figure_cell(const PublishedComparison& row, const FigureColumn& column) {
  for (std::size_t p = 0; p < row.ours.size(); ++p) {
    const auto& [policy, printed] = row.figure.policies[p];
    if (policy != column.spelling) continue;
    if (column.printed) return printed ? printed_text(row, *printed, row.ours[p]) : "";
    return row.ours[p] ? number_of(row, *row.ours[p]) : "-";
  }
  return "";
}

/// The table of one figure.
std::string figure_table(const std::vector<const PublishedComparison*>& rows) {
  const std::vector<std::string> shared = shared_parameters(rows);
  std::vector<std::string> meanings;
  std::vector<std::string> sources;
  for (const PublishedComparison* row : rows) {
    meanings.push_back(meaning_of(*row, shared));
    const std::string source = in_markdown(row->figure.source);
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
  }
  const bool alike = std::ranges::count(meanings, meanings.front()) == std::ssize(meanings);
  std::string text = fmt::format(
      "\n### {}\n\n{}{}Published: {}.\n\n", in_markdown(rows.front()->figure.figure),
      alike ? fmt::format("`{}`. ", in_markdown(meanings.front())) : "",
      shared.empty()
          ? ""
          : fmt::format("All with `{}`. ", in_markdown(fmt::format("{}", fmt::join(shared, ",")))),
      fmt::join(sources, "; "));
  const std::vector<FigureColumn> columns = columns_of(rows);
  Row heads = {"experiment"};
  if (!alike) heads.emplace_back("result");
  for (const FigureColumn& column : columns) {
    heads.push_back(shortened(column.spelling, shared) + (column.printed ? ", published" : ""));
  }
  std::vector<Row> table = {heads};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row row = {rows[i]->figure.experiment};
    if (!alike) row.push_back(meanings[i]);
    for (const FigureColumn& column : columns) row.push_back(figure_cell(*rows[i], column));
    table.push_back(std::move(row));
  }
  return text + markdown_table(table);
}

/// Our results beside published ones, figure by figure.
std::string published_section(const SweepResults& results) {
  if (results.published.empty()) return {};
  std::string text =
      "\n## Beside published figures\n\nThe machines here are models of the papers' machines, not "
      "the machines. Numbers are those of results.json, means over the repetitions. Of a statement "
      "(\"> 1\") the table says whether it holds here.\n";
  std::vector<std::string> figures;
  for (const PublishedComparison& one : results.published) {
    const std::string& figure = one.figure.figure;
    if (std::ranges::find(figures, figure) == figures.end()) figures.push_back(figure);
  }
  for (const std::string& figure : figures) {
    std::vector<const PublishedComparison*> rows;
    for (const PublishedComparison& one : results.published) {
      if (one.figure.figure == figure) rows.push_back(&one);
    }
    text += figure_table(rows);
  }
  return text;
}

std::size_t simulations_of(const SweepResults& results) {
  std::size_t simulations = 0;
  for (const Comparison& comparison : results.comparisons) {
    for (const PolicyResult& result : comparison.results) simulations += result.reps;
  }
  return simulations;
}

std::string baselines_of(const SweepResults& results) {
  std::vector<std::string> names;
  for (const Experiment& experiment : results.campaign.experiments) {
    const std::string& name = experiment.options.baseline;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return in_markdown(fmt::format("{}", fmt::join(names, ", ")));
}

std::string summary_table(const SweepResults& results) {
  const std::vector<Row> rows = standing_rows(results);
  PageTable table;
  for (const std::string& heading : rows.front()) {
    table.headings.push_back(markup_escaped(heading));
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::vector<PageCell>& row = table.rows.emplace_back();
    for (const std::string& text : rows[i]) row.push_back({markup_escaped(text)});
  }
  return table_html(table);
}

Json ratio_json(const RatioSummary& ratio) {
  if (ratio.experiments == 0) return {};
  return {{"experiments", ratio.experiments},
          {"geometric_mean", ratio.geometric_mean},
          {"worst", ratio.worst},
          {"worst_experiment", ratio.worst_experiment}};
}

/// The numbers of one experiment that tables need.
Json experiment_json(const std::string& name, const Comparison& comparison) {
  Json policies = Json::object();
  for (const PolicyResult& r : comparison.results) {
    policies[r.spelling] = result_json({comparison, r}, in_sweep);
  }
  const std::optional<BestReached>& best = comparison.best_known;
  return {{"name", name},
          {"lower_bound_s", json_of(comparison.lower_bound_s)},
          {"bound_by", comparison.bound_by},
          {"best_known_s", best ? Json(best->seconds) : Json()},
          {"best_known_by", best ? Json(best->spelling) : Json()},
          {"policies", std::move(policies)}};
}

/// A row of a published figure. "relation": of the paper's number, "=", ">" or "<", or ".." for
/// numbers from "published" to "published_most".
Json published_json(const PublishedComparison& one) {
  Json policies = Json::object();
  for (std::size_t p = 0; p < one.ours.size(); ++p) {
    const auto& [policy, printed] = one.figure.policies[p];
    Json& cell = policies[policy] = {{"here", json_of(one.ours[p])}};
    if (!printed) continue;
    cell["relation"] = word_of(printed->relation);
    cell["published"] = printed->value;
    if (printed->relation == PrintedValue::Relation::within) {
      cell["published_most"] = printed->most;
    }
  }
  return {{"figure", one.figure.figure},
          {"experiment", one.figure.experiment},
          {"field", one.number.path},
          {"over", one.figure.over.empty() ? Json() : Json(one.figure.over)},
          {"policies", std::move(policies)},
          {"source", one.figure.source}};
}

}  // namespace

std::string sweep_text(const SweepResults& results) {
  Json standings = Json::array();
  for (const PolicyStanding& s : results.standings) {
    Json& standing = standings.emplace_back(Json{{"policy", s.spelling},
                                                 {"experiments", s.experiments},
                                                 {"informed", s.foresight != Foresight::none},
                                                 {"oracle", s.foresight == Foresight::oracle},
                                                 {"knows_costs", s.knows_costs}});
    for (const StandingRatio& of : standing_ratios()) standing[of.name] = ratio_json(s.*of.summary);
    standing["over_reference"] = ratio_json(s.over_reference);
    Json& shares = standing["loss_over_lower_bound"];
    const std::vector<std::string> names = loss_names();
    for (std::size_t i = 0; i < s.loss_shares.size(); ++i) shares[names[i]] = s.loss_shares[i];
  }
  Json groups = Json::array();
  for (const GroupStanding& group : results.groups) {
    Json policies = Json::object();
    for (std::size_t p = 0; p < group.over_best_known.size(); ++p) {
      policies[results.standings[p].spelling] = ratio_json(group.over_best_known[p]);
    }
    groups.push_back({{"group", group.group},
                      {"experiments", group.experiments},
                      {"over_best_known", std::move(policies)}});
  }
  Json against = Json::array();
  for (const Behind& one : results.against) {
    against.push_back({{"experiment", one.experiment},
                       {"group", one.group.empty() ? Json() : Json(one.group)},
                       {"best_other", one.best_other},
                       {"paired_ratio", json_of(one.ratio)}});
  }
  Json published = Json::array();
  for (const PublishedComparison& one : results.published) published.push_back(published_json(one));
  Json experiments = Json::array();
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    experiments.push_back(
        experiment_json(results.campaign.experiments[i].name, results.comparisons[i]));
  }
  return document_of({{"schema", "equipoise.sweep/1"},
                      {"title", results.campaign.title},
                      {"campaign", results.campaign.file},
                      {"version", built_with_text()},
                      {"reference", results.reference.empty() ? Json() : Json(results.reference)},
                      {"policies", std::move(standings)},
                      {"groups", std::move(groups)},
                      {"against_best_other", std::move(against)},
                      {"published", std::move(published)},
                      {"experiments", std::move(experiments)}});
}

std::string sweep_markdown(const SweepResults& results) {
  std::string text =
      fmt::format("# {}\n\n{} experiments, {} simulations, made by `equipoise sweep {}` of {}.\n\n",
                  in_markdown(results.campaign.title), results.comparisons.size(),
                  simulations_of(results), printable(results.campaign.file), built_with_text());
  text += fmt::format(
      "## Policies over all experiments\n\nGeometric means over the experiments, each with the "
      "worst. {} The baseline is {}. The best known is of runs that know the mean block times or "
      "of our own policy; `optimum` is a plan for mean times that does not react.\n\n",
      legend_paragraph(ratio_words()), baselines_of(results));
  text += markdown_table(standing_rows(results));
  text += group_section(results) + behind_section(results) + loss_section(results) +
          published_section(results);
  text += fmt::format("\n## Speedup over {}\n\nRatio of mean makespans; more is better.\n\n",
                      baselines_of(results));
  text += ratio_table(results, {"speedup_vs_baseline", &PolicyStanding::speedup});
  text +=
      "\n## Makespan over the best known\n\nThe best mean makespan known under the same noise. "
      "Less is better.\n\n";
  text += ratio_table(results, {"over_best_known", &PolicyStanding::over_best_known});
  return text;
}

std::string sweep_html(const SweepResults& results) {
  PageContents page;
  page.title = results.campaign.title;
  page.summary = "<h2>Policies over all experiments</h2>\n" + summary_table(results) +
                 fmt::format("<p>{}</p>\n", legend_paragraph(ratio_words()));
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    const std::string& name = results.campaign.experiments[i].name;
    page.results.push_back({name, results_text(results.comparisons[i]),
                            fmt::format("experiments/{}/report.html", name)});
  }
  return report_page(page);
}

std::string standings_table(const SweepResults& results) {
  const std::vector<Row> rows = standing_rows(results);
  TextTable table(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
  return table.text() + "\n" +
         wrapped(fmt::format("Geometric means over {}, each with the worst. {}",
                             counted(results.comparisons.size(), "experiment"),
                             legend_paragraph(ratio_words())));
}

}  // namespace equipoise
