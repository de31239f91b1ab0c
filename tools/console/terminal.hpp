// What the terminals behind stdout and stderr can show: how many columns, and whether in colour.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace equipoise {

/// `--color`: automatic is in colour on a terminal, unless NO_COLOR is set or TERM is "dumb".
enum class ColorChoice : std::uint8_t { automatic, always, never };

/// From now on, `styled` goes by `choice`.
void choose_color(ColorChoice choice);

enum class Stream : std::uint8_t { out, err };

/// The columns of the terminal behind `stream`; nullopt if it is a file or a pipe.
[[nodiscard]] std::optional<std::size_t> terminal_width(Stream stream);

/// How text stands out where colours are shown.
enum class Style : std::uint8_t { plain, heading, best, warning, error };

/// `text` as it is printed to `stream`: in its style, or unchanged where there are no colours.
[[nodiscard]] std::string styled(const std::string& text, Style style, Stream stream);

}  // namespace equipoise
