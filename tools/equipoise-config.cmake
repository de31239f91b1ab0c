# find_package(equipoise) gives:
#   equipoise_add_policy(NAME SOURCES...)   adds a policy in a library; see equipoise-policy.cmake
#   equipoise::program                      the program
#   equipoise::loop                         loops of a program of your own: <equipoise/loop.hpp>, and
#                                           <equipoise/chunks.h> for C
#   equipoise::equipoise                    the run loop, the policies, and the fake executor and contract
#                                           for tests; only if fmt can be linked
#   equipoise::headers                      what these are compiled with
include(${CMAKE_CURRENT_LIST_DIR}/equipoise-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/equipoise-policy.cmake)
find_package(fmt QUIET)
find_package(Eigen3 QUIET NO_MODULE)
if(TARGET fmt::fmt)
  if(NOT TARGET equipoise::equipoise)
    add_library(equipoise::equipoise INTERFACE IMPORTED)
    target_link_libraries(equipoise::equipoise INTERFACE
      equipoise::policy_contract equipoise::shared_policies equipoise::headers)
    # Where modules are: of what is installed, and of a build folder.
    foreach(modules equipoise ../shared_policies)
      target_link_options(equipoise::equipoise INTERFACE
        "LINKER:-rpath,${CMAKE_CURRENT_LIST_DIR}/../../${modules}")
    endforeach()
  endif()
elseif(NOT equipoise_FIND_QUIETLY)
  message(STATUS "equipoise::equipoise, for tests and programs, is left out: it needs fmt (Debian: libfmt-dev)")
endif()
