# The model, the run loop, and what every executor and every policy promises.
add_library(equipoise_test_support STATIC
  support/program.cpp
  support/sim_platforms.cpp
  support/simulate.cpp
)
target_link_libraries(equipoise_test_support
  PUBLIC equipoise::policy_contract equipoise::sim equipoise_test_places)

equipoise_tests(run
  SOURCES
    shared_policies/machine/node_residents_test.cpp
    shared_policies/machine/resident_stream_test.cpp
    shared_policies/machine/scenario_test.cpp
    shared_policies/machine/unit_pipeline_test.cpp
    shared_policies/model/model_test.cpp
    shared_policies/specs/unit_map_test.cpp
    shared_policies/text/printable_text_test.cpp
    shared_policies/specs/spec_test.cpp
    shared_policies/run/block_watch_test.cpp
    shared_policies/run/decisions_test.cpp
    shared_policies/run/journal_check_test.cpp
    shared_policies/run/losses_test.cpp
    shared_policies/run/metered_journal_test.cpp
    shared_policies/run/pool_test.cpp
    shared_policies/run/recorded_decisions_test.cpp
    shared_policies/run/prediction_test.cpp
    shared_policies/run/results_test.cpp
    shared_policies/run/policy_notes_test.cpp
    shared_policies/run/probe_test.cpp
    shared_policies/run/run_event_test.cpp
    shared_policies/run/run_loop_test.cpp
    shared_policies/run/take_back_test.cpp
    shared_policies/run/two_levels_test.cpp
    shared_policies/run/view_test.cpp
    shared_policies/run/experience_journal_test.cpp
    shared_policies/run/scenario_journal_test.cpp
  LIBS equipoise_test_support)

equipoise_tests(contract
  SOURCES executor_contract_test.cpp shared_policies/contract/policy_contract_test.cpp
  LIBS equipoise_test_support equipoise::real
  SMOKE)

equipoise_tests(source_tree SOURCES source_tree_test.cpp tools/scripts/tidy_test.cpp LIBS equipoise_build_settings)
# This test matches regular expressions with every line of the project, which takes ten times as
# long unoptimised.
target_compile_options(source_tree_tests PRIVATE -O1)
