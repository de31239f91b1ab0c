// Names and patterns of names: `node-*`.
#pragma once

#include <string>
#include <vector>

namespace equipoise {

/// Those of `names`, in their order, that `pattern` means: the one that is exactly `pattern`, or
/// else all that match it, where * stands for any text, ? for one character and [0-3] for one of a
/// range. Empty if there is none.
[[nodiscard]] std::vector<std::string> names_like(const std::string& pattern,
                                                  const std::vector<std::string>& names);

/// Whether `text` has a character that stands for others.
[[nodiscard]] bool is_pattern(const std::string& text);

}  // namespace equipoise
