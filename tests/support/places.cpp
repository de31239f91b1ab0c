// Looks beside the test program first, so that an archive needs no sources.
#include "tests/support/places.hpp"

namespace equipoise {

namespace fs = std::filesystem;

fs::path folder_of_this_program() { return fs::read_symlink("/proc/self/exe").parent_path(); }

fs::path repository() {
  const fs::path archive = folder_of_this_program().parent_path();
  return fs::exists(archive / "platforms/sirocco.xml") ? archive : fs::path(SOURCE_DIR);
}

}  // namespace equipoise
