// `equipoise show`: a recorded run on the terminal.
#include <cstdio>
#include <string>

#include "tools/commands/commands.hpp"
#include "tools/exports/run_text.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

int show_command(const std::string& file, bool json) {
  const RunFile run = read_run_file(file);
  const std::string text = json ? run_json(run) : run_text(run, screen_of_stdout());
  std::printf("%s", text.c_str());
  return 0;
}

}  // namespace equipoise
