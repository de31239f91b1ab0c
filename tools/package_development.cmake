# What code outside of this tree needs: headers, libraries and a CMake package, installed, and the same
# package for the build folder, in which `find_package(equipoise)` finds it, too.
set(package lib/cmake/equipoise)
set(development COMPONENT development)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/${package}/equipoise-config-version.cmake
  COMPATIBILITY SameMinorVersion)
foreach(file equipoise-config.cmake equipoise-policy.cmake)
  configure_file(tools/${file} ${PROJECT_BINARY_DIR}/${package}/${file} COPYONLY)
endforeach()

set(libraries shared_policies policy_contract headers build_settings)
foreach(library IN LISTS libraries)
  set_target_properties(equipoise_${library} PROPERTIES EXPORT_NAME ${library})
endforeach()
set_target_properties(equipoise_loop PROPERTIES EXPORT_NAME loop)
list(TRANSFORM libraries PREPEND equipoise_)
set_target_properties(equipoise PROPERTIES EXPORT_NAME program)
install(TARGETS ${libraries} EXPORT equipoise-targets ARCHIVE DESTINATION lib ${development})
install(TARGETS equipoise_loop EXPORT equipoise-targets LIBRARY DESTINATION lib ${development})
install(FILES tools/loop/equipoise/loop.hpp tools/loop/equipoise/chunks.h
  DESTINATION include/equipoise ${development})
# pkg-config takes equipoise-uninstalled.pc first, in the build folder.
set(pkg_config_prefix "\${pcfiledir}/../..")
set(pkg_config_include "\${prefix}/include")
set(pkg_config_lib "\${prefix}/lib")
configure_file(tools/equipoise.pc.in ${PROJECT_BINARY_DIR}/lib/pkgconfig/equipoise.pc @ONLY)
set(pkg_config_include ${PROJECT_SOURCE_DIR}/tools/loop)
set(pkg_config_lib "\${prefix}/tools")
configure_file(tools/equipoise.pc.in ${PROJECT_BINARY_DIR}/lib/pkgconfig/equipoise-uninstalled.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lib/pkgconfig/equipoise.pc DESTINATION lib/pkgconfig ${development})
# An archive leaves it out: its program is in libexec, behind a launcher.
install(TARGETS equipoise EXPORT equipoise-targets RUNTIME DESTINATION bin COMPONENT executable)
install(EXPORT equipoise-targets NAMESPACE equipoise:: DESTINATION ${package} ${development})
export(EXPORT equipoise-targets NAMESPACE equipoise::
  FILE ${PROJECT_BINARY_DIR}/${package}/equipoise-targets.cmake)
install(DIRECTORY ${PROJECT_BINARY_DIR}/${package}/ DESTINATION ${package} ${development}
  FILES_MATCHING PATTERN equipoise-config*.cmake PATTERN equipoise-policy.cmake)
install(DIRECTORY shared_policies ${PROJECT_BINARY_DIR}/made/shared_policies
  DESTINATION include/equipoise ${development} FILES_MATCHING PATTERN *.hpp)
install(FILES shared_policies/README.md DESTINATION include/equipoise/shared_policies ${development})
