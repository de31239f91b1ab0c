// A pipe that holds a text, as a shell's <(...) does when its command has ended.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace equipoise {

/// A pipe without a name and without a writer. Programs that are started meanwhile inherit it.
class FilledPipe {
 public:
  /// `text` must fit in a pipe, which holds 64 KiB.
  explicit FilledPipe(const std::string& text) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::abort();
    if (::write(ends[1], text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      std::abort();
    }
    ::close(ends[1]);
    fd_ = ends[0];
  }
  FilledPipe(const FilledPipe&) = delete;
  FilledPipe& operator=(const FilledPipe&) = delete;
  ~FilledPipe() { ::close(fd_); }

  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(fd_); }

 private:
  int fd_ = -1;
};

}  // namespace equipoise
