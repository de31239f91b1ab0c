// Checks with a verdict each, and their report for continuous integration.
#pragma once

#include <string>
#include <vector>

namespace equipoise {

/// Something that was checked.
struct Check {
  std::string group;    ///< what it belongs to, such as an experiment of a sweep; may be empty
  std::string name;     ///< "plb-hec (sim): makespan_s at most 12"
  std::string failure;  ///< why it does not hold; empty if it does
};

/// The checks as JUnit XML: a test suite called `suite` with a test case for each.
[[nodiscard]] std::string junit_text(const std::string& suite, const std::vector<Check>& checks);

/// Writes the checks as JUnit XML to `file`, unless that is empty, and prints an error message for
/// each check that does not hold. Returns whether all hold.
[[nodiscard]] bool report_checks(const std::string& suite, const std::vector<Check>& checks,
                                 const std::string& file);

}  // namespace equipoise
