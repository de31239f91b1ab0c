// What tables and answers of a page read from results.json: its results in order, and cells of
// them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/page/page_html.hpp"
#include "tools/report/result_fields.hpp"

namespace equipoise {

using Results = std::vector<const JsonValue*>;

/// The mean makespan of a result in seconds.
[[nodiscard]] double mean_s(const JsonValue& result);

/// The results, the fastest first.
[[nodiscard]] Results sorted_results(const JsonValue& results);

/// Whether the results are of different worlds, such as sim and real.
[[nodiscard]] bool has_worlds(const Results& results);

/// The fastest that knew nothing from before the run, or, if there is none, the fastest that is no
/// oracle. Results that were really run count before simulated ones.
[[nodiscard]] const JsonValue* fastest(const Results& results);

/// A confidence interval of a quantity that is not negative.
struct Interval {
  double low;
  double high;
};

/// The interval at a path such as "makespan_s.ci95"; none if there is none.
[[nodiscard]] std::optional<Interval> interval_at(const JsonValue& result, std::string_view path);

/// The policy as typed, with its marks: HTML.
[[nodiscard]] PageCell policy_cell(const JsonValue& result);

/// The number as the field writes it; times and energies with an SI prefix.
[[nodiscard]] std::string shown(const ResultField& field, double number);

/// The field's heading, without the unit if the cells have it.
[[nodiscard]] std::string heading_for(const ResultField& field);

/// A number of statistics with its interval, or another value, as the field writes it.
[[nodiscard]] PageCell cell_of(const ResultField& field, const JsonValue& result);

}  // namespace equipoise
