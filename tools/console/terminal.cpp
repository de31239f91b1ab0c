// Asks the system about terminals, and writes styles as escape sequences.
#include "tools/console/terminal.hpp"

#include <fmt/color.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace equipoise {
namespace {

std::atomic<ColorChoice> chosen = ColorChoice::automatic;
std::atomic<bool> is_behind_another = false;

/// Whether `file` is a terminal that somebody looks at.
bool is_terminal(int file) { return !is_behind_another && ::isatty(file) == 1; }

int file_of(OutputStream stream) {
  return stream == OutputStream::out ? STDOUT_FILENO : STDERR_FILENO;
}

bool is_colored(OutputStream stream) {
  if (chosen != ColorChoice::automatic) return chosen == ColorChoice::always;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  return is_terminal(file_of(stream)) && (no_color == nullptr || *no_color == '\0') &&
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

/// A duration in words: "12 s", "3 min" or "2 h 5 min".
std::string duration_text(double seconds) {
  if (seconds < 100.0) return fmt::format("{:.0f} s", seconds);
  const long minutes = std::lround(seconds / 60.0);
  if (minutes < 100) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace

void choose_color(ColorChoice choice) { chosen = choice; }
void take_for_a_pipe() { is_behind_another = true; }

std::optional<std::size_t> terminal_width(OutputStream stream) {
  winsize size{};
  if (!is_terminal(file_of(stream)) || ::ioctl(file_of(stream), TIOCGWINSZ, &size) != 0 ||
      size.ws_col == 0) {
    return std::nullopt;
  }
  return size.ws_col;
}

std::string styled(const std::string& text, Style style, OutputStream stream) {
  if (style == Style::plain || !is_colored(stream)) return text;
  return fmt::format(style_of(style), "{}", text);
}

Progress::Progress(bool quiet) : on_(!quiet && is_terminal(STDERR_FILENO)) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& text) {
  if (!on_) return;
  const auto width = terminal_width(OutputStream::err);  // a longer line could not be overwritten
  const std::string line = width && text.size() >= *width ? text.substr(0, *width - 1) : text;
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::show(const std::string& text, double done) {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  constexpr double least_s = 1.0;  // before, the estimate would be a guess
  if (spent.count() < least_s || done <= 0.0) return show(text);
  show(fmt::format("{}, about {} left", text, duration_text(spent.count() * (1.0 - done) / done)));
}

void Progress::clear() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace equipoise
