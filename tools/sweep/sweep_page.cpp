// Writes the page of a sweep.
#include "tools/sweep/sweep_page.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "shared_policies/text/markup.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/page/page_html.hpp"
#include "tools/page/report_page.hpp"
#include "tools/report/glossary.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/report/results_text.hpp"
#include "tools/sweep/sweep_tables.hpp"

namespace equipoise {
namespace {

std::string summary_table(const SweepResults& results) {
  const std::vector<Row> rows = standing_rows(results);
  PageTable table;
  for (const std::string& heading : rows.front()) {
    table.headings.push_back(markup_escaped(heading));
  }
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::vector<PageCell>& row = table.rows.emplace_back();
    for (const std::string& text : rows[i]) row.push_back({markup_escaped(text)});
  }
  return table_html(table);
}

}  // namespace

std::string sweep_html(const SweepResults& results) {
  PageContents page;
  page.title = results.campaign.title;
  page.summary = "<h2>Policies over all experiments</h2>\n" + summary_table(results) +
                 fmt::format("<p>{}</p>\n", legend_paragraph(ratio_words()));
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    const std::string& name = results.campaign.experiments[i].name;
    page.results.push_back({name, results_text(results.comparisons[i]),
                            fmt::format("experiments/{}/report.html", name)});
  }
  return report_page(page);
}

}  // namespace equipoise
