# Copies to lib/ of the archive the shared libraries that `programs` and `modules` need, each under the
# name by which it is asked for. Those of glibc and of the GPU's driver belong to the machine that runs
# the programs.
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
set(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib")
file(MAKE_DIRECTORY ${folder})
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME)
  # Not file(INSTALL FOLLOW_SYMLINK_CHAIN): a link of Debian's alternatives has the name of its target.
  file(REAL_PATH ${library} file)
  message(STATUS "Library: ${name} (${file})")
  file(COPY_FILE ${file} ${folder}/${name})
endforeach()
