// Writes the answer and the tables of a comparison from results.json.
#include "tools/page/results_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/losses.hpp"
#include "shared_policies/run/results.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/report/glossary.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/report/validation.hpp"
#include "tools/report/why_text.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

using Results = std::vector<const JsonValue*>;

/// The mean makespan of a result in seconds.
double mean_s(const JsonValue& result) { return number_at(result, "makespan_s.mean", 0.0); }

std::string seconds(double s) { return quantity_text(s, "s", 4); }

/// The results, the fastest first.
Results sorted_results(const JsonValue& results) {
  Results sorted;
  if (const JsonValue* const all = member(results, "results")) {
    for (const JsonValue& result : all->list) sorted.push_back(&result);
  }
  std::ranges::stable_sort(sorted, std::less<>(), [](const JsonValue* r) { return mean_s(*r); });
  return sorted;
}

/// Whether the results are of different worlds, such as sim and real.
bool has_worlds(const Results& results) {
  return std::ranges::any_of(results, [&](const JsonValue* r) {
    return text_at(*r, "on") != text_at(*results.front(), "on");
  });
}

/// Whether the policy knew speeds, mean times or costs of items from before the run.
bool knew_anything(const JsonValue& result) {
  return is_true_at(result, "informed") || is_true_at(result, "knows_costs");
}

/// The fastest that knew nothing from before the run, or, if there is none, the fastest that is no
/// oracle. Results that were really run count before simulated ones.
const JsonValue* fastest(const Results& results) {
  const JsonValue* best = nullptr;
  int best_rank = 4;
  for (const JsonValue* const result : results) {
    if (!is_usable(*result) || is_true_at(*result, "oracle")) continue;
    const int rank = (knew_anything(*result) ? 2 : 0) + (text_at(*result, "on") == "sim" ? 1 : 0);
    if (rank < best_rank) {
      best = result;
      best_rank = rank;
    }
  }
  return best;
}

/// The fastest verified result of a policy that is not one of the catalog; nullptr if none.
const JsonValue* fastest_own(const Results& results) {
  for (const JsonValue* const result : results) {
    const std::string name = text_at(*result, "policy");
    const bool is_ours = std::ranges::any_of(
        policy_catalog(), [&](const PolicyInfo& info) { return info.name == name; });
    if (!is_ours && is_usable(*result)) return result;
  }
  return nullptr;
}

/// A confidence interval of a quantity that is not negative.
struct Interval {
  double low;
  double high;
};

/// The interval at a path such as "makespan_s.ci95"; none if there is none.
std::optional<Interval> interval_at(const JsonValue& result, std::string_view path) {
  const JsonValue* const ends = member(result, path);
  if (ends == nullptr || ends->list.size() != 2) return std::nullopt;
  return Interval{std::max(0.0, ends->list[0].number), ends->list[1].number};
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
  if (is_true_at(result, "knows_costs")) add(term("knows_costs"), false);
  if (is_true_at(result, "experienced")) add(term("experienced"), false);
  if (is_true_at(result, "policy_stalled")) add(term("policy_stalled"), true);
  if (!is_usable(result)) add({"not verified", "", term("verified").sentence}, true);
  if (is_unchecked(result)) add({"unverified", "", term("verified").sentence}, false);
  const double share = number_at(result, "extrapolated_share", 0.0);
  if (share >= 0.0005)
    add(term("extrapolated_share"), false, fmt::format("{:.1f} % ", 100.0 * share));
  if (number_at(result, "items_redone", 0.0) > 0.0) {
    const double items = number_at(result, "items_redone", 0.0);
    const bool is_whole = items == std::floor(items);
    add(term("items_redone"), false,
        (is_whole ? fmt::format("{:.0f}", items) : significant(items, 4)) + " ");
  }
  return html;
}

/// The policy as typed, with its marks: HTML.
PageCell policy_cell(const JsonValue& result) {
  std::string line;
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.name == text_at(result, "policy")) line = info.line;
  }
  return {explained(text_at(result, "spelling"), line) + marks(result), {}, true};
}

