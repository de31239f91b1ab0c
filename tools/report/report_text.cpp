// Text tables of runs and comparisons.
#include "tools/report/report_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/glossary.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/report/validation.hpp"
#include "tools/report/why_text.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// From this share of the items on, extrapolation is worth a warning.
constexpr double warned_share = 0.01;
/// With more units, only the results file and the HTML page show numbers for each unit.
constexpr std::size_t most_units_in_a_row = 10;

std::string percent(double share) { return fmt::format("{:.1f}", 100.0 * share); }

std::string joules(const std::optional<double>& energy_j) {
  return energy_j ? number_text(result_field("energy_j"), *energy_j) : "-";
}

/// The prefix for all makespans of a comparison.
Prefix prefix_of_makespans(const Comparison& comparison) {
  double most_s = 0.0;
  for (const PolicyResult& r : comparison.results) most_s = std::max(most_s, r.makespan_s.mean);
  return prefix_of_seconds(most_s);
}

std::string prediction_table(const Comparison& comparison) {
  const ResultField& makespan = result_field("makespan_s");
  const ResultField& half_width = result_field("makespan_half_ci95_s");
  const Prefix prefix = prefix_of_makespans(comparison);
  const std::string second = " " + prefix.name + "s";
  const Validation validation = judge(comparison);
  const bool has_intervals = std::ranges::any_of(
      validation.policies,
      [](const PolicyPrediction& p) { return p.simulated->prediction.interval95_s.has_value(); });
  std::vector<std::string> heads = {
      "policy", "predicted" + second, "measured" + second, heading_of(half_width, prefix), "sd %",
      "error %"};
  if (has_intervals) heads.emplace_back("runs within");
  TextTable table(std::move(heads));
  std::vector<const PolicyResult*> measured;
  for (const PolicyPrediction& p : validation.policies) {
    std::vector<std::string> cells = {p.measured->spelling,
                                      cell_text(makespan, {comparison, *p.simulated}, "-", prefix),
                                      cell_text(makespan, {comparison, *p.measured}, "-", prefix),
                                      cell_text(half_width, {comparison, *p.measured}, "-", prefix),
                                      noise_cell(*p.measured),
                                      fmt::format("{:+.1f}", 100.0 * p.relative_error)};
    if (has_intervals) cells.push_back(runs_within_text(p));
    table.add(std::move(cells));
    measured.push_back(p.measured);
  }
  return table.text() + "\n" + noise_text(measured);
}

/// Modelled energy of simulations beside measured energy of real runs; empty if there is none.
std::string energy_prediction_table(const Comparison& comparison) {
  const ResultField& energy = result_field("energy_j");
  TextTable table({"policy", "predicted J", "measured J", "error %"});
  bool any = false;
  for (const auto& [sim, real, makespan_error, share_error] : judge(comparison).policies) {
    const std::optional<double> predicted_j = sim->means.of<&RunNumbers::energy_j>();
    const std::optional<double> measured_j = real->means.of<&RunNumbers::energy_j>();
    if (real->energy_from != EnergySource::measured || !predicted_j || !(*measured_j > 0.0)) {
      continue;
    }
    any = true;
    table.add({real->spelling, cell_text(energy, {comparison, *sim}, "-"),
               cell_text(energy, {comparison, *real}, "-"),
               fmt::format("{:+.1f}", 100.0 * (*predicted_j / *measured_j - 1.0))});
  }
  return any ? "\n" + table.text() : std::string();
}

std::string why_paragraph(const std::string& why) { return why.empty() ? why : wrapped(why); }

/// Whether the result is of a policy from the user's library.
bool is_own(const Comparison& comparison, const PolicyResult& result) {
  return std::ranges::any_of(comparison.policies, [&](const PolicyChoice& choice) {
    return choice.spelling == result.spelling && !choice.loaded_from.empty();
  });
}

