// Makes names and texts from input safe to show: in messages and tables (no control characters,
// limited length), and in XML and HTML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace equipoise {

/// Whether `text` is well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above
/// U+10FFFF). Control characters and the empty text are accepted.
[[nodiscard]] bool is_utf8(std::string_view text);

/// Whether `text` is UTF-8 without control characters; `printable` does not escape anything in such
/// a text.
[[nodiscard]] bool is_printable(std::string_view text);

/// Makes `text` safe for a terminal or a table. Each byte of a control character (U+0000 to U+001F,
/// U+007F to U+009F) and each byte that is not valid UTF-8 is written as \xNN. If the result is
/// longer than `most` characters (an escaped byte counts four), it is cut to `most` or fewer and
/// "..." is appended.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 120);

/// Escapes `text` for use as XML or HTML content, or as an attribute value in double quotes: & < >
/// and " become named entities, control characters except line ends become numeric ones.
[[nodiscard]] std::string markup_escaped(std::string_view text);

}  // namespace equipoise
