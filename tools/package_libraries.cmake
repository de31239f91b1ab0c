# Copies to lib/ of the archive the shared libraries that `programs` and `modules` need, each under the
# name by which it is asked for. Those of glibc and of the GPU's driver belong to the machine that runs
# the programs. The C++ library and that of gcc go to lib/if-needed, where no program looks by itself:
# bin/equipoise takes them where the machine has none or an older one. What all need of the machine is
# written to libexec/needs.sh, and must be no newer a glibc than `newest_glibc`.
file(GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${programs}
  MODULES ${modules}
  RESOLVED_DEPENDENCIES_VAR libraries
  CONFLICTING_DEPENDENCIES_PREFIX several
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|util|resolv|anl|mvec|cuda|nvidia-ml)\\.so")
# Found in several folders: what the loader takes is the first, and mostly they are links to one file.
foreach(name IN LISTS several_FILENAMES)
  list(GET several_${name} 0 library)
  list(APPEND libraries ${library})
endforeach()
set(archive "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
file(MAKE_DIRECTORY ${archive}/lib/if-needed ${archive}/libexec)

# latest(VAR VERSION...) sets VAR to the latest version.
function(latest variable)
  set(versions ${ARGN})
  list(SORT versions COMPARE NATURAL ORDER DESCENDING)
  list(GET versions 0 first)
  set(${variable} ${first} PARENT_SCOPE)
endfunction()
# equipoise_needs(FILE) adds what the loader checks before it loads FILE to `glibc_versions` and
# `cxx_versions`. Since 2.36, glibc reads a new kind of relocations.
function(equipoise_needs file)
  execute_process(COMMAND ${objdump} -p ${file} OUTPUT_VARIABLE needs COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "^.*Version References:" "" needs "${needs}")
  string(REPLACE "GLIBC_ABI_DT_RELR" "GLIBC_2.36" needs "${needs}")
  string(REGEX MATCHALL "GLIBC_[0-9.]+" glibc "${needs}")
  string(REGEX MATCHALL "GLIBCXX_[0-9.]+" cxx "${needs}")
  latest(newest GLIBC_2.0 ${glibc})
  message(STATUS "Needs ${newest}: ${file}")
  set(glibc_versions ${glibc_versions} ${glibc} PARENT_SCOPE)
  set(cxx_versions ${cxx_versions} ${cxx} PARENT_SCOPE)
endfunction()

set(glibc_versions)
set(cxx_versions)
set(of_compiler)
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME)
  # Not file(INSTALL FOLLOW_SYMLINK_CHAIN): a link of Debian's alternatives has the name of its target.
  file(REAL_PATH ${library} file)
  message(STATUS "Library: ${name} (${file})")
  if(name MATCHES "^lib(stdc\\+\\+|gcc_s)\\.so")
    file(COPY_FILE ${file} ${archive}/lib/if-needed/${name})
    list(APPEND of_compiler ${file})
  else()
    file(COPY_FILE ${file} ${archive}/lib/${name})
    equipoise_needs(${file})
  endif()
endforeach()
foreach(file IN LISTS programs modules)
  equipoise_needs(${file})
endforeach()
latest(glibc GLIBC_2.0 ${glibc_versions})
latest(cxx GLIBCXX_3.4 ${cxx_versions})
set(glibc_versions ${glibc})
foreach(file IN LISTS of_compiler)
  equipoise_needs(${file})
endforeach()
latest(glibc_of_own GLIBC_2.0 ${glibc_versions})
string(REPLACE "GLIBC_" "" glibc ${glibc})
string(REPLACE "GLIBC_" "" glibc_of_own ${glibc_of_own})
message(STATUS "The archive needs glibc ${glibc} and ${cxx}, with its own C++ library glibc ${glibc_of_own}")
if(glibc VERSION_GREATER newest_glibc)
  message(FATAL_ERROR "The archive needs glibc ${glibc}; it may need ${newest_glibc} at most "
    "(EQUIPOISE_ARCHIVE_GLIBC). Above is what each file needs.")
endif()
file(WRITE ${archive}/libexec/needs.sh
  "# What the programs and libraries of this archive need.
needs_glibc=${glibc}
needs_cxx=${cxx}
needs_glibc_for_own_cxx=${glibc_of_own}
")