/// A paragraph on why a policy is not at the lower bound: the fastest one of the user's own if
/// there is one, else the fastest of all, really run if there are such results. Empty if nothing is
/// known.
std::string why_lines(const Comparison& comparison) {
  const PolicyResult* subject = nullptr;
  const auto rank = [&](const PolicyResult& result) {
    return std::tuple(!is_own(comparison, result), is_simulated(result), result.makespan_s.mean);
  };
  for (const PolicyResult& result : comparison.results) {
    if (!result.verified || !result.loss) continue;
    if (foresight_of(comparison, result) == Foresight::oracle) continue;
    if (subject == nullptr || rank(result) < rank(*subject)) subject = &result;
  }
  if (subject == nullptr) return {};
  const std::string text = why_paragraph(why_text(comparison, *subject));
  return text.empty() ? text : "\n" + text;
}

/// The losses by cause, with what these are if it `has_definitions`; empty where they are small or
/// unknown.
std::string loss_table(const Comparison& comparison, bool has_definitions) {
  const std::vector<std::vector<std::string>> rows = loss_rows(comparison);
  if (rows.empty()) return {};
  TextTable table(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
  return fmt::format("\n{}\n{}{}", table.text(),
                     has_definitions ? legend({rows.front().begin() + 1, rows.front().end()})
                                     : "loss: in % of the lower bound\n",
                     resident_note(comparison));
}

/// The energy of every unit in joules; empty if that of none is known.
std::string energy_table(const Comparison& comparison) {
  const bool any = std::ranges::any_of(comparison.results, [](const PolicyResult& r) {
    return std::ranges::any_of(r.energy_by_unit_j, [](const auto& j) { return j.has_value(); });
  });
  if (!any) return {};
  std::vector<std::string> heads = {"policy", "on"};
  const ResultField& field = result_field("energy_by_unit_j");
  for (const std::string& unit : comparison.units) heads.push_back(unit + " " + field.unit);
  TextTable table(std::move(heads));
  for (const PolicyResult& r : comparison.results) {
    std::vector<std::string> cells = {r.spelling, r.on};
    for (const std::optional<double>& energy_j : r.energy_by_unit_j) {
      cells.push_back(joules(energy_j));
    }
    table.add(std::move(cells));
  }
  return table.text();
}

/// The share of each unit in each phase, and the end of the phase, which has `prefix`; empty for a
/// run of one phase.
std::string phase_table(const RunNumbers& n, const std::vector<Unit>& units, const Prefix& prefix) {
  if (n.phases.size() < 2) return {};
  std::vector<std::string> head = {"share %"};
  std::vector<std::string> ends = {"ends " + prefix.name + "s"};
  for (std::size_t phase = 0; phase < n.phases.size(); ++phase) {
    head.push_back(fmt::format("phase {}", phase + 1));
    ends.push_back(significant(end_of(n.phases[phase]).value / prefix.factor, 4));
  }
  TextTable table(head);
  for (std::size_t i = 0; i < units.size(); ++i) {
    std::vector<std::string> row = {units[i].name};
    for (const auto& phase : n.phases) row.push_back(percent(share_of(phase, i)));
    table.add(row);
  }
  table.add(ends);
  return table.text() + "\n";
}

/// The executor's notes about a run, one line each.
std::string notes_text(const ExecutorNotes& notes) {
  std::string text;
  if (notes.pacing) {
    const PacingNote& pacing = *notes.pacing;
    text += fmt::format("paced: ends of blocks were noticed {} late, {} at most",
                        quantity_text(pacing.late_mean.value, "s", 2),
                        quantity_text(pacing.late_most.value, "s", 2));
    if (pacing.time_scale != 1.0) {
      text += fmt::format(
          "; at time scale {}, decision times weigh {:.3g} times as much as block times",
          significant(pacing.time_scale, 3), 1.0 / pacing.time_scale);
    }
    text += "\n";
  }
  if (!notes.clocks.empty()) {
    const ClockNote& worst = *std::ranges::max_element(
        notes.clocks, {}, [](const ClockNote& clock) { return clock.error.value; });
    text += fmt::format("clocks: times of {} are known to {}\n",
                        notes.clocks.size() == 1 ? worst.node : "other nodes",
                        quantity_text(worst.error.value, "s", 2));
  }
  for (const LoadNote& load : notes.loads) {
    text += fmt::format("load on {} from {}: {:.3f} of it ({:.3f} asked for)\n", load.unit,
                        quantity_text(load.at.value, "s", 4), load.measured_share, load.share);
  }
  return text;
}

/// "cuda0 was lost at 10.0 ms; its 556 items were done again": a line for each loss.
std::string loss_lines(const RunReport& report, const std::vector<Unit>& units) {
  constexpr std::size_t most_lines = 5;
  std::string text;
  Items told = 0;
  const std::vector<UnitLoss>& losses = report.unit_losses;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto& [unit, at, items] = losses[i];
    told += items;
    if (i == most_lines) text += fmt::format("{} more losses of units\n", losses.size() - i);
    if (i >= most_lines) continue;
    text += fmt::format("{} was lost at {}", units[unit.index].name, quantity_text(at.value, "s"));
    if (items > 0 && report.outcome.complete) {
      text +=
          fmt::format("; its {} {} done again", counted(static_cast<std::uint64_t>(items), "item"),
                      items == 1 ? "was" : "were");
    }
    text += "\n";
  }
  if (const Items rest = report.run.numbers.items_redone - told; rest > 0) {
    text +=
        fmt::format("{} {} done again: of blocks that were taken back, given twice or too large\n",
                    counted(static_cast<std::uint64_t>(rest), "item"), rest == 1 ? "was" : "were");
  }
  return text;
}

