// `equipoise report`: results, runs and traces as one page.
#include <cstdio>

#include "tools/commands/commands.hpp"
#include "tools/report/console.hpp"
#include "tools/report/report_contents.hpp"
#include "tools/report/report_page.hpp"

namespace equipoise {

int report_command(const std::vector<std::string>& paths, const std::string& out) {
  check_writable(out, "--out");
  const PageContents contents = contents_of(paths);
  expect_no_inputs({out}, "--out");
  write_whole_file(out, report_page(contents));
  std::printf("report: %s\n", out.c_str());
  return 0;
}

}  // namespace equipoise
