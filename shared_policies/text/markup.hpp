// Escaping of text for XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace equipoise {

/// Escapes `text` for use as XML or HTML content, or as an attribute value in double quotes: & < >
/// and " become named entities, control characters except line ends become numeric ones.
[[nodiscard]] std::string markup_escaped(std::string_view text);

}  // namespace equipoise