/// What each oracle of the comparison is: "optimum: a plan for ...".
std::string oracle_lines(const Comparison& comparison) {
  std::string text;
  for (const PolicyInfo& info : policy_catalog()) {
    const bool is_there = std::ranges::any_of(
        comparison.policies, [&](const PolicyChoice& c) { return c.info == &info; });
    if (is_there && info.foresight == Foresight::oracle) {
      text += fmt::format("{}: {}\n", info.name, info.line);
    }
  }
  return text;
}

/// A line for each unit with its work and its times, which have `prefix`.
std::string units_table(const RunNumbers& n, const std::vector<Unit>& units, const Prefix& prefix) {
  const bool any_energy = std::any_of(n.units.begin(), n.units.end(),
                                      [](const UnitNumbers& u) { return u.energy_j.has_value(); });
  const bool any_setup = std::any_of(n.units.begin(), n.units.end(),
                                     [](const UnitNumbers& u) { return u.busy.setup > Seconds{}; });
  const std::string second = " " + prefix.name + "s";
  std::vector<std::string> heads = {"unit", "items", "share %", "blocks"};
  if (any_setup) heads.push_back("setup" + second);
  heads.insert(heads.end(),
               {"in" + second, "compute" + second, "out" + second, "idle %", "last end" + second});
  if (any_energy) heads.emplace_back("energy J");
  TextTable table(std::move(heads));
  const auto time = [&](Seconds span) { return significant(span.value / prefix.factor, 4); };
  for (std::size_t i = 0; i < units.size(); ++i) {
    const UnitNumbers& unit = n.units[i];
    std::vector<std::string> cells = {units[i].name, fmt::format("{}", unit.items),
                                      percent(share(n, i)), fmt::format("{}", unit.blocks)};
    if (any_setup) cells.push_back(time(unit.busy.setup));
    cells.insert(cells.end(), {time(unit.busy.in), time(unit.busy.compute), time(unit.busy.out),
                               percent(idle_fraction(n, i)), time(unit.last_end)});
    if (any_energy) cells.push_back(joules(unit.energy_j));
    table.add(std::move(cells));
  }
  return folded_text(std::move(table));
}

