// Tests of the table of result fields and of the outputs that are made from it.
#include "tools/report/result_fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tools/page/report_page.hpp"
#include "tools/report/report_text.hpp"

namespace equipoise::result_fields_test {
namespace {

using Json = nlohmann::json;

/// A comparison of greedy on two units, with an energy if `energy_j` is given.
Comparison one_result(std::optional<double> energy_j = {}) {
  Comparison comparison;
  comparison.units = {"a", "b"};
  comparison.policies = {parse_policy("greedy")};
  PolicyResult& result = comparison.results.emplace_back();
  result.spelling = "greedy";
  result.on = "sim";
  result.reps = 3;
  result.makespan_s = {0.123456, 0.01, 0.111156, 0.135756, 0.1, 0.14};
  result.over_lower_bound = 1.23456;
  result.idle_fraction = 0.04567;
  result.idle_by_unit = {0.09, 0.0};
  result.share_by_unit = {0.25, 0.75};
  result.means.of<&RunNumbers::blocks>() = 12.0;
  result.means.of<&RunNumbers::decisions>() = 2.0;
  result.means.of<&RunNumbers::decisions_total>() = 0.00123456;
  result.means.of<&RunNumbers::energy_j>() = energy_j;
  result.energy_by_unit_j = {energy_j, std::nullopt};
  result.means.of<&RunNumbers::items_redone>() = 7.0;
  return comparison;
}

std::string cell(const char* name, const Comparison& of) {
  return cell_text(result_field(name), {of, of.results.front()}, "?");
}

/// The page of the comparison alone, without runs.
std::string page_of(const Comparison& comparison) {
  PageContents contents;
  contents.title = "Comparison";
  contents.results.push_back({"results.json", results_text(comparison)});
  return report_page(contents);
}

TEST(ResultFields, HaveAnExplanationAndEachNameOnceInAnOutput) {
  for (const Output output : {in_json, in_text, in_html, in_sweep, in_csv}) {
    std::set<std::string> names;
    for (const ResultField& field : result_fields()) {
      if ((field.outputs & output) == 0) continue;
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
    }
    EXPECT_FALSE(names.empty());
  }
  for (const ResultField& field : result_fields()) {
    const std::string sentence = field.explanation;
    ASSERT_FALSE(sentence.empty()) << field.name;
    EXPECT_EQ(sentence.back(), '.') << field.name;
    EXPECT_NE(field.outputs, 0u) << field.name;
    const bool is_column = (field.outputs & (in_text | in_html)) != 0;
    EXPECT_EQ(std::string(field.heading).empty() && is_column, false) << field.name;
  }
}

TEST(ResultFields, NameTheUnitOfMeasureInTheHeading) {
  for (const ResultField& field : result_fields()) {
    const std::string unit = field.unit;
    if (unit.empty()) continue;
    EXPECT_EQ(heading_of(field), std::string(field.heading) + " " + unit);
  }
  EXPECT_EQ(heading_of(result_field("makespan_s"), {"m", 1e-3}), "makespan ms");
}

TEST(ResultNumbers, AreAllFieldsButThoseThatAreTextsOrAnswers) {
  const std::set<std::string> others = {
      "policy",      "spelling",       "on",          "parameters",  "too_noisy",
      "phases",      "energy_from",    "energy_note", "informed",    "oracle",
      "experienced", "policy_stalled", "verified",    "repetitions", "interval_note",
      "timings",     "knows_costs"};
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & in_json) == 0) continue;
    EXPECT_EQ(number_paths(field.name, {"greedy"}, {"a", "b"}, 2).empty(),
              others.contains(field.name))
        << field.name;
  }
}

/// The cell of a line of results.csv under a heading. No cell there has a comma.
std::string csv_cell(const std::string& csv, const std::string& heading, std::size_t line) {
  const auto split = [](const std::string& text, char at) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
      if (c == at) {
        parts.emplace_back();
      } else {
        parts.back() += c;
      }
    }
    return parts;
  };
  const std::vector<std::string> lines = split(csv, '\n');
  const std::vector<std::string> headings = split(lines.at(0), ',');
  const std::vector<std::string> cells = split(lines.at(line), ',');
  EXPECT_EQ(cells.size(), headings.size());
  const auto found = std::ranges::find(headings, heading);
  return found == headings.end() ? "no column" : cells.at(found - headings.begin());
}

