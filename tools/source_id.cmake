# Writes OUT, a source file with a hash of the source files of the folders below, on which the
# numbers of a simulation depend. Runs at every build; OUT changes only if a source file has
# changed.
#   cmake -DSOURCE_DIR=... -DOUT=... -P source_id.cmake
include(${SOURCE_DIR}/tools/hash_of_files.cmake)
foreach(folder shared_policies real/kernels sim traces platforms tools)
  file(GLOB_RECURSE found RELATIVE ${SOURCE_DIR}
    ${SOURCE_DIR}/${folder}/*.cpp ${SOURCE_DIR}/${folder}/*.hpp)
  list(APPEND sources ${found})
endforeach()
hash_of_files(id 16 ${sources})
file(CONFIGURE OUTPUT ${OUT} CONTENT [[// Written at every build by tools/source_id.cmake.
#include "tools/runs/version.hpp"

namespace equipoise {

std::string source_id() { return "@id@"; }

}  // namespace equipoise
]] @ONLY)
