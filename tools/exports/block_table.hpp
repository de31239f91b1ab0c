// Blocks and repetitions as comma-separated values, one row each, for pandas, R and spreadsheets.
#pragma once

#include <vector>

#include "tools/exports/export_file.hpp"
#include "tools/report/report_inputs.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// Appends the line of headings of a table of blocks to `out`.
void put_block_headings(ExportFile& out);

/// Appends a row for each block of the run to `out`, in the order in which they ended: accepted
/// blocks (status done), lost and outstanding ones, of which only `assigned_s` and, in `end_s`, the
/// time of the loss are known. Times are in seconds since the start of the run. What is not known
/// is empty.
void put_blocks(const RunFile& file, ExportFile& out);

/// Appends the numbers of every repetition in `results` to `out`: a line of headings, then a row
/// for each. The columns are `results` (the path), `policy` (as spelled), `on`, `lower_bound_s`,
/// and the members of a repetition, with dots between nested names, in the order in which they
/// first occur. Throws InputError for results without repetitions.
void put_repetitions(const std::vector<ResultsDocument>& results, ExportFile& out);

}  // namespace equipoise
