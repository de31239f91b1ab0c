# Writes OUT, a source file with the function FUNCTION of HEADER, which returns the files named in
# FILES as texts.
#   cmake -DSOURCE_DIR=... -DFILES=a,b,c -DHEADER=... -DFUNCTION=... -DOUT=... -P embed.cmake
string(REPLACE "," ";" files "${FILES}")
foreach(name IN LISTS files)
  file(READ ${SOURCE_DIR}/${name} text)
  string(APPEND rows "    {\"${name}\", R\"__(${text})__\"},\n")
endforeach()
file(WRITE ${OUT} "// Written by tools/console/embed.cmake.
#include \"${HEADER}\"

namespace equipoise {

std::span<const EmbeddedFile> ${FUNCTION}() {
  static constexpr EmbeddedFile files[] = {
${rows}  };
  return files;
}

}  // namespace equipoise
")
