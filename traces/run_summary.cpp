// Writes the summary of a run file.
#include "shared_policies/run/losses.hpp"
#include "traces/json_record.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

std::optional<Named<double>> named_loss(const RunSummary& summary) {
  if (!summary.loss) return std::nullopt;
  Named<double> by_cause = {{"total", total(*summary.loss).value}};
  for (const LossCause& cause : loss_causes) {
    by_cause.emplace_back(cause.name, (*summary.loss.*cause.member).value);
  }
  return by_cause;
}

Named<UnitSummary> summary_by_unit(const RunSummary& summary) {
  const RunNumbers& numbers = summary.numbers;
  Named<UnitSummary> by_unit;
  for (std::size_t i = 0; i < summary.units.size(); ++i) {
    const UnitNumbers& unit = numbers.units[i];
    by_unit.emplace_back(summary.units[i],
                         UnitSummary{unit.items, share(numbers, i), unit.blocks, unit.busy,
                                     idle_fraction(numbers, i), unit.last_end, unit.energy_j});
  }
  return by_unit;
}

std::optional<std::vector<PhaseSummary>> summary_by_phase(const RunSummary& summary) {
  if (summary.numbers.phases.size() < 2) return std::nullopt;
  std::vector<PhaseSummary> phases;
  for (const std::vector<UnitInPhase>& phase : summary.numbers.phases) {
    PhaseSummary& of = phases.emplace_back(PhaseSummary{end_of(phase), {}});
    for (std::size_t i = 0; i < summary.units.size(); ++i) {
      of.by_unit.emplace_back(
          summary.units[i],
          UnitPhaseSummary{phase[i].items, share_of(phase, i), phase[i].blocks, phase[i].last_end});
    }
  }
  return phases;
}

std::string run_summary_line(const RunSummary& summary) {
  Json line = {{"summary", true}};
  put_members(line, summary, in_runs);
  return line_of(line);
}

}  // namespace equipoise