/// The number as the field writes it; times and energies with an SI prefix.
std::string shown(const ResultField& field, double number) {
  const std::string unit = field.unit;
  if (number == 0.0) return "0";
  const bool has_prefix = unit == "s" || unit == "J" || unit == "J s";
  return has_prefix ? quantity_text(number, unit, field.shown.format.digits)
                    : number_text(field, number);
}

/// The field's heading, without the unit if the cells have it.
std::string heading_for(const ResultField& field) {
  const std::string unit = field.unit;
  return unit == "%" ? heading_of(field) : field.heading;
}

/// A number of statistics with its interval, or another value, as the field writes it.
PageCell cell_of(const ResultField& field, const JsonValue& result) {
  const JsonValue* value = member(result, field.name);
  if (value == nullptr) return {"–"};
  switch (value->kind) {
    case JsonValue::Kind::number:
      return {shown(field, value->number), value->text};
    case JsonValue::Kind::boolean:
      return {value->boolean ? "yes" : "<b>no</b>", value->boolean ? "true" : "false"};
    case JsonValue::Kind::object:
      break;
    default:
      return {markup_escaped(value->text), value->text, true};
  }
  const JsonValue* const mean = member(*value, "mean");
  if (mean == nullptr) return {"–"};
  std::string html = shown(field, mean->number);
  if (const auto ci = interval_at(*value, "ci95"); ci && number_at(result, "reps", 0.0) > 1.0) {
    html += fmt::format(" <span class=\"muted\">({} to {})</span>", shown(field, ci->low),
                        shown(field, ci->high));
  }
  return {html, mean->text};
}

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

std::string name_of(const JsonValue& result) {
  return "<b>" + markup_escaped(text_at(result, "spelling")) + "</b>";
}

/// "1.178 s (95 % interval 1.173 s to 1.183 s)".
std::string makespan_text(const JsonValue& result) {
  const std::optional<Interval> ci = interval_at(result, "makespan_s.ci95");
  if (!ci || number_at(result, "reps", 0.0) < 2.0) {
    return seconds(mean_s(result)) + " in its only run";
  }
  std::string text = fmt::format("{} on average ({} to {})", seconds(mean_s(result)),
                                 seconds(ci->low), seconds(ci->high));
  if (const auto run = interval_at(result, "makespan_s.interval95")) {
    text += fmt::format("; a single real run, with 95 % probability, {} to {}", seconds(run->low),
                        seconds(run->high));
  }
  return text;
}

/// Where the block times of simulated results come from, and why nothing is said of real runs.
std::string timings_sentence(const Results& results) {
  const auto simulated = std::ranges::find_if(
      results, [](const JsonValue* r) { return !text_at(*r, "timings").empty(); });
  if (simulated == results.end()) return {};
  const std::string source = text_at(**simulated, "timings");
  std::string text = "Block times are " + source;
  if (source == "modelled") text += " from data sheets, not measured";
  const double busy = number_at(**simulated, "recorded_busy", 0.0);
  if (busy > other_programs_share_max) {
    text += fmt::format(", while other programs had {:.0f} % of the cores", 100.0 * busy);
  }
  const std::string note = text_at(**simulated, "interval_note");
  const bool has_interval = interval_at(**simulated, "makespan_s.interval95").has_value();
  if (!has_interval && !note.empty()) {
    text += ". There is no interval for a real run: " + markup_escaped(note);
  }
  return text + ".";
}

/// How sure it is that `best` is faster than the next one.
std::string certainty(const JsonValue& best, const JsonValue& next) {
  const double ratio = mean_s(next) / mean_s(best);
  std::string text =
      fmt::format("The next one, {}, took {:.1f} % longer", name_of(next), 100.0 * (ratio - 1.0));
  if (number_at(best, "reps", 0.0) < 2.0) {
    return text + "; with one run each, nobody can say whether that is chance.";
  }
  const double p = number_at(best, "p_faster." + text_at(next, "spelling"), -1.0);
  if (p >= 0.0 && interval_at(best, "makespan_s.interval95")) {
    return text + fmt::format(
                      ". On average of many real runs, {} is faster with a probability of {:.0f} "
                      "%, which {} chance.",
                      name_of(best), 100.0 * p, p >= 0.95 ? "is more than" : "may be");
  }
  const std::optional<Samples> own = samples_at(best, "makespan_s");
  const std::optional<Samples> other = samples_at(next, "makespan_s");
  const Samples ratios = own && other ? paired_ratios(*other, *own) : Samples();
  if (ratios.values.size() < 2) return text + ".";
  const Statistics times = summarise(ratios.values);
  return text + fmt::format(
                    " (95 % interval, repetition by repetition: {:+.1f} % to {:+.1f} %), which {} "
                    "chance.",
                    100.0 * (std::max(0.0, times.ci95_low) - 1.0), 100.0 * (times.ci95_high - 1.0),
                    times.ci95_low > 1.0 ? "is more than" : "may be");
}

