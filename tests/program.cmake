# The program, tested through its commands as a user types them.
function(equipoise_program_tests name)
  equipoise_tests(${name} ${ARGN}
    LIBS equipoise_program equipoise_test_support nlohmann_json::nlohmann_json)
  add_dependencies(${name}_tests equipoise)
endfunction()

# These run on this machine's units.
equipoise_program_tests(live
  SOURCES
    tools/scripts/gpu_check_test.cpp
    tools/scripts/gpu_check_troubles_test.cpp
    tools/live/own_work_test.cpp
    tools/live/paced_test.cpp
    tools/live/real_scenario_test.cpp
    tools/live/synthetic_test.cpp
    tools/live/record_test.cpp
    tools/live/recorded_watts_test.cpp
    tools/live/validate_test.cpp
  ALONE)

# Ranks that mpirun starts on this machine.
equipoise_program_tests(nodes SOURCES tools/live/nodes_test.cpp ALONE SMOKE)

equipoise_program_tests(this_machine SOURCES tools/live/this_machine_test.cpp ALONE SMOKE PACKED)

# The usual way through the program.
equipoise_program_tests(program
  SOURCES
    tools/every_policy_test.cpp
    tools/two_levels_test.cpp
    tools/parts_test.cpp
    tools/program_test.cpp
    tools/outputs/same_journal_test.cpp
  SMOKE)

# All other commands.
equipoise_program_tests(commands
  SOURCES
    tools/scripts/archive_test.cpp
    tools/bad_input_test.cpp
    tools/block_timeout_test.cpp
    tools/outputs/comparison_table_test.cpp
    tools/completion_test.cpp
    tools/machines/described_machine_test.cpp
    tools/worlds/device_links_test.cpp
    tools/energy_test.cpp
    tools/experience_test.cpp
    tools/prediction_test.cpp
    tools/machines/machine_spec_inputs_test.cpp
    tools/machines/block_cost_test.cpp
    tools/machines/machine_spec_test.cpp
    tools/machines/many_hosts_test.cpp
    tools/worlds/h200_test.cpp
    tools/machines/mi300a_test.cpp
    tools/outputs/one_writer_test.cpp
    tools/outputs/outputs_test.cpp
    tools/phases_test.cpp
    tools/machines/platform_test.cpp
    tools/replay_test.cpp
    tools/outputs/replaced_outputs_test.cpp
    tools/messages_test.cpp
    tools/report/glossary_test.cpp
    tools/report/headings_test.cpp
    tools/report/loss_text_test.cpp
    tools/console/quantity_text_test.cpp
    tools/report/recording_warnings_test.cpp
    tools/console/text_table_test.cpp
    tools/runs/block_count_test.cpp
    tools/runs/policy_list_test.cpp
    tools/report/json_values_test.cpp
    tools/report/repetition_noise_test.cpp
    tools/report/result_fields_test.cpp
    tools/report/table_rows_test.cpp
    tools/report/trace_report_test.cpp
    tools/report/why_text_test.cpp
    tools/report_test.cpp
    tools/scenario_test.cpp
    tools/without_modules_test.cpp
    tools/report/repeated_run_test.cpp
    tools/what_if_command_test.cpp
)

# Guards of results, and the schemas of all files and outputs.
equipoise_program_tests(guard
  SOURCES
    support/described_schemas.cpp
    support/json_schema.cpp
    tools/guard/described_schemas_test.cpp
    tools/guard/expectations_test.cpp
    tools/guard/guard_test.cpp
    tools/guard/results_diff_test.cpp
    tools/guard/schemas_test.cpp
    tools/guard/stored_results_test.cpp
)
# Policies in libraries: that of a new project, and others that the program has to refuse, that break the
# contract or never answer.
include(${PROJECT_SOURCE_DIR}/tools/equipoise-policy.cmake)
set(of_new_policy ${PROJECT_SOURCE_DIR}/tools/new_policy/weighted_greedy.cpp)
equipoise_add_policy(weighted-greedy ${of_new_policy})
equipoise_add_policy(unruly support/policies/unruly.cpp)
equipoise_add_policy(noting support/policies/noting.cpp)
equipoise_add_policy(probing support/policies/probing.cpp)
equipoise_add_policy(nameless support/policies/named.cpp)
target_compile_definitions(nameless PRIVATE NAME="")
equipoise_add_policy(named-greedy support/policies/named.cpp)
target_compile_definitions(named-greedy PRIVATE NAME="greedy")
equipoise_add_policy(silent support/policies/silent.cpp)
target_compile_definitions(silent PRIVATE LIMIT_S=0.5)
equipoise_add_policy(silent-for-ever support/policies/silent.cpp)
target_compile_definitions(silent-for-ever PRIVATE LIMIT_S=1e6)
set(own_policies weighted-greedy unruly noting probing nameless named-greedy silent silent-for-ever)
set_target_properties(${own_policies} PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/policies)
foreach(policy IN LISTS own_policies)
  add_dependencies(${policy} equipoise_interface_id)
endforeach()
equipoise_program_tests(own_policy SOURCES tools/own_policy_test.cpp tools/policy_notes_test.cpp)
add_dependencies(own_policy_tests ${own_policies})
add_dependencies(nodes_tests unruly)
add_executable(weighted_greedy_test
  ${PROJECT_SOURCE_DIR}/tools/new_policy/weighted_greedy_test.cpp ${of_new_policy})
