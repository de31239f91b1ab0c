// Columns of a table of times that were not asked for, and in which rows of one size differ.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// The rows of one CSV file that became samples.
struct CsvRows {
  std::vector<std::string> header;
  std::vector<bool> is_used;                     ///< (header) whether an option names the column
  std::vector<std::vector<std::string>> fields;  ///< (rows, header)
  std::vector<TraceSample> samples;              ///< (rows)
};

/// What must not stay unsaid about rows that are pooled because they have the same unit and size:
///
/// - their times spread by more than 20 % (the deviation of all of them over their mean): the worst
///   size, with the columns in which its rows differ, so that --where can choose;
/// - else, the columns in which rows of one size differ.
///
/// Of the columns that no option names, only those count whose values recur: at most half as many
/// values as rows. `units` are the names by TraceSample::unit. One text each, without a file's
/// name.
[[nodiscard]] std::vector<std::string> pooled_levels(const CsvRows& rows,
                                                     const std::vector<Unit>& units);

}  // namespace equipoise
