// Says where and how results are made.
#include "tools/worlds/experiment_facts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "tools/runs/machine_facts.hpp"
#include "tools/runs/version.hpp"

namespace equipoise {

Environment environment_of(const std::string& command_line) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {built_with_text(), source_id(), machine_facts(),
          fmt::format("{:%FT%TZ}", fmt::gmtime(now)), command_line};
}

}  // namespace equipoise
