// Work files, `equipoise.work/1`: how a command of the user's does a block of items.
#pragma once

#include <string>

#include "shared_policies/model/command_work.hpp"

namespace equipoise {

inline constexpr const char* work_schema = "equipoise.work/1";

/// Reads the file. Commands start in its folder. Throws InputError at FILE:LINE, also for a
/// placeholder that is nearly one of `command_placeholders`, and for one where it has no value.
[[nodiscard]] CommandWork read_work(const std::string& path);

/// Reads `text` as the file at `path`.
[[nodiscard]] CommandWork parse_work(const std::string& text, const std::string& path);

/// The file that `read_work` reads as `work`.
[[nodiscard]] std::string work_text(const CommandWork& work);

}  // namespace equipoise
