# Writes OUT, a source file with a hash of the source files of the folders below, on which the
# numbers of a simulation depend. Runs at every build; OUT changes only if a source file has
# changed.
#   cmake -DSOURCE_DIR=... -DOUT=... -P source_id.cmake
foreach(folder shared_policies real/kernels sim traces platforms tools)
  file(GLOB_RECURSE found RELATIVE ${SOURCE_DIR}
    ${SOURCE_DIR}/${folder}/*.cpp ${SOURCE_DIR}/${folder}/*.hpp)
  list(APPEND sources ${found})
endforeach()
list(SORT sources)
foreach(source IN LISTS sources)
  file(SHA256 ${SOURCE_DIR}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 id "${all}")
string(SUBSTRING ${id} 0 16 id)
file(CONFIGURE OUTPUT ${OUT} CONTENT [[// Written at every build by tools/source_id.cmake.
#include "tools/report/version.hpp"

namespace equipoise {

std::string source_id() { return "@id@"; }

}  // namespace equipoise
]] @ONLY)