TEST(ResultsCsv, HasAColumnForEveryNumberOfAResultAndALineForEveryResult) {
  Comparison of = one_result();
  of.results.push_back(of.results.front());
  of.results.back().energy_by_unit_j = {std::nullopt, 2.5};
  of.results.back().paired_ratio = Statistics{1.5, 0.0, 1.5, 1.5, 1.5, 1.5};
  const std::string csv = results_csv(of);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 3);
  EXPECT_EQ(csv_cell(csv, "spelling", 1), "greedy");
  EXPECT_EQ(csv_cell(csv, "on", 1), "sim");
  EXPECT_EQ(csv_cell(csv, "makespan_s.mean", 1), "0.123456");
  EXPECT_EQ(csv_cell(csv, "makespan_s.ci95_high", 1), "0.135756");
  EXPECT_EQ(csv_cell(csv, "share_by_unit.b", 1), "0.75");
  EXPECT_EQ(csv_cell(csv, "idle_fraction.mean", 1), "0.04567");
  EXPECT_EQ(csv_cell(csv, "verified", 1), "false");
  EXPECT_EQ(csv_cell(csv, "energy_by_unit_j.b", 1), "");
  EXPECT_EQ(csv_cell(csv, "energy_by_unit_j.b", 2), "2.5");
  EXPECT_EQ(csv_cell(csv, "paired_ratio.mean", 1), "");
  EXPECT_EQ(csv_cell(csv, "paired_ratio.mean", 2), "1.5");
}

TEST(Extrapolation, IsWarnedOfOnceAndOnlyAboveOnePercent) {
  Comparison of = one_result();
  of.results.front().means.of<&RunNumbers::extrapolated_share>() = 0.01;
  testing::internal::CaptureStderr();
  warn_of_extrapolation(of);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  of.results.front().means.of<&RunNumbers::extrapolated_share>() = 0.011;
  of.results.push_back(of.results.front());
  of.results.back().spelling = "gss";
  testing::internal::CaptureStderr();
  warn_of_extrapolation(of);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "equipoise: warning: 2 policies did more than 1 % of the items in blocks smaller or "
            "larger than any whose time is known; extrapolated times are less certain (see "
            "remarks)\n");
}

TEST(ResultsCsv, QuotesWhatContainsACommaOrAQuotationMark) {
  Comparison of = one_result();
  of.policies = {parse_policy("plb-hec:threshold=0.2,step_fraction=0.1")};
  of.results.front().spelling = of.policies.front().spelling;
  of.results.front().energy_note = "a \"meter\"";
  const std::string csv = results_csv(of);
  EXPECT_NE(csv.find(",\"plb-hec:threshold=0.2,step_fraction=0.1\","), std::string::npos) << csv;
  EXPECT_NE(csv.find("\"a \"\"meter\"\"\""), std::string::npos) << csv;
}

TEST(ResultFields, AreWrittenInTheirOwnFormat) {
  Comparison of = one_result();
  EXPECT_EQ(cell("makespan_s", of), "0.1235");           // four significant digits
  EXPECT_EQ(cell("makespan_half_ci95_s", of), "0.012");  // 0.135756 - 0.123456, two
  EXPECT_EQ(cell("over_lower_bound", of), "1.235");
  EXPECT_EQ(cell("idle_fraction.mean", of), "4.6");
  EXPECT_EQ(cell("blocks", of), "12");
  EXPECT_EQ(cell("decisions.count", of), "2.0");
  EXPECT_EQ(cell("decisions.total_s", of), "0.00123");
  EXPECT_EQ(cell("verified", of), "no");
  EXPECT_EQ(cell("speedup_vs_baseline", of), "?");
  of.results.front().means.of<&RunNumbers::extrapolated_share>() = 0.0004;
  EXPECT_EQ(cell("remarks", of), "NOT VERIFIED, 7.000 items redone");
}