/// The whole run in a line.
std::string run_line(const RunReport& report, const PolicyChoice& policy) {
  const RunNumbers& n = report.run.numbers;
  std::string text =
      fmt::format("{}: makespan {}", policy.spelling, quantity_text(n.makespan.value, "s", 5));
  if (const std::optional<double> bound_s = report.lower_bound_s) {
    text += fmt::format(", {:.3f} times the lower bound of {}", n.makespan.value / *bound_s,
                        quantity_text(*bound_s, "s", 5));
  }
  text += fmt::format("; {}, {}, {}", counted(n.blocks, "block"), counted(n.decisions, "decision"),
                      counted(n.rebalances, "rebalance"));
  if (percent(n.extrapolated_share) != percent(0.0)) {
    text += fmt::format("; {} % of the items in blocks whose times are extrapolated",
                        percent(n.extrapolated_share));
  }
  if (policy.is_experienced()) text += fmt::format("; {}", result_field("experienced").heading);
  if (report.outcome.policy_stalled) text += "; the policy stalled, greedy finished its work";
  if (n.energy_j) {
    text += fmt::format("; {} {}", quantity_text(*n.energy_j, "J", 4), to_string(n.energy_from));
  }
  if (!report.run.verified) return text + "; NOT VERIFIED: " + report.problem;
  if (report.run.unchecked) return text + "; unverified: there is no check of the results";
  text += "; verified";
  if (report.notes.pacing) text += " (coverage alone)";
  return text;
}

/// A run: a line for each unit; for several phases, also the shares in each; its makespan, and what
/// happened to units.
std::string run_table(const RunReport& report, const PolicyChoice& policy,
                      const std::vector<Unit>& units) {
  const RunNumbers& n = report.run.numbers;
  const Prefix prefix = prefix_of_seconds(n.makespan.value);
  return units_table(n, units, prefix) + "\n" + phase_table(n, units, prefix) +
         run_line(report, policy) + "\n" + loss_lines(report, units) + notes_text(report.notes);
}

/// "fac2, gss", "fac2, gss, tss and 20 others".
std::string some_of(std::vector<std::string> names) {
  constexpr std::size_t shown = 3;
  const std::size_t more = names.size() > shown + 1 ? names.size() - shown : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} others", more) : "");
}

/// A column of the results. Makespans have one prefix, so that they can be compared at a glance;
/// each other time has its own, because some are many times as long as others.
struct ResultColumn {
  const ResultField* field;
  Prefix prefix;
  bool has_unit_in_cells;

  [[nodiscard]] std::string heading() const {
    return has_unit_in_cells ? field->heading : heading_of(*field, prefix);
  }
  [[nodiscard]] std::string cell(const OfResult& of) const {
    const Json value = field->value(of);
    return has_unit_in_cells && value.is_number()
               ? quantity_text(value.get<double>(), field->unit, field->shown.format.digits)
               : cell_text(*field, of, "-", prefix);
  }
};

std::vector<ResultColumn> result_columns(const Comparison& comparison, bool is_brief) {
  const Prefix prefix = prefix_of_makespans(comparison);
  std::vector<ResultColumn> columns;
  for (const ResultField* const field : table_columns(comparison, is_brief)) {
    const bool is_time = std::string_view(field->unit) == "s";
    const bool is_makespan = std::string_view(field->name).starts_with("makespan");
    columns.push_back({field, is_makespan ? prefix : Prefix(), is_time && !is_makespan});
  }
  return columns;
}

/// A line for each result of `comparison`, a part of `all`; the fastest policies stand out.
std::string result_table(const Comparison& comparison, const Comparison& all, bool is_brief) {
  const std::vector<ResultColumn> columns = result_columns(comparison, is_brief);
  std::vector<std::string> heads;
  for (const ResultColumn& column : columns) heads.push_back(column.heading());
  TextTable table(std::move(heads));
  for (const PolicyResult& r : comparison.results) {
    const PolicyResult* const fastest = fastest_result(all, r.on);
    const bool best = fastest != nullptr && r.verified &&
                      r.makespan_s.mean <= fastest->makespan_s.mean &&
                      foresight_of(comparison, r) != Foresight::oracle;
    std::vector<std::string> cells;
    for (const ResultColumn& column : columns) {
      const bool is_marked = best && column.field == &result_field("makespan_s");
      cells.push_back((is_marked ? "*" : "") + column.cell({all, r}));
    }
    table.add(std::move(cells), !r.verified ? Style::error : (best ? Style::best : Style::plain));
  }
  return table.text();
}

