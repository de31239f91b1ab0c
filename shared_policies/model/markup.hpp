// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace equipoise {

/// `text` as the content or an attribute's value (in double quotes) of XML or HTML: & < > and " by their
/// names, control characters but line ends by their numbers.
[[nodiscard]] std::string markup_escaped(std::string_view text);

}  // namespace equipoise
