// A journal that costs a run what its file costs, and keeps nothing.
#pragma once

#include <memory>

#include "traces/journal_file.hpp"

namespace equipoise {

/// The journal of a run of one unit, for measuring what records cost the controller.
[[nodiscard]] inline std::shared_ptr<Journal> make_unkept_journal() {
  return make_queued_journal(make_journal_file("/dev/null", "{}", {"cpu0"}));
}

}  // namespace equipoise
