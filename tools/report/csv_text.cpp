// Writes each result as the cells of its fields.
#include "tools/report/csv_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tools/report/csv_cells.hpp"
#include "tools/report/result_fields.hpp"

namespace equipoise {
namespace {

/// The cells of a value, and what distinguishes their headings.
struct Cells {
  std::vector<std::string> headings;  ///< added to the field's name
  std::vector<std::string> texts;
};

struct CellMaker {
  const std::vector<std::string>& units;

  Cells operator()(std::monostate /*none*/) const { return {}; }
  Cells operator()(bool value) const { return {{""}, {value ? "true" : "false"}}; }
  Cells operator()(std::uint64_t value) const { return {{""}, {fmt::format("{}", value)}}; }
  Cells operator()(double value) const { return {{""}, {csv_number(value)}}; }
  Cells operator()(const std::string& value) const { return {{""}, {csv_quoted(value)}}; }
  Cells operator()(const Statistics& s) const {
    return {{".mean", ".sd", ".ci95_low", ".ci95_high", ".min", ".max"},
            {csv_number(s.mean), csv_number(s.sd), csv_number(s.ci95_low), csv_number(s.ci95_high),
             csv_number(s.min), csv_number(s.max)}};
  }
  Cells operator()(const std::vector<std::optional<double>>& by_unit) const {
    Cells cells;
    for (std::size_t i = 0; i < units.size(); ++i) {
      cells.headings.push_back("." + units[i]);
      cells.texts.push_back(by_unit[i] ? csv_number(*by_unit[i]) : "");
    }
    return cells;
  }
  template <class Other>
  Cells operator()(const Other& /*value*/) const {
    EQ_CHECK(false, "a column has a single value");
    return {};
  }
};

}  // namespace

std::string results_csv(const Comparison& comparison) {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> lines(comparison.results.size());
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & in_csv) == 0) continue;
    std::vector<Cells> cells;
    for (const PolicyResult& result : comparison.results) {
      cells.push_back(std::visit(CellMaker{comparison.units}, field.value({comparison, result})));
    }
    // Where one result has no value, the others say how many columns there are.
    const auto widest =
        std::ranges::max_element(cells, {}, [](const Cells& one) { return one.headings.size(); });
    const bool is_known = widest != cells.end() && !widest->headings.empty();
    const std::vector<std::string> parts =
        is_known ? widest->headings : std::vector<std::string>{""};
    for (const std::string& part : parts) headings.push_back(csv_quoted(field.name + part));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      cells[i].texts.resize(parts.size());
      lines[i].insert(lines[i].end(), cells[i].texts.begin(), cells[i].texts.end());
    }
  }
  std::string text = fmt::format("{}\n", fmt::join(headings, ","));
  for (const auto& line : lines) text += fmt::format("{}\n", fmt::join(line, ","));
  return text;
}

}  // namespace equipoise
