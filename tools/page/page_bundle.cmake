# Makes the source that embeds the report page's script and style sheet. Without npm, or where npm cannot
# get its packages, the source has the style sheet alone, and reports are pages with tables.
#   cmake -DPAGE=tools/page/script -DMODULES=FOLDER -DOUT=FILE.cpp -DNPM=... -DNODE=... -P page_bundle.cmake
set(problem)
if(NOT NPM OR NOT NODE)
  set(problem "there is no npm")
else()
  file(MAKE_DIRECTORY ${MODULES})
  file(SHA256 ${PAGE}/package-lock.json wanted)
  set(stamp ${MODULES}/installed)
  set(there)
  if(EXISTS ${stamp})
    file(READ ${stamp} there)
  endif()
  if(NOT there STREQUAL wanted)
    file(COPY ${PAGE}/package.json ${PAGE}/package-lock.json DESTINATION ${MODULES})
    execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
      WORKING_DIRECTORY ${MODULES} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said)
    if(failed)
      set(problem "npm ci failed: ${said}")
    else()
      file(WRITE ${stamp} ${wanted})
    endif()
  endif()
  if(NOT problem)
    execute_process(COMMAND ${NODE} ${PAGE}/bundle.mjs ${MODULES}/node_modules ${OUT}
      RESULT_VARIABLE failed ERROR_VARIABLE said)
    if(failed)
      message(FATAL_ERROR "tools/page/script cannot be bundled: ${said}")
    endif()
  endif()
endif()
if(problem)
  message("Report pages will have tables and no charts: ${problem}")
  file(READ ${PAGE}/page.css style)
  file(WRITE ${OUT} "#include \"tools/page/page_html.hpp\"
namespace equipoise {
std::string_view page_script() { return {}; }
std::string_view page_style() { return R\"css(${style})css\"; }
}  // namespace equipoise
")
endif()
