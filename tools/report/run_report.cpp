// Prints tables or JSON on stdout, and errors on stderr.
#include "tools/report/run_report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/loss_text.hpp"
#include "tools/report/report_text.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// The summary of a run, as the last line of a run file has it.
Json run_json(const RunSummary& summary, const std::optional<RecordedMakespan>& recorded) {
  Json document = {{"schema", "equipoise.run-summary/1"}, {"summary", true}};
  put_members(document, summary, in_runs);
  if (!recorded) return document;
  return {{"schema", "equipoise.replay/1"},
          {"recorded", {{"on", recorded->on}, {"makespan_s", recorded->makespan.value}}},
          {"again", std::move(document)}};
}

/// Where the time of a run comes from whose policy decided anew, in real time.
std::string difference(const RunReport& report, Seconds deciding) {
  const RunNumbers& n = report.run.numbers;
  std::string text =
      fmt::format("in it: {} of decisions ({} when it was recorded)",
                  quantity_text(n.decisions_total.value, "s"), quantity_text(deciding.value, "s"));
  if (report.notes.pacing) {
    const double blocks = static_cast<double>(n.blocks) / static_cast<double>(n.units.size());
    text += fmt::format(", {} a unit of ends noticed late",
                        quantity_text(blocks * report.notes.pacing->late_mean.value, "s", 2));
  }
  return wrapped(text +
                 "; the rest comes from other block sizes that were decided, whose times are "
                 "interpolated, and from what else the policy then waited for");
}

std::string comparison(const RunReport& report, const RecordedMakespan& recorded) {
  const Seconds again = report.run.numbers.makespan;
  const std::string text =
      fmt::format("makespan: recorded {} ({}), {} again {} ({}), {:.4f} of it\n",
                  quantity_text(recorded.makespan.value, "s", 5), recorded.on, recorded.again,
                  quantity_text(again.value, "s", 5), recorded.again_on, again / recorded.makespan);
  return text + (recorded.deciding ? difference(report, *recorded.deciding) : "");
}

}  // namespace

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
    std::printf("%s%s", run_table(report, choice, units).c_str(),
                loss_text(report, resident).c_str());
    if (recorded) std::printf("%s", comparison(report, *recorded).c_str());
    if (!run_file.empty()) std::printf("run file: %s\n", run_file.c_str());
  }
  warn_of_extrapolation(choice.spelling, report.run.numbers.extrapolated_share);
  if (report.run.verified) return 0;
  say_error("the run is not verified: " + report.problem);
  return 1;
}

}  // namespace equipoise
