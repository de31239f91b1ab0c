// Names and texts of inputs as messages and tables may show them: no control characters, not endless.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace equipoise {

/// Whether `text` is well-formed UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above
/// U+10FFFF). Control characters are allowed; the empty text is.
[[nodiscard]] bool is_utf8(std::string_view text);

/// `text` as it may go to a terminal or into a table: each byte of a control character (U+0000 to
/// U+001F, U+007F to U+009F) and each byte that is no UTF-8 is written as \xNN, the rest stays. Of
/// what is longer than `most` characters (an escaped byte counts four) only the first `most` or
/// fewer are kept, with "..." behind them.
[[nodiscard]] std::string printable(std::string_view text, std::size_t most = 120);

}  // namespace equipoise
