// Writes the tables of a comparison from results.json.
#include "tools/page/results_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "shared_policies/model/markup.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/losses.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/page/page_html.hpp"
#include "tools/report/glossary.hpp"
#include "tools/report/result_fields.hpp"

namespace equipoise {
namespace {

using Results = std::vector<const JsonValue*>;

double mean_s(const JsonValue& result) { return number_at(result, "makespan_s.mean", 0.0); }

/// The results, the fastest first.
Results sorted_results(const JsonValue& results) {
  Results sorted;
  if (const JsonValue* const all = member(results, "results")) {
    for (const JsonValue& result : all->list) sorted.push_back(&result);
  }
  std::ranges::stable_sort(sorted, std::less<>(), [](const JsonValue* r) { return mean_s(*r); });
  return sorted;
}

bool has_worlds(const Results& results) {
  return std::ranges::any_of(results, [&](const JsonValue* r) {
    return text_at(*r, "on") != text_at(*results.front(), "on");
  });
}

/// The fastest that knew nothing from before the run, or, if there is none, the fastest that is no
/// oracle. Results that were really run count before simulated ones.
const JsonValue* fastest(const Results& results) {
  const JsonValue* best = nullptr;
  int best_rank = 4;
  for (const JsonValue* const result : results) {
    if (!is_true_at(*result, "verified") || is_true_at(*result, "oracle")) continue;
    const int rank =
        (is_true_at(*result, "informed") ? 2 : 0) + (text_at(*result, "on") == "sim" ? 1 : 0);
    if (rank < best_rank) {
      best = result;
      best_rank = rank;
    }
  }
  return best;
}

std::string name_of(const JsonValue& result) {
  return "<b>" + markup_escaped(text_at(result, "spelling")) + "</b>";
}

struct Interval {
  double low;
  double high;
};

std::optional<Interval> interval_at(const JsonValue& result, std::string_view path) {
  const JsonValue* const ends = member(result, path);
  if (ends == nullptr || ends->list.size() != 2) return std::nullopt;
  return Interval{std::max(0.0, ends->list[0].number), ends->list[1].number};
}

std::string seconds(double s) { return significant(s, 4) + " s"; }

/// "1.178 s (95 % interval 1.173 s to 1.183 s)".
std::string makespan_text(const JsonValue& result) {
  const std::optional<Interval> ci = interval_at(result, "makespan_s.ci95");
  if (!ci || number_at(result, "reps", 0.0) < 2.0) {
    return seconds(mean_s(result)) + " in its only run";
  }
  return fmt::format("{} on average ({} to {})", seconds(mean_s(result)), seconds(ci->low),
                     seconds(ci->high));
}

/// How sure it is that `best` is faster than the next one.
std::string certainty(const JsonValue& results, const JsonValue& best, const JsonValue& next) {
  const std::string reference = text_at(results, "reference");
  const double ratio = mean_s(next) / mean_s(best);
  std::string text =
      fmt::format("The next one, {}, took {:.1f} % longer", name_of(next), 100.0 * (ratio - 1.0));
  if (number_at(best, "reps", 0.0) < 2.0) {
    return text + "; with one run each, nobody can say whether that is chance.";
  }
  if (reference == text_at(best, "spelling")) {
    if (const std::optional<Interval> paired = interval_at(next, "paired_ratio.ci95")) {
      const bool is_sure = paired->low > 1.0;
      return text + fmt::format(" (paired by repetition: {:+.1f} % to {:+.1f} %), which {} chance.",
                                100.0 * (paired->low - 1.0), 100.0 * (paired->high - 1.0),
                                is_sure ? "is more than" : "may be");
    }
  }
  const std::optional<Interval> a = interval_at(best, "makespan_s.ci95");
  const std::optional<Interval> b = interval_at(next, "makespan_s.ci95");
  if (!a || !b) return text + ".";
  const double noise = std::hypot(a->high - mean_s(best), b->high - mean_s(next));
  const bool is_sure = mean_s(next) - mean_s(best) > noise;
  return text + (is_sure ? ", which is more than chance." : ", which may be chance.");
}

/// The next result of the same world that is as little informed as `best`; nullptr if none.
const JsonValue* next_to(const Results& results, const JsonValue& best) {
  for (const JsonValue* const result : results) {
    if (result == &best || is_true_at(*result, "oracle")) continue;
    if (text_at(*result, "on") != text_at(best, "on")) continue;
    if (is_true_at(*result, "informed") && !is_true_at(best, "informed")) continue;
    return result;
  }
  return nullptr;
}

std::string distance(const JsonValue& results, const JsonValue& best) {
  const double bound_s = number_at(results, "lower_bound_s", 0.0);
  if (!(bound_s > 0.0)) return "No lower bound is known, because nothing was simulated.";
  std::string text = fmt::format("It is {:.1f} % above the lower bound of {}",
                                 100.0 * (mean_s(best) / bound_s - 1.0), seconds(bound_s));
  if (const double known_s = number_at(results, "best_known_s", 0.0); known_s > 0.0) {
    text += fmt::format(", and {:.1f} % above the best known, {} by {}",
                        100.0 * (mean_s(best) / known_s - 1.0), seconds(known_s),
                        markup_escaped(text_at(results, "best_known_by")));
  }
  return text + ".";
}

/// What is to be doubted, a sentence each.
std::vector<std::string> doubts(const JsonValue& results, const Results& sorted) {
  std::vector<std::string> extrapolated;
  std::vector<std::string> unverified;
  std::vector<std::string> noisy;
  std::vector<std::string> stalled;
  for (const JsonValue* const result : sorted) {
    const std::string name = markup_escaped(text_at(*result, "spelling"));
    const double share = number_at(*result, "extrapolated_share", 0.0);
    if (share > 0.01) extrapolated.push_back(fmt::format("{} {:.0f} %", name, 100.0 * share));
    if (!is_true_at(*result, "verified")) unverified.push_back(name);
    if (is_true_at(*result, "too_noisy")) noisy.push_back(name);
    if (is_true_at(*result, "policy_stalled")) stalled.push_back(name);
  }
  std::vector<std::string> texts;
  if (is_true_at(results, "interrupted")) {
    texts.emplace_back("The comparison was interrupted: repetitions or policies are missing.");
  }
  const auto add = [&](const std::vector<std::string>& of, std::string_view sentence) {
    if (!of.empty()) texts.push_back(fmt::format(fmt::runtime(sentence), fmt::join(of, ", ")));
  };
  add(unverified, "Not verified, do not use: {}.");
  add(stalled, "Left work undone, which was then handed out greedily: {}.");
  add(noisy, "The machine was too busy, or repetitions differed too much, to judge by: {}.");
  add(extrapolated,
      "Items in blocks outside the recorded sizes, whose times are extrapolated and less certain: "
      "{}.");
  return texts;
}

std::string marks(const JsonValue& result) {
  std::string html;
  const auto add = [&](const Term& of, bool is_bad, const std::string& before = {}) {
    html += fmt::format("<span class=\"mark{}\">{}{}</span>", is_bad ? " bad" : "", before,
                        explained(of.word, of.sentence));
  };
  if (is_true_at(result, "oracle")) {
    add(term("oracle"), false);
  } else if (is_true_at(result, "informed")) {
    add(term("informed"), false);
  }
  if (is_true_at(result, "experienced")) add(term("experienced"), false);
  if (is_true_at(result, "policy_stalled")) add(term("policy_stalled"), true);
  if (!is_true_at(result, "verified")) add({"not verified", "", term("verified").sentence}, true);
  const double share = number_at(result, "extrapolated_share", 0.0);
  if (share >= 0.0005)
    add(term("extrapolated_share"), false, fmt::format("{:.1f} % ", 100.0 * share));
  if (number_at(result, "items_redone", 0.0) > 0.0) {
    add(term("items_redone"), false, significant(number_at(result, "items_redone", 0.0), 4) + " ");
  }
  return html;
}

PageCell policy_cell(const JsonValue& result) {
  std::string line;
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.name == text_at(result, "policy")) line = info.line;
  }
  return {explained(text_at(result, "spelling"), line) + marks(result), {}, true};
}

