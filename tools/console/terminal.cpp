// Asks the system about terminals, and writes styles as escape sequences.
#include "tools/console/terminal.hpp"

#include <fmt/color.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string_view>

namespace equipoise {
namespace {

std::atomic<ColorChoice> chosen = ColorChoice::automatic;

int file_of(Stream stream) { return stream == Stream::out ? STDOUT_FILENO : STDERR_FILENO; }

bool is_colored(Stream stream) {
  if (chosen != ColorChoice::automatic) return chosen == ColorChoice::always;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return ::isatty(file_of(stream)) == 1 && (no_color == nullptr || *no_color == '\0') &&
         terminal != nullptr && std::string_view(terminal) != "dumb";
}

fmt::text_style style_of(Style style) {
  switch (style) {
    case Style::plain:
      break;
    case Style::heading:
      return fmt::emphasis::bold;
    case Style::best:
      return fmt::emphasis::bold | fmt::fg(fmt::terminal_color::green);
    case Style::warning:
      return fmt::emphasis::bold | fmt::fg(fmt::terminal_color::yellow);
    case Style::error:
      return fmt::emphasis::bold | fmt::fg(fmt::terminal_color::red);
  }
  return {};
}

}  // namespace

void choose_color(ColorChoice choice) { chosen = choice; }

std::optional<std::size_t> terminal_width(Stream stream) {
  winsize size{};
  if (::isatty(file_of(stream)) != 1 || ::ioctl(file_of(stream), TIOCGWINSZ, &size) != 0 ||
      size.ws_col == 0) {
    return std::nullopt;
  }
  return size.ws_col;
}

std::string styled(const std::string& text, Style style, Stream stream) {
  if (style == Style::plain || !is_colored(stream)) return text;
  return fmt::format(style_of(style), "{}", text);
}

}  // namespace equipoise
