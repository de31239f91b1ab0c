// Texts taken apart and compared: what stands between blanks, and letters without case.
#pragma once

#include <string>
#include <vector>

namespace equipoise {

/// `text` with the letters A to Z as a to z.
[[nodiscard]] std::string lower(std::string text);

/// The parts of `text` between blanks (spaces, tabs, ends of lines), none of them empty.
[[nodiscard]] std::vector<std::string> split_at_blanks(const std::string& text);

}  // namespace equipoise
