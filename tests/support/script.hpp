// Programs of the user's in a temporary folder, for tests of own work.
#pragma once

#include <sys/stat.h>

#include <string>

#include "tests/support/temporary_folder.hpp"

namespace equipoise {

/// Writes a shell script, ready to be started, and returns its path.
inline std::string write_script(const TemporaryFolder& folder, const std::string& name,
                                const std::string& body) {
  std::string path = folder.write(name, "#!/bin/sh\n" + body + "\n");
  chmod(path.c_str(), 0755);
  return path;
}

}  // namespace equipoise
