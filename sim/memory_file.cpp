// Files in memory, by memfd_create.
#include "sim/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "shared_policies/model/failure.hpp"
#include "sim/child_process.hpp"

namespace equipoise {

MemoryFile::MemoryFile(const std::string& text) : fd_(::memfd_create("equipoise", MFD_CLOEXEC)) {
  if (fd_ >= 0 && write_all(fd_, text)) return;
  const int error = errno;
  if (fd_ >= 0) ::close(fd_);
  throw BackendError(std::string("no file in memory: ") + std::strerror(error));
}

MemoryFile::~MemoryFile() { ::close(fd_); }

std::string MemoryFile::text(std::size_t most) const {
  std::string text(most, '\0');
  std::size_t size = 0;
  for (ssize_t got = 1; got > 0 && size < most;) {
    got = ::pread(fd_, text.data() + size, most - size, static_cast<off_t>(size));
    if (got > 0) size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace equipoise