TEST(ResultFields, AreWrittenWithOnePrefixAColumn) {
  Comparison of = one_result();
  const std::string text = comparison_table(of);
  EXPECT_NE(text.find("makespan ms  ± ms"), std::string::npos) << text;
  EXPECT_NE(text.find('*'), std::string::npos);
  EXPECT_NE(text.find("      123.5"), std::string::npos) << text;
  EXPECT_EQ(
      cell_text(result_field("makespan_half_ci95_s"), {of, of.results.front()}, "?", {"m", 1e-3}),
      "12");
}

TEST(ResultFields, DoNotTakeRoundingOfEqualTimesForAnInterval) {
  EXPECT_EQ(half_width({1.0, 0.0, 1.0 - 2e-16, 1.0 + 2e-16, 1.0, 1.0}), 0.0);
  EXPECT_NEAR(half_width({1.0, 0.1, 0.9, 1.1, 0.8, 1.2}), 0.1, 1e-12);
}

TEST(ResultFields, StandInJsonUnderTheirPaths) {
  const Comparison of = one_result();
  const Json result = Json::parse(results_text(of)).at("results").at(0);
  EXPECT_EQ(result.at("idle_fraction"),
            Json::parse(R"({"mean":0.04567,"by_unit":{"a":0.09,"b":0.0}})"));
  EXPECT_EQ(result.at("decisions").at("total_s"), 0.00123456);
  EXPECT_EQ(result.at("makespan_s").at("ci95"), Json::parse("[0.111156,0.135756]"));
  EXPECT_EQ(result.at("reps"), 3);
  EXPECT_TRUE(result.at("paired_ratio").is_null());
  EXPECT_TRUE(result.at("phases").is_null());
  EXPECT_FALSE(result.contains("over_best_known"));
  const Json in_a_sweep = Json::parse(result_json({of, of.results.front()}, in_sweep).dump());
  EXPECT_EQ(in_a_sweep, Json::parse(R"({"makespan_s":0.123456,"speedup_vs_baseline":null,)"
                                    R"("over_lower_bound":1.23456,"over_best_known":null,)"
                                    R"("paired_ratio":null})"));
}

TEST(ResultFields, AreLeftOutOfTablesWhereNobodyKnowsThem) {
  EXPECT_EQ(comparison_table(one_result()).find("energy J"), std::string::npos);
  EXPECT_NE(comparison_table(one_result(2.5)).find("energy J"), std::string::npos);
  EXPECT_NE(comparison_table(one_result(2.5)).find(" 2.500 "), std::string::npos);
}

TEST(ResultFields, SayWhetherEnergyWasMeasuredOrModelledAndHowFarApartTheseAre) {
  Comparison of = one_result(95.0);
  of.results.front().energy_from = EnergySource::modelled;
  of.results.push_back(of.results.front());
  PolicyResult& real = of.results.back();
  real.on = "real";
  real.means.of<&RunNumbers::energy_j>() = 100.0;
  real.energy_from = EnergySource::measured;
  const std::string text = comparison_table(of);
  EXPECT_NE(text.find("energy from"), std::string::npos) << text;
  EXPECT_NE(text.find(" modelled "), std::string::npos) << text;
  EXPECT_NE(text.find("policy  predicted J  measured J  error %\n"
                      "------  -----------  ----------  -------\n"
                      "greedy        95.00       100.0     -5.0\n"),
            std::string::npos)
      << text;
  const std::string html = page_of(of);
  EXPECT_NE(html.find(">95.00 J</td><td class=\"text\" data-value=\"modelled\">"),
            std::string::npos);
  EXPECT_NE(html.find(">100.0 J</td><td class=\"text\" data-value=\"measured\">"),
            std::string::npos);
  of.results.back().energy_from = EnergySource::modelled;
  EXPECT_EQ(comparison_table(of).find("predicted J"), std::string::npos);
}

TEST(ResultFields, ShowOnPagesWhatWentWrong) {
  const std::string html = page_of(one_result());
  EXPECT_NE(html.find("No policy has a verified result that counts."), std::string::npos);
  EXPECT_NE(html.find("Not verified, do not use: greedy."), std::string::npos);
  EXPECT_NE(html.find(">not verified</abbr>"), std::string::npos);
  EXPECT_NE(
      html.find("data-value=\"0.123456\">123.5 ms <span class=\"muted\">(111.2 ms to 135.8 ms)"),
      std::string::npos);
  EXPECT_NE(html.find("<b>no</b></td></tr>"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::result_fields_test
