# hash_of_files(OUT LENGTH FILE...) sets OUT to the first LENGTH digits of a hash of the names and the
# contents of these files of SOURCE_DIR, whatever their order. For scripts that run at every build.
function(hash_of_files out length)
  list(SORT ARGN)
  foreach(file IN LISTS ARGN)
    file(SHA256 ${SOURCE_DIR}/${file} hash)
    string(APPEND all "${file} ${hash}\n")
  endforeach()
  string(SHA256 id "${all}")
  string(SUBSTRING ${id} 0 ${length} id)
  set(${out} ${id} PARENT_SCOPE)
endfunction()
