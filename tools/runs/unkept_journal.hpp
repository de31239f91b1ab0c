// A journal that costs a run what its file costs, and keeps nothing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "real/unit_spec.hpp"
#include "traces/journal_file.hpp"

namespace equipoise {

/// The journal of runs of `units`, or the first of them, for measuring what records cost the
/// controller.
[[nodiscard]] inline std::shared_ptr<Journal> make_unkept_journal(std::span<const UnitSpec> units) {
  std::vector<std::string> names;
  for (const UnitSpec& spec : units) names.push_back(spec.unit.name);
  return make_queued_journal(make_journal_file("/dev/null", "{}", names));
}

}  // namespace equipoise
