// The formats in which recorded runs and results are exported for other programs: CSV, Chrome trace
// events, Paje, pictures (those of runs are in gantt_svg.hpp); and the picture of a front. They go
// into an ExportFile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/console/file_in_progress.hpp"
#include "tools/report/report_inputs.hpp"
#include "tools/search/division_front.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// Receives the text of an export, piece by piece.
class ExportFile {
 public:
  /// `path`: where it goes; "-" is stdout. Throws InputError at `option` if no file can be made
  /// there, or if it was read as an input.
  ExportFile(const std::string& path, const std::string& option);

  /// Appends `text`. Throws std::runtime_error if it cannot be written.
  void put(std::string_view text);
  /// To be called when the text is complete; without it no file appears. Throws like `put`.
  void finish();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::optional<FileInProgress> file_;  ///< none: stdout
};

/// Appends the line of headings of a table of blocks (CSV) to `out`.
void put_block_headings(ExportFile& out);

/// Appends a row for each block of the run to `out`, in the order in which they ended: accepted
/// blocks (status done), lost and outstanding ones, of which only `assigned_s` and, in `end_s`, the
/// time of the loss are known. Times are in seconds since the start of the run. What is not known
/// is empty.
void put_blocks(const RunFile& file, ExportFile& out);

/// Appends the numbers of every repetition in `results` to `out` as CSV: a line of headings, then a
/// row for each. The columns are `results` (the path), `policy` (as spelled), `on`,
/// `lower_bound_s`, and the members of a repetition, with dots between nested names, in the order
/// in which they first occur. Throws InputError for results without repetitions.
void put_repetitions(const std::vector<ResultsDocument>& results, ExportFile& out);

/// Writes the beginning of a document of Chrome trace events, which ui.perfetto.dev shows.
void begin_trace_events(ExportFile& out);
/// Adds a run as a process called after its policy, world and file. Each unit has a track with
/// slices for what it does; if its copies overlap other stages, they have tracks of their own.
/// Decisions are on a track called "policy"; events and disturbances are instant events on the
/// track of their unit or, if they concern none, of the policy; meters are counters. Slices of
/// blocks name block, items, phase, iteration and tag. Timestamps are in microseconds, exact to 1
/// ns. `number`: of the run in the document, from 1.
void put_trace_events(const RunFile& file, int number, ExportFile& out);
/// Writes the end of the document of trace events.
void end_trace_events(ExportFile& out);

/// Writes `runs` as one Paje trace, which ViTE and pajeng read: a container for each run and, in
/// it, for each unit. A unit has states of three types (work, copy in, copy out), because stages of
/// different blocks overlap; states of blocks name block and items. Decisions, events and
/// disturbances are events of the unit that they concern or of the run; meters are variables of the
/// run. Times are in seconds, rounded to 1 ns. Memory grows with the number of blocks, because Paje
/// wants all events in the order of time.
void put_paje(const std::vector<RunFile>& runs, ExportFile& out);

/// The front of time and energy as an SVG picture: the divisions that none beats in time and energy
/// in all, as points with steps between them, and their simulated runs as rings. `workload` stands
/// above.
[[nodiscard]] std::string front_svg(const DivisionFront& front, const std::string& workload);

/// The makespans of policies as an SVG picture, a panel for each results.json: a bar for the mean
/// makespan of each result, with its 95 % confidence interval, and the lower bound as a line. Bars
/// that are more than four times as long as the shortest are cut, so that the others can be told
/// apart. Throws InputError, with the line, for something that is no results.json.
[[nodiscard]] std::string comparison_svg(const std::vector<ResultsDocument>& documents);

}  // namespace equipoise