/// The next verified result of the same world that is as little informed as `best`; nullptr if
/// none.
const JsonValue* next_to(const Results& results, const JsonValue& best) {
  for (const JsonValue* const result : results) {
    if (result == &best || is_true_at(*result, "oracle")) continue;
    if (!is_usable(*result)) continue;
    if (text_at(*result, "on") != text_at(best, "on")) continue;
    if (knew_anything(*result) && !knew_anything(best)) continue;
    return result;
  }
  return nullptr;
}

std::string distance(const JsonValue& results, const JsonValue& best) {
  const double bound_s = number_at(results, "lower_bound_s", 0.0);
  if (!(bound_s > 0.0)) return "No lower bound is known, because nothing was simulated.";
  std::string text = fmt::format("{} is {:.1f} % above the lower bound of {}", name_of(best),
                                 100.0 * (mean_s(best) / bound_s - 1.0), seconds(bound_s));
  const double known_s = number_at(results, "best_known_s", 0.0);
  if (text_at(best, "on") == "sim" && known_s >= mean_s(best)) {
    text += "; nothing faster is known";
  } else if (known_s > 0.0) {
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
    std::string name = markup_escaped(text_at(*result, "spelling"));
    if (has_worlds(sorted)) name += " on " + markup_escaped(text_at(*result, "on"));
    const double share = number_at(*result, "extrapolated_share", 0.0);
    if (share > 0.01) extrapolated.push_back(fmt::format("{} {:.0f} %", name, 100.0 * share));
    if (!is_usable(*result)) unverified.push_back(name);
    if (is_true_at(*result, "too_noisy")) noisy.push_back(name);
    if (is_true_at(*result, "policy_stalled")) stalled.push_back(name);
  }
  std::vector<std::string> texts;
  if (is_true_at(results, "interrupted")) {
    texts.emplace_back("The comparison was interrupted: repetitions or policies are missing.");
  }
  const auto add = [&](std::vector<std::string> of, std::string_view sentence) {
    constexpr std::size_t most_names = 6;
    if (of.empty()) return;
    if (of.size() > most_names) {  // the slowest of them are in the table alone
      of[most_names - 1] = fmt::format("and {} more", of.size() - most_names + 1);
      of.resize(most_names);
    }
    texts.push_back(fmt::format(fmt::runtime(sentence), fmt::join(of, ", ")));
  };
  add(unverified, "Not verified, do not use: {}.");
  add(stalled, "Left work undone, which was then handed out greedily: {}.");
  add(noisy, "The machine was too busy, or repetitions differed too much, to judge by: {}.");
  add(extrapolated,
      "Items in blocks smaller or larger than any whose time is known, so that times are "
      "extrapolated and less certain: "
      "{}.");
  return texts;
}

