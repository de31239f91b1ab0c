// Writes an export to its file, or prints it.
#include "tools/exports/formats.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "tools/console/console.hpp"

namespace equipoise {

ExportFile::ExportFile(const std::string& path, const std::string& option) : path_(path) {
  if (path == "-") return;
  check_writable(path, option);
  file_.emplace(path);
}

void ExportFile::put(std::string_view text) {
  if (!file_) {
    std::fwrite(text.data(), 1, text.size(), stdout);  // finish_printing checks it
  } else if (!file_->put(text)) {
    fail();
  }
}

void ExportFile::finish() {
  if (file_ && (!file_->close() || !file_->move_there())) fail();
}

void ExportFile::fail() const {
  throw std::runtime_error(path_ + ": cannot be written: " + std::strerror(errno) +
                           "; make room there, or give another path");
}

}  // namespace equipoise
