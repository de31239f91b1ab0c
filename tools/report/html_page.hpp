// Self-contained HTML pages with a light and a dark style.
#pragma once

#include <string>

namespace equipoise {

/// A page with `title` (text) as its heading, then `body` (HTML).
[[nodiscard]] std::string html_page(const std::string& title, const std::string& body);

}  // namespace equipoise
