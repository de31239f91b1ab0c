// Collects small pieces and passes them on.
#include "tools/exports/export_file.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "tools/console/console.hpp"

namespace equipoise {
namespace {

constexpr std::size_t export_buffer_bytes = std::size_t{1} << 18;

}  // namespace

ExportFile::ExportFile(const std::string& path, const std::string& option) : path_(path) {
  if (path == "-") return;
  check_writable(path, option);
  file_.emplace(path);
}

void ExportFile::put(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() < export_buffer_bytes) return;
  if (!file_) {
    std::fwrite(buffer_.data(), 1, buffer_.size(), stdout);  // finish_printing checks it
  } else if (!file_->put(buffer_)) {
    fail();
  }
  buffer_.clear();
}

void ExportFile::finish() {
  if (!file_) {
    std::fwrite(buffer_.data(), 1, buffer_.size(), stdout);
  } else if (!file_->put(buffer_) || !file_->close() || !file_->move_there()) {
    fail();
  }
  buffer_.clear();
}

void ExportFile::fail() const {
  throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno) +
                           "; make room there, or give another path");
}

}  // namespace equipoise
