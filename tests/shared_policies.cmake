# The nouns, the run loop, and what every executor and every policy promises.
add_library(equipoise_test_support STATIC
  support/fake_executor.cpp
  support/program.cpp
  support/sim_platforms.cpp
  support/simulate.cpp
)
target_link_libraries(equipoise_test_support PUBLIC equipoise::shared_policies equipoise::sim)
set_source_files_properties(support/program.cpp PROPERTIES COMPILE_DEFINITIONS
  "SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\";EQUIPOISE_BINARY=\"$<TARGET_FILE:equipoise>\"")

equipoise_tests(run
  SOURCES model_test.cpp model_unit_pipeline_test.cpp pool_test.cpp results_test.cpp run_journal_check_test.cpp run_loop_test.cpp run_recorded_decisions_test.cpp scenario_journal_test.cpp scenario_test.cpp
    spec_test.cpp
  LIBS equipoise_test_support)

equipoise_tests(contract
  SOURCES executor_contract_test.cpp policy_contract_test.cpp
  LIBS equipoise_test_support equipoise::real)

equipoise_tests(source_tree SOURCES source_tree_test.cpp LIBS equipoise_build_settings)
