// Simulates a machine with little memory for one process, by a limit of its address space.
#pragma once

#include <sys/resource.h>

namespace equipoise {

/// While this object exists, neither this process nor a program that it starts can have more than
/// `bytes` of address space.
class LittleMemory {
 public:
  explicit LittleMemory(rlim_t bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    const rlimit little{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &little);
  }
  LittleMemory(const LittleMemory&) = delete;
  LittleMemory& operator=(const LittleMemory&) = delete;
  ~LittleMemory() { ::setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

}  // namespace equipoise
