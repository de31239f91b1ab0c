// A disk that is full, for one process: a limit of file sizes.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace equipoise {

/// No file of this process, or of a program that it starts, grows beyond `bytes` while this lives.
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

/// The same for this process alone, where writing beyond it only fails, as the program has it.
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
