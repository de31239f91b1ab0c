// Which rows and columns the table of a comparison shows, in which order, and which row is marked
// as the fastest.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/report/result_fields.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// What the table of a comparison shows.
struct TableChoice {
  std::string sort{};  ///< the column, by name or heading; empty: the order of policies
  std::optional<std::size_t> top{};  ///< so many rows of each world, and the baseline; none: all
  bool is_brief = false;             ///< the few columns that matter, and no other tables
  bool has_definitions = true;       ///< of its words, below it
};

/// Throws InputError, at `where`, if no column of results is called `sort`, by its name in
/// results.json or by its heading ("times bound"). Empty text is none.
void expect_column(const std::string& sort, const std::string& where);

/// `comparison` with those results that `choice` shows, in its order: of each world the best first,
/// values that are not known last. Without a column, `top` goes by the makespan.
[[nodiscard]] Comparison arranged(Comparison comparison, const TableChoice& choice);

/// The columns of the table of `shown`.
[[nodiscard]] std::vector<const ResultField*> table_columns(const Comparison& shown, bool is_brief);

/// The policies that may be as fast as `fastest_result(comparison, on)`, whose lead is then chance:
/// it is faster than they are with a probability of less than 95 %. Without noise there are none;
/// with one repetition all others are such.
[[nodiscard]] std::vector<std::string> perhaps_as_fast(const Comparison& comparison,
                                                       const std::string& on);

/// The worlds of the results, in their order.
[[nodiscard]] std::vector<std::string> worlds_of(const Comparison& comparison);

}  // namespace equipoise
