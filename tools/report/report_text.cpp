// Text tables of runs and comparisons.
#include "tools/report/report_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "tools/report/console.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/report/repetition_noise.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/report/text_table.hpp"

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

/// The least mean makespan of a world, without oracles and without runs that were not verified.
double least_s(const Comparison& comparison, const std::string& on) {
  double least = std::numeric_limits<double>::infinity();
  for (const PolicyResult& result : comparison.results) {
    if (result.on != on || !result.verified) continue;
    if (foresight_of(comparison, result) == Foresight::oracle) continue;
    least = std::min(least, result.makespan_s.mean);
  }
  return least;
}

std::string prediction_table(const Comparison& comparison) {
  const ResultField& makespan = result_field("makespan_s");
  const ResultField& half_width = result_field("makespan_half_ci95_s");
  TextTable table({"policy", "predicted s", "measured s", half_width.heading, "sd %", "error %"});
  std::vector<const PolicyResult*> measured;
  for (const PolicyResult& real : comparison.results) {
    if (is_simulated(real)) continue;
    const PolicyResult* sim = find_result(comparison, real.policy, "sim");
    if (sim == nullptr) continue;
    const double error = sim->makespan_s.mean / real.makespan_s.mean - 1.0;
    table.add({real.policy, cell_text(makespan, {comparison, *sim}, "-"),
               cell_text(makespan, {comparison, real}, "-"),
               cell_text(half_width, {comparison, real}, "-"), noise_cell(real),
               fmt::format("{:+.1f}", 100.0 * error)});
    measured.push_back(&real);
  }
  return table.text() + "\n" + noise_text(measured);
}

/// Modelled energy of simulations beside measured energy of real runs; empty if there is none.
std::string energy_prediction_table(const Comparison& comparison) {
  const ResultField& energy = result_field("energy_j");
  TextTable table({"policy", "predicted J", "measured J", "error %"});
  bool any = false;
  for (const PolicyResult& real : comparison.results) {
    if (real.energy_from != EnergySource::measured) continue;
    const PolicyResult* sim = find_result(comparison, real.policy, "sim");
    if (sim == nullptr || !sim->energy_j || !(*real.energy_j > 0.0)) continue;
    any = true;
    table.add({real.policy, cell_text(energy, {comparison, *sim}, "-"),
               cell_text(energy, {comparison, real}, "-"),
               fmt::format("{:+.1f}", 100.0 * (*sim->energy_j / *real.energy_j - 1.0))});
  }
  return any ? "\n" + table.text() : std::string();
}

