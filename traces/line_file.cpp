// Appends lines with write(2) and handles incomplete writes.
#include "traces/line_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

/// Writes `text` and returns the number of bytes written. If that is not all of them, errno gives
/// the reason.
std::size_t write_all(int file, std::string_view text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = ::write(file, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    written += static_cast<std::size_t>(n);
  }
  return written;
}

}  // namespace

LineFile::LineFile(std::string path) : path_(std::move(path)) {
  expect_no_input(path_, path_);
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) {
    throw InputError(path_, std::string("cannot be written: ") + std::strerror(errno) +
                                "; give a path that can");
  }
}

LineFile::~LineFile() { ::close(file_); }

void LineFile::append(std::string_view lines) {
  if (!failure_.empty()) throw std::runtime_error(failure_);
  const std::size_t written = write_all(file_, lines);
  const int error = errno;
  const std::string_view taken = lines.substr(0, written);
  lines_ += static_cast<std::uint64_t>(std::ranges::count(taken, '\n'));
  if (written == lines.size()) return;
  const std::size_t whole = taken.rfind('\n') + 1;  // 0 if there is no line end
  const off_t end = ::lseek(file_, 0, SEEK_CUR);
  const bool is_cut =
      end >= 0 && ::ftruncate(file_, end - static_cast<off_t>(written - whole)) == 0;
  failure_ = path_ + ": cannot be written any further: " + std::strerror(error) +
             (is_cut ? "; the lines written so far can be read"
                     : "; all lines except the last can be read");
  throw std::runtime_error(failure_);
}

}  // namespace equipoise
