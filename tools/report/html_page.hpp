// HTML pages that need nothing else: light and dark.
#pragma once

#include <string>

namespace equipoise {

/// A page: `title` (text) as its heading, then `body` (HTML).
[[nodiscard]] std::string html_page(const std::string& title, const std::string& body);

}  // namespace equipoise
