# Writes OUT, a header that says for which headers of shared_policies/ a policy outside of this tree was
# compiled: the version, and a hash of all of them, because a policy that was compiled for others would
# take objects for what they are not. Runs at every build; OUT changes only if a header has changed.
#   cmake -DSOURCE_DIR=... -DVERSION=... -DOUT=... -P interface_id.cmake
include(${SOURCE_DIR}/tools/hash_of_files.cmake)
file(GLOB_RECURSE headers RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/shared_policies/*.hpp)
hash_of_files(id 12 ${headers})
file(CONFIGURE OUTPUT ${OUT} CONTENT [[// Written at every build by shared_policies/policies/interface_id.cmake.
#pragma once

#define EQUIPOISE_INTERFACE "equipoise @VERSION@, headers @id@"
]] @ONLY)