/// The losses by cause; empty where they are small or unknown.
std::string loss_table(const Comparison& comparison) {
  const std::vector<std::vector<std::string>> rows = loss_rows(comparison);
  if (rows.empty()) return {};
  TextTable table(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
  return fmt::format("\n{}\n{}{}", table.text(), wrapped(loss_legend(rows.front())),
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
    std::vector<std::string> cells = {r.policy, r.on};
    for (const std::optional<double>& energy_j : r.energy_by_unit_j) {
      cells.push_back(joules(energy_j));
    }
    table.add(std::move(cells));
  }
  return table.text();
}

/// The share of each unit in each phase, and the end of the phase; empty for a run of one phase.
std::string phase_table(const RunNumbers& n, const std::vector<Unit>& units) {
  if (n.phases.size() < 2) return {};
  std::vector<std::string> head = {"share %"};
  std::vector<std::string> ends = {"ends s"};
  for (std::size_t phase = 0; phase < n.phases.size(); ++phase) {
    head.push_back(fmt::format("phase {}", phase + 1));
    ends.push_back(significant(end_of(n.phases[phase]).value, 4));
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
    text +=
        fmt::format("paced: ends of blocks were noticed {} s late, {} s at most",
                    significant(pacing.late_mean.value, 2), significant(pacing.late_most.value, 2));
    if (pacing.time_scale != 1.0) {
      text += fmt::format(
          "; at time scale {}, decision times weigh {:.3g} times as much as block times",
          significant(pacing.time_scale, 3), 1.0 / pacing.time_scale);
    }
    text += "\n";
  }
  for (const LoadNote& load : notes.loads) {
    text += fmt::format("load on {} from {} s: {:.3f} of it ({:.3f} asked for)\n", load.unit,
                        significant(load.at.value, 4), load.measured_share, load.share);
  }
  return text;
}

/// "cuda0 was lost at 0.0100 s; its 556 items were done again": a line for each loss.
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
    text += fmt::format("{} was lost at {} s", units[unit.index].name, significant(at.value, 3));
    if (items > 0 && report.outcome.complete) {
      text +=
          fmt::format("; its {} {} done again", counted(static_cast<std::uint64_t>(items), "item"),
                      items == 1 ? "was" : "were");
    }
    text += "\n";
  }
  if (const Items rest = report.run.numbers.items_redone - told; rest > 0) {
    text +=
        fmt::format("{} of blocks that their units could not do {} done again\n",
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

}  // namespace

std::string run_table(const RunReport& report, const PolicyChoice& policy,
                      const std::vector<Unit>& units) {
  const RunNumbers& n = report.run.numbers;
  const bool any_energy = std::any_of(n.units.begin(), n.units.end(),
                                      [](const UnitNumbers& u) { return u.energy_j.has_value(); });
  const bool any_setup = std::any_of(n.units.begin(), n.units.end(),
                                     [](const UnitNumbers& u) { return u.busy.setup > Seconds{}; });
  std::vector<std::string> heads = {"unit", "items", "share %", "blocks"};
  if (any_setup) heads.emplace_back("setup s");
  heads.insert(heads.end(), {"in s", "compute s", "out s", "idle %", "last end s"});
  if (any_energy) heads.emplace_back("energy J");
  TextTable table(std::move(heads));
  for (std::size_t i = 0; i < units.size(); ++i) {
    const UnitNumbers& unit = n.units[i];
    std::vector<std::string> cells = {units[i].name, fmt::format("{}", unit.items),
                                      percent(share(n, i)), fmt::format("{}", unit.blocks)};
    if (any_setup) cells.push_back(significant(unit.busy.setup.value, 4));
    cells.insert(cells.end(),
                 {significant(unit.busy.in.value, 4), significant(unit.busy.compute.value, 4),
                  significant(unit.busy.out.value, 4), percent(idle_fraction(n, i)),
                  significant(unit.last_end.value, 4)});
    if (any_energy) cells.push_back(joules(unit.energy_j));
    table.add(std::move(cells));
  }
  std::string text = table.text() + "\n" + phase_table(n, units);
  text += fmt::format("{}: makespan {} s", policy.spelling, significant(n.makespan.value, 5));
  if (const std::optional<double> bound_s = report.lower_bound_s) {
    text += fmt::format(", {:.3f} of the lower bound {} s", n.makespan.value / *bound_s,
                        significant(*bound_s, 5));
  }
  text += fmt::format("; {}, {}, {}", counted(n.blocks, "block"), counted(n.decisions, "decision"),
                      counted(n.rebalances, "rebalance"));
  if (percent(n.extrapolated_share) != percent(0.0)) {
    text += fmt::format("; {}% of the items in blocks outside the recorded sizes",
                        percent(n.extrapolated_share));
  }
  if (policy.is_experienced()) text += "; experienced";
  if (report.outcome.policy_stalled) text += "; the policy stalled, greedy finished its work";
  if (n.energy_j) {
    text += fmt::format("; {} J {}", significant(*n.energy_j, 4), to_string(n.energy_from));
  }
  text += report.run.verified ? "; verified" : "; NOT VERIFIED: " + report.problem;
  if (report.run.verified && report.notes.pacing) text += " (coverage alone)";
  return text + "\n" + loss_lines(report, units) + notes_text(report.notes);
}

void warn_of_extrapolation(const Comparison& comparison) {
  std::set<std::string> policies;
  for (const PolicyResult& result : comparison.results) {
    if (result.extrapolated_share > warned_share) policies.insert(result.policy);
  }
  if (policies.empty()) return;
  warn(fmt::format(
      "{} used blocks of unrecorded sizes for more than {:.0f} % of the items (see "
      "remarks)",
      policies.size() == 1 ? *policies.begin() : fmt::format("{} policies", policies.size()),
      100.0 * warned_share));
}

void warn_of_extrapolation(const std::string& policy, double share) {
  if (share <= warned_share) return;
  warn(fmt::format("{} used blocks of unrecorded sizes for {}% of the items", policy,
                   significant(100.0 * share, 2)));
}

std::string comparison_table(const Comparison& comparison) {
  const std::vector<const ResultField*> columns = columns_of(in_text, comparison);
  std::vector<std::string> heads;
  for (const ResultField* const column : columns) heads.emplace_back(column->heading);
  TextTable table(std::move(heads));
  for (const PolicyResult& r : comparison.results) {
    const bool best = r.verified && r.makespan_s.mean <= least_s(comparison, r.on) &&
                      foresight_of(comparison, r) != Foresight::oracle;
    std::vector<std::string> cells;
    for (const ResultField* const column : columns) {
      const bool is_marked = best && column == &result_field("makespan_s");
      cells.push_back((is_marked ? "*" : "") + cell_text(*column, {comparison, r}, "-"));
    }
    table.add(std::move(cells));
  }
  std::string text = table.text();
  text += "\n* fastest policy (oracles excluded); ± half the 95 % confidence interval";
  if (comparison.lower_bound_s) {
    text += fmt::format("; lower bound {} s", significant(*comparison.lower_bound_s, 4));
  }
  if (comparison.best_known) {
    text += fmt::format("; best known {} s ({})", significant(comparison.best_known->seconds, 4),
                        comparison.best_known->policy);
  }
  text += "\n" + oracle_lines(comparison);
  if (!comparison.assumptions.empty()) text += comparison.assumptions + "\n";
  text += loss_table(comparison);
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

}  // namespace equipoise
