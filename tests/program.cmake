# The program as a user types it.
equipoise_tests(program
  SOURCES program_bad_input_test.cpp program_test.cpp support/program.cpp
  LIBS nlohmann_json::nlohmann_json)
add_dependencies(program_tests equipoise)
target_link_libraries(program_tests PRIVATE equipoise_build_settings)
target_compile_definitions(program_tests PRIVATE EQUIPOISE_BINARY="$<TARGET_FILE:equipoise>")
