// Overwrites one line of stderr.
#include "tools/console/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "tools/console/terminal.hpp"

namespace equipoise {

std::string duration_text(double seconds) {
  if (seconds < 100.0) return fmt::format("{:.0f} s", seconds);
  const long minutes = std::lround(seconds / 60.0);
  if (minutes < 100) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

Progress::Progress(bool quiet) : on_(!quiet && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::show(const std::string& text) {
  if (!on_) return;
  const auto width = terminal_width(Stream::err);  // a longer line could not be overwritten
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