/// Which policy is fastest, how sure that is, how far it is from the bound, what was assumed, and
/// what is to be doubted.
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
    const bool informed = knew_anything(*best);
    paragraph(
        fmt::format("{} is the fastest policy{}{}: {}.", name_of(*best),
                    informed ? "" : " that knows nothing beforehand",
                    has_worlds(sorted) ? ", on " + text_at(*best, "on") : "", makespan_text(*best)),
        "first");
    std::string more = distance(results, *best);
    if (const JsonValue* const next = next_to(sorted, *best)) {
      more = certainty(*best, *next) + " " + more;
    }
    paragraph(more, "more");
    const JsonValue* const own = fastest_own(sorted);
    for (const JsonValue* const result : {best, own == best ? nullptr : own}) {
      if (result == nullptr) continue;
      if (const std::string why = why_text(results, *result); !why.empty()) {
        paragraph(markup_escaped(why), "more");
      }
    }
  }
  const std::string timings = timings_sentence(sorted);
  if (!timings.empty()) paragraph(timings, "more");
  const std::string assumptions = text_at(results, "assumptions");
  if (!assumptions.empty()) paragraph("Assumed: " + markup_escaped(assumptions), "more");
  const std::string what_if = text_at(results, "what_if.sentence");
  if (!what_if.empty()) paragraph(markup_escaped(what_if), "more");
  for (const std::string& text : doubts(results, sorted)) paragraph(text, "warning");
  return html;
}

/// All results with their numbers, the fastest first.
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

/// How many of the runs of `real` ended within the interval that `sim` has for a single one.
std::string runs_within_text(const JsonValue& real, const JsonValue& sim) {
  const std::optional<Interval> run = interval_at(sim, "makespan_s.interval95");
  const JsonValue* const repetitions = member(real, "repetitions");
  if (!run || repetitions == nullptr) return "–";
  std::vector<double> makespans_s;
  for (const JsonValue& repetition : repetitions->list) {
    makespans_s.push_back(number_at(repetition, "makespan_s", 0.0));
  }
  return equipoise::runs_within_text(makespans_s, run->low, run->high);
}

/// Predictions beside measurements with their errors, and how much repetitions of the same real run
/// differ; empty unless policies were both simulated and really run.
std::string predictions_html(const JsonValue& results) {
  const Results sorted = sorted_results(results);
  PageTable table;
  table.headings = {"policy",
                    "measured",
                    explained("sd", term("sd").sentence),
                    "predicted",
                    explained("error", "predicted over measured makespan, less 1"),
                    explained("runs within", term("runs within").sentence)};
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
                            {signed_percent(ratio), fmt::format("{}", ratio - 1.0)},
                            {runs_within_text(*real, *sim)}});
    }
  }
  if (table.rows.empty()) return {};
  table.caption = fmt::format(
      "Simulated and really run. An error below sd, by which repetitions of the same run differ, "
      "is no error that could be measured. Worst error: {:.2f} %.",
      100.0 * worst);
  return table_html(table);
}

/// The losses over the lower bound by cause; empty where none is known.
std::string losses_html(const JsonValue& results) {
  const double bound_s = number_at(results, "lower_bound_s", 0.0);
  const Results sorted = sorted_results(results);
  PageTable table;
  constexpr double least_share = 0.005;
  table.caption =
      "In percent of the lower bound. Empty: less than half a percent. A cause without a column is "
      "so small for all.";
  table.headings = {"policy"};
  if (has_worlds(sorted)) table.headings.emplace_back("on");
  table.headings.push_back(explained("loss", "The mean makespan less the lower bound."));
  const auto share_of = [bound_s](const JsonValue& result, const std::string& name) {
    return number_at(result, "loss_s." + name, 0.0) / bound_s;
  };
  std::vector<const LossCause*> shown;  // those that count for some policy
  for (const LossCause& cause : loss_causes) {
    const bool counts = std::ranges::any_of(sorted, [&](const JsonValue* result) {
      return std::abs(share_of(*result, cause.name)) >= least_share;
    });
    if (!counts) continue;
    shown.push_back(&cause);
    table.headings.push_back(explained(cause.name, cause.explanation));
  }
  for (const JsonValue* const result : sorted) {
    if (!(bound_s > 0.0) || member(*result, "loss_s.total") == nullptr) continue;
    std::vector<PageCell>& row = table.rows.emplace_back(1, policy_cell(*result));
    if (has_worlds(sorted)) row.push_back({markup_escaped(text_at(*result, "on")), {}, true});
    const auto add = [&](const std::string& name) {
      const JsonValue* const lost = member(*result, "loss_s." + name);
      const double share = share_of(*result, name);
      const bool is_small = std::abs(share) < least_share && name != "total";
      row.push_back({is_small ? "" : fmt::format("{:.1f}", 100.0 * share),
                     lost == nullptr ? "" : lost->text});
    };
    add("total");
    for (const LossCause* const cause : shown) add(cause->name);
  }
  return table.rows.empty() ? std::string() : table_html(table);
}