/// A number of statistics with its interval, or another value, as the field writes it.
PageCell cell_of(const ResultField& field, const JsonValue& result) {
  const JsonValue* value = member(result, field.name);
  if (value == nullptr) return {"–"};
  switch (value->kind) {
    case JsonValue::Kind::number:
      return {number_text(field, value->number), value->text};
    case JsonValue::Kind::boolean:
      return {value->boolean ? "yes" : "<b>no</b>", value->boolean ? "true" : "false"};
    case JsonValue::Kind::object:
      break;
    default:
      return {markup_escaped(value->text), value->text, true};
  }
  const JsonValue* const mean = member(*value, "mean");
  if (mean == nullptr) return {"–"};
  std::string html = number_text(field, mean->number);
  if (const auto ci = interval_at(*value, "ci95"); ci && number_at(result, "reps", 0.0) > 1.0) {
    html += fmt::format(" <span class=\"muted\">({} to {})</span>", number_text(field, ci->low),
                        number_text(field, ci->high));
  }
  return {html, mean->text};
}

/// The fields of the table of which some result has a value that is not 0, without the policy's name,
/// and without the world if it is the same for all.
std::vector<const ResultField*> columns_for(const Results& results) {
  std::vector<const ResultField*> columns;
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & in_html) == 0 || std::string_view(field.name) == "spelling") continue;
    const bool says_something = std::ranges::any_of(results, [&](const JsonValue* r) {
      const JsonValue* const value = member(*r, field.name);
      return value != nullptr && (value->kind != JsonValue::Kind::number || value->number != 0.0);
    });
    const bool is_same = std::string_view(field.name) == "on" && !has_worlds(results);
    if (says_something && !is_same) columns.push_back(&field);
  }
  return columns;
}

