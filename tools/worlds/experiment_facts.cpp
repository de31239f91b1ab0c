// Says where and how results are made.
#include "tools/worlds/experiment_facts.hpp"

#include "real/machine.hpp"
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
  return {built_with_text(), source_id(), machine_facts(), utc_now(), command_as_typed};
}

}  // namespace equipoise
