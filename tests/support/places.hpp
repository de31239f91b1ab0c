// Where tests find the files that they read and the programs that they start.
#pragma once

#include <filesystem>

namespace equipoise {

/// The folder in which the test program lies.
[[nodiscard]] std::filesystem::path folder_of_this_program();

/// The folder with platforms/, traces/ and tools/: the archive in which the test program lies, if
/// it lies in one; otherwise the sources from which it was built.
[[nodiscard]] std::filesystem::path repository();

}  // namespace equipoise