/// Where block times come from, and what intervals are made of or why there are none.
std::string timings_text(const Comparison& comparison) {
  std::string text;
  const auto simulated = std::ranges::find_if(
      comparison.results, [](const PolicyResult& r) { return r.timings.has_value(); });
  if (simulated == comparison.results.end()) return text;
  const TimingsFacts& timings = *simulated->timings;
  text += "block times: " + timings.source;
  if (timings.source == "modelled") text += " from data sheets, not measured";
  if (timings.recorded_busy.value_or(0.0) > other_programs_share_max) {
    text += fmt::format(", while other programs had {:.0f} % of the cores",
                        100.0 * *timings.recorded_busy);
  }
  text += "\n";
  if (!is_simulated(*simulated)) return text;
  if (!comparison.model_errors_from.empty()) {
    text += wrapped(
        "95 %: with this probability a single real run ends within the interval, by the "
        "uncertainty of the recording and the errors that " +
        comparison.model_errors_from + " showed (--explain-interval)");
  } else if (!simulated->prediction.note.empty()) {
    text += wrapped("no interval for a real run: " + simulated->prediction.note);
  }
  return text;
}

/// For each world in which the lead of the fastest policy may be chance, why: ", perhaps by chance:
/// fac2, gss may be as fast".
std::string chance_text(const Comparison& comparison) {
  const std::vector<std::string> worlds = worlds_of(comparison);
  std::string text;
  for (const std::string& on : worlds) {
    std::vector<std::string> others = perhaps_as_fast(comparison, on);
    if (others.empty()) continue;
    const PolicyResult& fastest = *fastest_result(comparison, on);
    for (std::string& other : others) {
      const double p = probability_faster(fastest, other).value_or(1.0);
      if (p < 0.5) other += fmt::format(" (with {:.0f} % faster)", 100.0 * (1.0 - p));
    }
    text += fmt::format(
        ", perhaps by chance{}: {}", worlds.size() > 1 ? " (" + on + ")" : "",
        fastest.reps > 1 ? some_of(others) + " may be as fast" : "one run does not show noise");
  }
  return text;
}

/// The mark of the table, and what it is compared with.
std::string comparison_summary(const Comparison& comparison) {
  std::string text =
      "* fastest policy that does not know this run's mean times" + chance_text(comparison);
  if (comparison.lower_bound_s) {
    text += fmt::format("; lower bound {}", quantity_text(*comparison.lower_bound_s, "s", 4));
  }
  if (comparison.best_known) {
    text +=
        fmt::format("; best known {} ({})", quantity_text(comparison.best_known->seconds, "s", 4),
                    comparison.best_known->spelling);
  }
  return wrapped(text);
}

/// What the table's words mean, as far as they are in it.
std::string comparison_legend(const Comparison& comparison) {
  std::vector<std::string> words = {"makespan_half_ci95_s", "speedup_vs_baseline"};
  if (comparison.lower_bound_s) words.emplace_back("over_lower_bound");
  words.insert(words.end(), {"idle_fraction.mean", "finish_spread_s"});
  std::string remarks;
  for (const PolicyResult& r : comparison.results) {
    remarks += cell_text(result_field("remarks"), {comparison, r}, "") + ", ";
  }
  for (const char* const name : {"informed", "oracle", "knows_costs", "experienced",
                                 "policy_stalled", "extrapolated_share"}) {
    if (remarks.find(std::string(result_field(name).heading) + ",") != std::string::npos) {
      words.emplace_back(name);
    }
  }
  return legend(words);
}

/// The summary of a run, as the last line of a run file has it.
Json run_json(const RunSummary& summary, const std::optional<RecordedMakespan>& recorded) {
  Json document = {{"schema", "equipoise.run-summary/1"}, {"summary", true}};
  put_members(document, summary, in_runs);
  if (!recorded) return document;
  return {{"schema", "equipoise.replay/1"},
          {"recorded", {{"on", recorded->on}, {"makespan_s", recorded->makespan.value}}},
          {"again", std::move(document)}};
}