target_link_libraries(weighted_greedy_test PRIVATE equipoise::policy_contract equipoise::headers)
add_dependencies(weighted_greedy_test equipoise_interface_id)
add_test(NAME weighted_greedy_test COMMAND weighted_greedy_test)

# The program with little address space. Sanitizers reserve terabytes.
if(NOT EQUIPOISE_SANITIZE_ADDRESS AND NOT EQUIPOISE_SANITIZE_THREAD)
  equipoise_program_tests(little_memory SOURCES tools/little_memory_test.cpp)
endif()

# What is installed, and what a user builds with it. Sanitizers would make that five times as long.
if(NOT EQUIPOISE_SANITIZE_ADDRESS AND NOT EQUIPOISE_SANITIZE_THREAD)
  equipoise_program_tests(installed SOURCES tools/installed_test.cpp SMOKE)
endif()
# Exports of runs and results, and pictures of them.
equipoise_program_tests(exports
  SOURCES
    tools/exports/formats_test.cpp
    tools/exports/pictures_test.cpp)
target_link_libraries(exports_tests PRIVATE GTest::gmock PkgConfig::PUGIXML)

# Whole campaigns. Some are simulated within the test program, which can be started as simulation server.
if(EQUIPOISE_SLOW_TESTS)
  equipoise_program_tests(campaigns
    SOURCES
      tools/machines/clusters_test.cpp
      tools/machines/energy_paper_test.cpp
      tools/sweep_test.cpp
      support/serving_main.cpp
    SMOKE)
endif()

# Parts of the program that simulate: their programs can be started as simulation servers.
function(equipoise_simulating_tests name)
  equipoise_tests(${name} SOURCES ${ARGN} support/serving_main.cpp
    LIBS equipoise_program equipoise_test_support)
endfunction()

# The search for schedules that the commands use.
equipoise_simulating_tests(search tools/search/ideal_runs_test.cpp tools/search/schedule_search_test.cpp
  tools/search/what_if_test.cpp)

# The simulation server.
equipoise_simulating_tests(simulations
  tools/runs/cost_meters_test.cpp tools/simulations/simulation_messages_test.cpp
  tools/simulations/simulations_test.cpp)

# The parts of a sweep.
equipoise_simulating_tests(sweep
  tools/sweep/campaign_file_test.cpp tools/sweep/sweep_plan_test.cpp tools/sweep/point_store_test.cpp tools/sweep/sweep_results_test.cpp
  tools/worlds/best_known_test.cpp)

# Report pages in a browser. A sanitized program takes too long to read a large run.
set(large_blocks 1000000)
if(EQUIPOISE_SANITIZE_ADDRESS OR EQUIPOISE_SANITIZE_THREAD)
  set(large_blocks 30000)
endif()
find_program(EQUIPOISE_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(EQUIPOISE_PYTHON)
  add_test(NAME ReportPage.InABrowser COMMAND ${EQUIPOISE_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/page/report_page_test.py $<TARGET_FILE:equipoise>
    ${PROJECT_SOURCE_DIR} ${large_blocks})
  set_tests_properties(ReportPage.InABrowser PROPERTIES LABELS page-smoke TIMEOUT 300
    SKIP_RETURN_CODE 77)
  add_test(NAME SameOutputs.FindsWhatDiffers COMMAND ${EQUIPOISE_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/tools/scripts/same_outputs_test.py $<TARGET_FILE:equipoise> ${PROJECT_SOURCE_DIR})
  set_tests_properties(SameOutputs.FindsWhatDiffers PROPERTIES TIMEOUT 300)
  add_test(NAME GenerateMachines.OfDevicesThatExist COMMAND ${EQUIPOISE_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/tools/scripts/generate_machines_test.py $<TARGET_FILE:equipoise> ${PROJECT_SOURCE_DIR})
  set_tests_properties(GenerateMachines.OfDevicesThatExist PROPERTIES TIMEOUT 300)
  add_test(NAME CountStatements.OfThePapers COMMAND ${EQUIPOISE_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/tools/scripts/count_statements_test.py ${PROJECT_SOURCE_DIR})
  add_test(NAME ItemCosts.AgreeWithListScheduling COMMAND ${EQUIPOISE_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/tools/item_costs_test.py $<TARGET_FILE:equipoise>)
  add_test(NAME JudgeDrawn.MachinesOfASeed COMMAND ${EQUIPOISE_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/tools/scripts/judge_drawn_test.py ${PROJECT_SOURCE_DIR})
  add_test(NAME ValidationRun.OfMadeUpResults COMMAND ${EQUIPOISE_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/tools/scripts/validation_run_test.py ${PROJECT_SOURCE_DIR})
endif()

# Loops of programs that use the library, through its headers alone.
equipoise_tests(loop
  SOURCES
    tools/loop/loop_test.cpp
    tools/loop/pull_test.cpp
  LIBS equipoise::loop equipoise_test_support nlohmann_json::nlohmann_json)
set_target_properties(loop_tests PROPERTIES INSTALL_RPATH "$ORIGIN/../tools")
add_dependencies(loop_tests equipoise weighted-greedy)