std::string signed_percent(double ratio) { return fmt::format("{:+.2f} %", 100.0 * (ratio - 1.0)); }

}  // namespace

std::string answer_html(const JsonValue& results) {
  const Results sorted = sorted_results(results);
  const JsonValue* const best = fastest(sorted);
  std::string html;
  const auto paragraph = [&](const std::string& text, const char* kind) {
    html += fmt::format("<p class=\"{}\">{}</p>\n", kind, text);
  };
  if (best == nullptr) {
    paragraph("No policy has a verified result that counts.", "first");
  } else {
    const bool informed = is_true_at(*best, "informed");
    paragraph(
        fmt::format("{} is the fastest policy{}{}: {}.", name_of(*best),
                    informed ? "" : " that knows nothing beforehand",
                    has_worlds(sorted) ? ", on " + text_at(*best, "on") : "", makespan_text(*best)),
        "first");
    std::string more = distance(results, *best);
    if (const JsonValue* const next = next_to(sorted, *best)) {
      more = certainty(results, *best, *next) + " " + more;
    }
    paragraph(more, "more");
  }
  const std::string assumptions = text_at(results, "assumptions");
  if (!assumptions.empty()) paragraph("Assumed: " + markup_escaped(assumptions), "more");
  for (const std::string& text : doubts(results, sorted)) paragraph(text, "warning");
  return html;
}

std::string numbers_html(const JsonValue& results) {
  const Results sorted = sorted_results(results);
  const std::vector<const ResultField*> columns = columns_for(sorted);
  const JsonValue* const best = fastest(sorted);
  PageTable table;
  table.caption =
      "The fastest first; the fastest policy that knows nothing beforehand is emphasised. In "
      "brackets: the 95 % interval of the mean. Point at a heading or a mark for what it means.";
  table.headings = {"policy"};
  for (const ResultField* const field : columns) {
    table.headings.push_back(explained(heading_of(*field), field->explanation));
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
  table.headings = {"policy", "measured s", explained("sd", term("sd").sentence), "predicted s",
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
  table.headings = {"policy", explained("loss", "The mean makespan less the lower bound.")};
  for (const LossCause& cause : loss_causes) {
    table.headings.push_back(explained(cause.name, cause.explanation));
  }
  for (const JsonValue* const result : sorted) {
    if (!(bound_s > 0.0) || member(*result, "loss_s.total") == nullptr) continue;
    std::vector<PageCell>& row = table.rows.emplace_back(1, policy_cell(*result));
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
  table.caption = "Joules of each unit, from its busy and idle watts.";
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
      row.push_back({is_number ? number_text(field, unit.value.number) : "–", unit.value.text});
    }
  }
  return table.rows.empty() ? std::string() : table_html(table);
}

std::string repeat_html(const JsonValue& results) {
  std::string html;
  const JsonValue* const environment = member(results, "environment");
  if (environment != nullptr) {
    const std::string command = text_at(*environment, "command");
    if (!command.empty()) {
      html += "<p>The command:</p>\n<pre>" + markup_escaped(command) + "</pre>\n";
    }
    html += facts_html(*environment);
  }
  const JsonValue* const experiment = member(results, "experiment");
  if (experiment != nullptr) html += "<h3>Experiment</h3>\n" + facts_html(*experiment);
  return html;
}

}  // namespace equipoise
