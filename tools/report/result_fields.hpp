// All fields of a result, in one table from which results.json, results.csv, the tables of a
// comparison, its HTML page and the results of sweeps take names, headings, values and formats. A
// new field is a row. Its numbers are found by their path in results.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared_policies/run/results.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// A result whose fields are asked for, and the comparison that it is one of.
struct OfResult {
  const Comparison& comparison;
  const PolicyResult& result;
};

enum class Notation : std::uint8_t {
  significant,  ///< with so many significant digits
  fixed,        ///< with so many digits after the point
  percent       ///< a share, in percent with so many digits after the point
};

/// How numbers are written in tables. In files for programs they are written exactly.
struct NumberFormat {
  Notation notation;
  int digits;
};

/// What the values of a field are, when they are known.
enum class FieldKind : std::uint8_t {
  number,
  count,  ///< a whole number
  flag,
  text,
  statistics,
  makespan,    ///< statistics, and where a single real run is expected
  by_unit,     ///< numbers
  parameters,  ///< of the policy
  phases,      ///< several, or nothing
  repetitions
};

/// What a field's values are, and how numbers of them are written in tables.
struct Shown {
  FieldKind kind;
  NumberFormat format;

  constexpr Shown(NumberFormat number) : Shown(FieldKind::number, number) {}
  constexpr Shown(FieldKind what) : Shown(what, {Notation::fixed, 0}) {}
  constexpr Shown(FieldKind what, NumberFormat how) : kind(what), format(how) {}
};

/// Where a field is shown; these can be combined.
enum Output : unsigned {
  in_json = 1,   ///< results.json
  in_text = 2,   ///< the table of `compare`
  in_html = 4,   ///< the table of report.html
  in_sweep = 8,  ///< summary.json of a sweep
  in_csv = 16    ///< results.csv
};

/// One field of a result.
struct ResultField {
  /// In JSON; "a.b" is the member b of the object a. In tables only: how the program names it.
  const char* name;
  const char* heading;      ///< of its column; the word for it in texts; empty: it has none
  const char* unit;         ///< of measure, such as "s"; empty: none
  const char* explanation;  ///< one sentence
  unsigned outputs;         ///< of Output
  Shown shown;
  /// As results.json has it; null: there is none.
  nlohmann::ordered_json (*value)(const OfResult& of);
  /// Whether the comparison has such values at all; nullptr: always. Tables leave out others.
  bool (*is_known)(const Comparison& comparison) = nullptr;
};

/// All fields, in the order of every output.
[[nodiscard]] std::span<const ResultField> result_fields();

/// The field called `name`. A name that does not exist is a bug.
[[nodiscard]] const ResultField& result_field(std::string_view name);

/// The fields that are columns of `output` for this comparison.
[[nodiscard]] std::vector<const ResultField*> columns_of(Output output,
                                                         const Comparison& comparison);

/// `number` in a notation of tables.
[[nodiscard]] std::string number_text(const NumberFormat& format, double number);

/// `number` as the field writes it in tables.
[[nodiscard]] std::string number_text(const ResultField& field, double number);

/// Half the width of the 95 % confidence interval of the mean; 0 if it is only due to rounding, as
/// the mean of equal times is.
[[nodiscard]] double half_width(const Statistics& times);

/// The heading of the field's column with its unit of measure: "makespan ms".
[[nodiscard]] std::string heading_of(const ResultField& field, const Prefix& prefix = {});

/// The field's value in a table: the mean of statistics, yes or no.
/// Numbers are in the unit with `prefix`. `none` stands for a value that is not there.
[[nodiscard]] std::string cell_text(const ResultField& field, const OfResult& of, const char* none,
                                    const Prefix& prefix = {});

/// A number of a result.
struct ResultNumber {
  std::string path;  ///< in results.json: "idle_fraction.by_unit.cuda0"
  double value = 0.0;
  const char* unit = "";                             ///< of measure, such as "s"; empty: none
  NumberFormat format = {Notation::significant, 4};  ///< in tables
};

/// The numbers that `path` names: of a field such as "blocks", of statistics the mean
/// ("makespan_s") or what the path names ("makespan_s.sd"), of values by unit that of one
/// ("share_by_unit.cuda0") or all of them ("share_by_unit"), of phases, counted from 1, that of one
/// ("phases.2.duration_s", "phases.2.share_by_unit.cuda0"). Empty if nothing is called so, or it is
/// no number; values that are not known are left out.
[[nodiscard]] std::vector<ResultNumber> numbers_at(const OfResult& of, std::string_view path);

/// The paths of the numbers that `path` names in a result, beside those of these policies, on these
/// units with so many phases, if all is known of it. Empty if it names none.
[[nodiscard]] std::vector<std::string> number_paths(std::string_view path,
                                                    const std::vector<std::string>& policies,
                                                    const std::vector<std::string>& units,
                                                    std::size_t phases);

/// results.json, `equipoise.results/1`.
[[nodiscard]] std::string results_text(const Comparison& comparison);
/// The fields of one result that `output` shows.
[[nodiscard]] nlohmann::ordered_json result_json(const OfResult& of, Output output);

/// results.csv: a line of headings, then a line for each result (RFC 4180, but with line feeds).
/// The columns are the fields of results.json that `in_csv` marks, under the same names; statistics
/// and values by unit take a column each: makespan_s.mean, share_by_unit.cpu0. Numbers are exact.
/// What is not there is empty; a field that no result has takes one empty column.
[[nodiscard]] std::string results_csv(const Comparison& comparison);

/// `text` as a cell: in quotation marks if it needs them (RFC 4180).
[[nodiscard]] std::string csv_quoted(const std::string& text);

/// As many digits as are needed to read the same number back; empty if `value` is not finite.
[[nodiscard]] std::string csv_number(double value);

}  // namespace equipoise
