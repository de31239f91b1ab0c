// Says where and how results are made.
#include "tools/worlds/experiment_facts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "tools/console/console.hpp"
#include "tools/runs/version.hpp"

namespace equipoise {
namespace {

std::string command_as_typed;

}  // namespace

void remember_command(int argc, const char* const* argv) {
  command_as_typed.clear();
  for (int i = 0; i < argc; ++i) command_as_typed += (i == 0 ? "" : " ") + shell_word(argv[i]);
}

Environment environment_now() {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {built_with_text(), source_id(), machine_facts(),
          fmt::format("{:%FT%TZ}", fmt::gmtime(now)), command_as_typed};
}

}  // namespace equipoise
