// Writes JUnit XML and messages.
#include "tools/guard/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared_policies/text/printable_text.hpp"
#include "tools/console/console.hpp"

namespace equipoise {

std::string junit_text(const std::string& suite, const std::vector<Check>& checks) {
  const auto failures =
      std::ranges::count_if(checks, [](const Check& check) { return !check.failure.empty(); });
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\"",
                                         checks.size(), failures);
  std::string xml = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"{1}\" "
      "{0}>\n",
      counts, markup_escaped(suite));
  for (const Check& check : checks) {
    xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                       markup_escaped(check.group.empty() ? "equipoise" : check.group),
                       markup_escaped(check.name));
    xml += check.failure.empty()
               ? "/>\n"
               : fmt::format(">\n      <failure message=\"{}\"/>\n    </testcase>\n",
                             markup_escaped(check.failure));
  }
  return xml + "  </testsuite>\n</testsuites>\n";
}

bool report_checks(const std::string& suite, const std::vector<Check>& checks,
                   const std::string& file) {
  if (!file.empty()) write_whole_file(file, junit_text(suite, checks));
  bool hold = true;
  for (const Check& check : checks) {
    if (check.failure.empty()) continue;
    hold = false;
    say_error(check.failure);
  }
  return hold;
}

}  // namespace equipoise