/// How the blocks of the unit that ended last differ from those that it had when they were
/// recorded. Paced units report the times of their blocks without lateness.
std::string last_unit_text(const RunNumbers& n, const std::vector<Unit>& units,
                           const RecordedMakespan& recorded) {
  const auto last = std::ranges::max_element(n.units, {}, &UnitNumbers::last_end);
  const std::string& name = units[static_cast<std::size_t>(last - n.units.begin())].name;
  const auto found = recorded.by_unit.find(name);
  if (found == recorded.by_unit.end()) return {};
  const UnitWork& then = found->second;
  const std::string took = quantity_text(total(last->busy).value, "s", 4);
  const std::string took_then = quantity_text(then.busy.value, "s", 4);
  const std::string work =
      fmt::format("{} of {} items", counted(last->blocks, "block"), last->items);
  if (last->blocks == then.blocks && last->items == then.items) {
    return fmt::format(
        "; {} ended last: its {}, as many as when it was recorded, took {} ({} then)", name, work,
        took, took_then);
  }
  return fmt::format(
      "; {} ended last: its {} took {} (when it was recorded, {} of {} items took {})", name, work,
      took, counted(then.blocks, "block"), then.items, took_then);
}

/// Where the time of a run comes from whose policy decided anew, in real time.
std::string difference(const RunReport& report, const std::vector<Unit>& units,
                       const RecordedMakespan& recorded) {
  const RunNumbers& n = report.run.numbers;
  std::string text = fmt::format("in it: {} of decisions ({} when it was recorded)",
                                 quantity_text(n.decisions_total.value, "s"),
                                 quantity_text(recorded.deciding->value, "s"));
  if (report.notes.pacing) {
    const double blocks = static_cast<double>(n.blocks) / static_cast<double>(n.units.size());
    text += fmt::format(", {} a unit of ends noticed late",
                        quantity_text(blocks * report.notes.pacing->late_mean.value, "s", 2));
  }
  if (const double others = share_of_others(report.run.core_use).value_or(0.0);
      others > other_programs_share_max) {
    text += fmt::format(
        "; other programs had {:.0f} % of the cores, which makes decisions longer and ends later",
        100.0 * others);
  }
  return wrapped(text + last_unit_text(n, units, recorded) +
                 "; for the rest it waited: for decisions, other units, or a core to run on");
}

std::string comparison(const RunReport& report, const std::vector<Unit>& units,
                       const RecordedMakespan& recorded) {
  const Seconds again = report.run.numbers.makespan;
  const std::string text =
      fmt::format("makespan: recorded {} ({}), {} again {} ({}), {:.4f} of it\n",
                  quantity_text(recorded.makespan.value, "s", 5), recorded.on, recorded.again,
                  quantity_text(again.value, "s", 5), recorded.again_on, again / recorded.makespan);
  return text + (recorded.deciding ? difference(report, units, recorded) : "");
}

}  // namespace

void warn_of_extrapolation(const Comparison& comparison) {
  std::set<std::string> policies;
  for (const PolicyResult& result : comparison.results) {
    if (*result.means.of<&RunNumbers::extrapolated_share>() > warned_share)
      policies.insert(result.spelling);
  }
  if (policies.empty()) return;
  warn(fmt::format(
      "{} did more than {:.0f} % of the items in blocks smaller or larger than any whose time is "
      "known; "
      "extrapolated times are less certain (see remarks)",
      policies.size() == 1 ? *policies.begin() : fmt::format("{} policies", policies.size()),
      100.0 * warned_share));
}

void warn_of_extrapolation(const std::string& policy, double share) {
  if (share <= warned_share) return;
  warn(
      fmt::format("{} did {} % of the items in blocks smaller or larger than any whose time is "
                  "known; extrapolated "
                  "times are less certain",
                  policy, significant(100.0 * share, 2)));
}