/// The energy of every unit; empty where none is known.
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

/// What was run, where, when and with what.
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

/// The cells of a comparison in a table of several: the lower bound, the fastest policy that knows
/// nothing beforehand, its makespan and its distance from the bound.
std::vector<PageCell> short_answer(const JsonValue& results) {
  const double bound_s = number_at(results, "lower_bound_s", 0.0);
  const PageCell bound = {bound_s > 0.0 ? seconds(bound_s) : "–"};
  const JsonValue* const best = fastest(sorted_results(results));
  if (best == nullptr) return {bound, {"–", {}, true}, {"–"}, {"–"}};
  return {bound, policy_cell(*best), cell_of(result_field("makespan_s"), *best),
          cell_of(result_field("over_lower_bound"), *best)};
}

/// What the chart over several comparisons needs of each.
Json experiment_json(const PageResults& results, const JsonValue& read) {
  Json policies = Json::object();
  if (const JsonValue* const all = member(read, "results")) {
    for (const JsonValue& r : all->list) {
      const std::optional<Interval> ci = interval_at(r, "makespan_s.ci95");
      const std::string name = text_at(r, "spelling");
      if (!ci || policies.contains(name)) continue;
      policies[name] = Json::array({mean_s(r), ci->low, ci->high});
    }
  }
  return {{"name", results.name},
          {"workloads", texts_at(read, "experiment.workloads")},
          {"platform", text_at(read, "experiment.sim.platform")},
          {"scenario", text_at(read, "experiment.sim.scenario")},
          {"decision_cost", text_at(read, "experiment.decision_cost")},
          {"baseline", text_at(read, "experiment.baseline")},
          {"lower_bound_s", json_of(number_at(read, "lower_bound_s"))},
          {"best_known_s", json_of(number_at(read, "best_known_s"))},
          {"results", std::move(policies)}};
}

}  // namespace

std::string comparison_html(const PageResults& results, const JsonValue& read, bool is_only,
                            const std::string& runs) {
  std::string html = "<article>\n";
  if (!is_only) html += fmt::format("<h2>{}</h2>\n", markup_escaped(results.name));
  html += "<section class=\"answer\" aria-label=\"Answer\">\n" + answer_html(read) + "</section>\n";
  html += section("All numbers", "numbers", numbers_html(read));
  html += section("Predicted and measured", "prediction", predictions_html(read));
  html += section("Speed and distance from the bound", "charts", {});
  html += section("Losses", "loss", losses_html(read));
  html += section("Energy", "energy", energy_html(read));
  html += runs + section("How to repeat it", "repeat", repeat_html(read));
  return html + data_element("results", results.name, results.text) + "</article>\n";
}

std::string comparisons_html(const std::vector<PageResults>& all,
                             const std::vector<JsonValue>& read) {
  PageTable table;
  table.caption =
      "The fastest policy of each, of those that know nothing beforehand where there are such.";
  table.headings = {"comparison", "lower bound", "fastest policy",
                    explained("makespan", result_field("makespan_s").explanation),
                    explained("times bound", result_field("over_lower_bound").explanation)};
  Json experiments = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = markup_escaped(all[i].name);
    std::vector<PageCell>& row = table.rows.emplace_back();
    const std::string& link = all[i].link;
    row.push_back(
        {link.empty() ? name : fmt::format("<a href=\"{}\">{}</a>", markup_escaped(link), name),
         {},
         true});
    for (PageCell& cell : short_answer(read[i])) row.push_back(std::move(cell));
    experiments.push_back(experiment_json(all[i], read[i]));
  }
  return section("All comparisons", "sweep", table_html(table)) +
         data_element("sweep", "", line_of({{"experiments", std::move(experiments)}}));
}

std::string command_html(const std::string& command) {
  if (command.empty()) return {};
  return "<p>The command:</p>\n<pre>" + markup_escaped(command) + "</pre>\n";
}

}  // namespace equipoise
