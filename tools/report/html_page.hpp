// HTML pages that need nothing else: light and dark.
#pragma once

#include <string>

namespace equipoise {

/// `text` with what means something to HTML written out.
[[nodiscard]] std::string html_escaped(const std::string& text);

/// A page: `title` (text) as its heading, then `body` (HTML).
[[nodiscard]] std::string html_page(const std::string& title, const std::string& body);

}  // namespace equipoise