std::string interval_table(const Comparison& comparison) {
  std::vector<std::string> heads = {"policy", "95 % ± %", "longer by %"};
  for (std::size_t cause = 0; cause < uncertainties; ++cause) {
    heads.push_back(text_of(static_cast<Uncertainty>(cause)).name + std::string(" ± %"));
  }
  TextTable table(std::move(heads));
  std::string notes;
  const auto half = [](double width) { return fmt::format("{:.2f}", 100.0 * width); };
  for (const PolicyResult& result : comparison.results) {
    const Prediction& prediction = result.prediction;
    if (!prediction.note.empty()) notes += result.spelling + ": " + prediction.note + "\n";
    if (!prediction.interval95_s) continue;
    const auto [low_s, high_s] = *prediction.interval95_s;
    std::vector<std::string> cells = {result.spelling,
                                      half(0.5 * (high_s - low_s) / result.makespan_s.mean),
                                      fmt::format("{:+.2f}", 100.0 * prediction.shift)};
    for (const double width : prediction.half_widths) cells.push_back(half(width));
    table.add(std::move(cells));
  }
  if (!knows_intervals(comparison)) return {};
  std::string text = "\n" + table.text() + "\n";
  for (std::size_t cause = 0; cause < uncertainties; ++cause) {
    const UncertaintyText& of = text_of(static_cast<Uncertainty>(cause));
    text += fmt::format("{}: {}\n", of.name, of.meaning);
  }
  text +=
      "longer by: how much longer real runs took than predicted, in validations near this one\n";
  return text + notes;
}

std::string comparison_table(const Comparison& all, const TableChoice& choice) {
  const Comparison comparison = arranged(all, choice);
  std::string text =
      result_table(comparison, all, choice.is_brief) + "\n" + comparison_summary(all);
  if (comparison.results.size() < all.results.size()) {
    text += fmt::format("{} of {} rows; without --top all are shown\n", comparison.results.size(),
                        all.results.size());
  }
  if (choice.is_brief) {
    return text + timings_text(all) + (all.what_if ? wrapped(sentence_of(*all.what_if)) : "");
  }
  if (choice.has_definitions) text += comparison_legend(comparison);
  text += timings_text(all);
  if (all.what_if) text += wrapped(sentence_of(*all.what_if));
  if (choice.has_definitions) text += oracle_lines(comparison);
  if (!comparison.assumptions.empty()) text += wrapped(comparison.assumptions);
  text += why_lines(all);
  text += loss_table(comparison, choice.has_definitions);
  if (knows_energy(comparison) && comparison.units.size() <= most_units_in_a_row) {
    text += "\n" + energy_table(comparison);
  }
  const bool both = std::any_of(comparison.results.begin(), comparison.results.end(),
                                [](const PolicyResult& r) { return !is_simulated(r); }) &&
                    std::any_of(comparison.results.begin(), comparison.results.end(),
                                [](const PolicyResult& r) { return is_simulated(r); });
  if (both) text += "\n" + prediction_table(comparison) + energy_prediction_table(comparison);
  return text;
}

std::string run_text(const RunReport& report, const PolicyChoice& choice,
                     const std::vector<Unit>& units, const ResidentPath& resident) {
  return run_table(report, choice, units) +
         why_paragraph(why_text(report, choice.spelling, units)) + resident_note(report, resident);
}

int report_run(const RunReport& report, const PolicyChoice& choice, const std::vector<Unit>& units,
               const std::string& run_file, bool json, const ResidentPath& resident,
               const std::optional<RecordedMakespan>& recorded) {
  if (report.outcome.interrupted) {
    say_error("interrupted" + (run_file.empty() ? "" : "; " + run_file + " holds the run so far"));
    return 128 + stop_signal();
  }
  if (json) {
    std::printf("%s\n", line_of(run_json(summary_of(report, units), recorded)).c_str());
  } else {
    std::printf("%s", run_text(report, choice, units, resident).c_str());
    if (recorded) std::printf("%s", comparison(report, units, *recorded).c_str());
    if (!run_file.empty()) std::printf("run file: %s\n", run_file.c_str());
  }
  warn_of_extrapolation(choice.spelling, report.run.numbers.extrapolated_share);
  if (report.run.verified) return 0;
  say_error("the run is not verified: " + report.problem);
  return 1;
}

}  // namespace equipoise
