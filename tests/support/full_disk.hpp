// Simulates a full disk for one process, by a limit of file sizes.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace equipoise {

/// While this object exists, no file of this process, or of a program that it starts, can grow
/// beyond `bytes`.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit little{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &little);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

/// Limits file sizes of this process, and ignores the signal so that writing beyond the limit only
/// fails, as it does in the program.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : before_(::signal(SIGXFSZ, SIG_IGN)), limit_(bytes) {}
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() { ::signal(SIGXFSZ, before_); }

 private:
  sighandler_t before_;
  FileSizeLimit limit_;
};

}  // namespace equipoise
