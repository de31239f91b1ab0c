// What the terminals behind stdout and stderr can show: how many columns, whether in colour; and
// a line on them of how far long work is.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace equipoise {

/// `--color`: automatic is in colour on a terminal, unless NO_COLOR is set or TERM is "dumb".
enum class ColorChoice : std::uint8_t { automatic, always, never };

/// From now on, `styled` goes by `choice`.
void choose_color(ColorChoice choice);
/// What is printed goes through another program, such as mpirun, which has made a terminal of its
/// own for it: there is neither colour nor progress, as in a pipe.
void take_for_a_pipe();

enum class OutputStream : std::uint8_t { out, err };

/// The columns of the terminal behind `stream`; nullopt if it is a file or a pipe.
[[nodiscard]] std::optional<std::size_t> terminal_width(OutputStream stream);

/// How text stands out where colours are shown.
enum class Style : std::uint8_t { plain, heading, best, warning, error };

/// `text` as it is printed to `stream`: in its style, or unchanged where there are no colours.
[[nodiscard]] std::string styled(const std::string& text, Style style, OutputStream stream);

/// A progress line on a terminal, overwritten by the next one. Prints nothing if stderr is not a
/// terminal or if `quiet`.
class Progress {
 public:
  explicit Progress(bool quiet);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  /// Replaces the line with `text`.
  void show(const std::string& text);
  /// Replaces it with `text` and the time that is left if the rest goes on as fast as the share
  /// `done` of the work, from 0 to 1, since this object was made.
  void show(const std::string& text, double done);
  void clear();

 private:
  bool on_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace equipoise
