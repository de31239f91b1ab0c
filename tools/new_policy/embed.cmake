# Writes OUT, a source file that contains the files named in FILES as texts.
#   cmake -DSOURCE_DIR=... -DFILES=a,b,c -DOUT=... -P embed.cmake
string(REPLACE "," ";" files "${FILES}")
foreach(name IN LISTS files)
  file(READ ${SOURCE_DIR}/${name} text)
  string(APPEND rows "    {\"${name}\", R\"__(${text})__\"},\n")
endforeach()
file(WRITE ${OUT} "// Written by tools/new_policy/embed.cmake.
#include \"tools/new_policy/new_policy_files.hpp\"

namespace equipoise {

std::span<const NewPolicyFile> new_policy_files() {
  static constexpr NewPolicyFile files[] = {
${rows}  };
  return files;
}

}  // namespace equipoise
")
