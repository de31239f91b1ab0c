// `equipoise show`: a recorded run on the terminal.
#include <cstdio>
#include <filesystem>
#include <string>

#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/exports/run_text.hpp"
#include "tools/report/json_values.hpp"
#include "tools/report/report_inputs.hpp"
#include "traces/json_record.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

int show_command(const FileRequest& request) {
  const std::string& file = request.file;
  if (std::filesystem::is_directory(file) ||
      !text_at(first_line_of(file), "schema").starts_with("equipoise.run/")) {
    throw InputError(file,
                     "this is no run file; give one that --out of simulate or run wrote, or one of "
                     "runs/ of compare; `equipoise report` shows folders, results and traces");
  }
  const RunFile run = read_run_file(file);
  const std::string text =
      request.json ? line_of(run_json(run)) + "\n" : run_text(run, screen_of_stdout());
  std::printf("%s", text.c_str());
  return 0;
}

}  // namespace equipoise
