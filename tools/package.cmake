# What `cmake --install` installs, the Debian package with the same files (`cpack -G DEB`), and the archive
# that the target `package` makes: the program with all that it needs where nothing is installed, and the
# tests of machines and the benchmark if they are built. The archive is arranged like the repository, so
# that the README's commands and the tests find their files in it. It has a README of its own,
# archive-readme.md.
set(modules equipoise_ipopt equipoise_clp equipoise_blas)
if(SIMGRID_FOUND)
  list(APPEND modules equipoise_simgrid)
endif()
if(MPI_FOUND)
  list(APPEND modules equipoise_mpi)
endif()
include(tools/package_development.cmake)
install(TARGETS ${modules} LIBRARY DESTINATION lib/equipoise COMPONENT program)

# equipoise_install_files(FOLDER COMPONENT...) installs recorded machines, campaigns and texts.
function(equipoise_install_files folder)
  cmake_path(SET tools NORMALIZE ${folder}/tools)
  install(DIRECTORY examples DESTINATION ${folder} ${ARGN} USE_SOURCE_PERMISSIONS)
  install(DIRECTORY platforms traces DESTINATION ${folder} ${ARGN} FILES_MATCHING
    PATTERN traces/files EXCLUDE
    PATTERN *.xml PATTERN *.json PATTERN *.jsonl PATTERN *.csv PATTERN README.md)
  install(DIRECTORY tools/campaigns tools/validation DESTINATION ${tools}
    USE_SOURCE_PERMISSIONS ${ARGN})
  install(FILES CHANGELOG.md LICENSE THIRD-PARTY.md DESTINATION ${folder} ${ARGN})
endfunction()
equipoise_install_files(share/equipoise COMPONENT data)
install(FILES README.md DESTINATION share/equipoise COMPONENT data)
equipoise_install_files(. COMPONENT archive EXCLUDE_FROM_ALL)
install(PROGRAMS tools/gpu-check DESTINATION tools COMPONENT archive EXCLUDE_FROM_ALL)
install(DIRECTORY tools/gpu_check DESTINATION tools USE_SOURCE_PERMISSIONS
  COMPONENT archive EXCLUDE_FROM_ALL)
# The program itself is in libexec/; what a user types chooses its C++ library first.
install(PROGRAMS tools/archive/equipoise DESTINATION bin COMPONENT archive EXCLUDE_FROM_ALL)
install(FILES tools/archive/libraries.sh DESTINATION libexec COMPONENT archive EXCLUDE_FROM_ALL)
# Programs are not stripped here, so that backtraces of one that hangs on a GPU have names.
install(PROGRAMS $<TARGET_FILE:equipoise> DESTINATION libexec COMPONENT archive EXCLUDE_FROM_ALL)
install(FILES tools/archive-readme.md DESTINATION . RENAME README.md
  COMPONENT archive EXCLUDE_FROM_ALL)
install(FILES tests/gpu/RESULTS.md DESTINATION tests/gpu COMPONENT archive EXCLUDE_FROM_ALL)

get_property(tests GLOBAL PROPERTY EQUIPOISE_PACKED_TESTS)
if(TARGET equipoise_fake_nvml)
  list(APPEND modules equipoise_fake_nvml)
endif()
if(TARGET equipoise_bench)
  list(APPEND tests equipoise_bench equipoise_gpu_bench)
  list(APPEND modules equipoise_bare_simgrid)
  install(TARGETS equipoise_bare_simgrid
    LIBRARY DESTINATION lib/equipoise COMPONENT archive EXCLUDE_FROM_ALL)
endif()
foreach(target IN LISTS tests)
  install(PROGRAMS $<TARGET_FILE:${target}> DESTINATION tests COMPONENT archive EXCLUDE_FROM_ALL)
endforeach()

# What is in the archive. The target `package` builds everything first; CPack alone takes what is there.
add_custom_target(packed DEPENDS equipoise equipoise_loop ${modules} ${tests})

set(files_that_need_libraries)
foreach(target equipoise ${tests})
  list(APPEND files_that_need_libraries $<TARGET_FILE:${target}>)
endforeach()
set(modules_that_need_libraries)
foreach(target ${modules})
  list(APPEND modules_that_need_libraries $<TARGET_FILE:${target}>)
  # Beside lib/equipoise.
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/..")
endforeach()
list(APPEND modules_that_need_libraries $<TARGET_FILE:equipoise_loop>)
set_target_properties(equipoise_loop PROPERTIES INSTALL_RPATH "$ORIGIN")
# The newest glibc that the archive may need: that of Ubuntu 22.04 where the archive is made with Debian 12
# or an older system; on newer ones what is compiled needs their own.
execute_process(COMMAND getconf GNU_LIBC_VERSION OUTPUT_VARIABLE glibc)
string(REGEX REPLACE "[^0-9.]" "" glibc "${glibc}")
if(glibc VERSION_LESS_EQUAL 2.36)
  set(glibc 2.35)
endif()
set(EQUIPOISE_ARCHIVE_GLIBC ${glibc} CACHE STRING "The newest glibc that an archive may need")
install(CODE "set(programs \"${files_that_need_libraries}\")
set(modules \"${modules_that_need_libraries}\")
set(objdump \"${CMAKE_OBJDUMP}\")
set(newest_glibc \"${EQUIPOISE_ARCHIVE_GLIBC}\")" COMPONENT archive EXCLUDE_FROM_ALL)
install(SCRIPT tools/package_libraries.cmake COMPONENT archive EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR TXZ)
# Of xz: as many as there are processors.
set(CPACK_THREADS 0)
set(CPACK_PACKAGE_FILE_NAME
  ${PROJECT_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_VENDOR "the Equipoise authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_COMPONENTS_ALL program archive development documents)
set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
# The Debian package. What builds policies is only suggested, because most users need none.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
  "Divides data-parallel work among CPUs and GPUs, simulated or for real, and compares policies")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the Equipoise authors <equipoise@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openmpi-bin")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, make, libfmt-dev")
include(CPack)
