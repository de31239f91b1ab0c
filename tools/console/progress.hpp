// How far long work is, and how long it still takes, on a terminal.
#pragma once

#include <chrono>
#include <string>

namespace equipoise {

/// A duration in words: "12 s", "3 min" or "2 h 5 min".
[[nodiscard]] std::string duration_text(double seconds);

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
