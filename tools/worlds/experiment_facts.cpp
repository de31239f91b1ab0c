// Says where and how results are made.
#include "tools/worlds/experiment_facts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <fstream>

#include "tools/console/console.hpp"
#include "tools/runs/version.hpp"

namespace equipoise {
namespace {

/// The arguments of this program, the first of which is its name, as one line that a shell reads in
/// the same way. Empty where /proc is not mounted.
std::string typed_command() {
  std::ifstream arguments("/proc/self/cmdline");
  std::string line;
  for (std::string one; std::getline(arguments, one, '\0');) {
    line += (line.empty() ? "" : " ") + shell_word(one);
  }
  return line;
}

}  // namespace

Environment environment_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {built_with_text(), source_id(), machine_facts(),
          fmt::format("{:%FT%TZ}", fmt::gmtime(now)), typed_command()};
}

}  // namespace equipoise
