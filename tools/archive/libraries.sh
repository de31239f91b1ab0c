# Which C++ library the programs of an archive take. Read by bin/equipoise and tools/gpu-check.
# This system's own comes first, because drivers, CUDA's libraries and policies that are compiled here may
# need a newer one than the archive has, and because the archive's needs the glibc of the system where the
# archive was made. The archive's is for systems that have none, or an older one.

# choose_libraries PROGRAM NAME: sets LD_LIBRARY_PATH if that is needed. Where the program can be started
# with neither, fails, and says as NAME what is missing.
choose_libraries() {
  "$1" --version >/dev/null 2>&1 && return
  own=$(cd "${1%/libexec/*}/lib/if-needed" && pwd)
  if LD_LIBRARY_PATH=$own${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$1" --version >/dev/null 2>&1; then
    export LD_LIBRARY_PATH="$own${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    return
  fi
  . "${1%/*}/needs.sh"
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || glibc="no glibc"
  echo "$2: error: the program cannot be started: $("$1" --version 2>&1 | head -1)" >&2
  echo "$2: it needs glibc $needs_glibc or newer with a C++ library that has $needs_cxx," \
    "or glibc $needs_glibc_for_own_cxx with the one in lib/if-needed; this system has $glibc" >&2
  return 1
}
