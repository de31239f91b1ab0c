# The program, tested through its commands as a user types them.
function(equipoise_program_tests name)
  equipoise_tests(${name} ${ARGN}
    LIBS equipoise_program equipoise_test_support nlohmann_json::nlohmann_json)
  add_dependencies(${name}_tests equipoise)
endfunction()

# These run on this machine's units.
equipoise_program_tests(live
  SOURCES
    tools/gpu_check_test.cpp
    tools/paced_test.cpp
    tools/real_scenario_test.cpp
    tools/record_test.cpp
    tools/recorded_watts_test.cpp
    tools/validate_test.cpp
  ALONE)

equipoise_program_tests(this_machine SOURCES tools/this_machine_test.cpp ALONE SMOKE PACKED)

# The usual way through the program.
equipoise_program_tests(program
  SOURCES
    tools/every_policy_test.cpp
    tools/parts_test.cpp
    tools/program_test.cpp
    tools/same_journal_test.cpp
  SMOKE)

# All other commands.
equipoise_program_tests(commands
  SOURCES
    tools/bad_input_test.cpp
    tools/device_links_test.cpp
    tools/energy_test.cpp
    tools/experience_test.cpp
    tools/machine_spec_test.cpp
    tools/outputs_test.cpp
    tools/phases_test.cpp
    tools/platform_test.cpp
    tools/replay_test.cpp
    tools/messages_test.cpp
    tools/report/glossary_test.cpp
    tools/report/loss_text_test.cpp
    tools/report/quantity_text_test.cpp
    tools/report/recording_warnings_test.cpp
    tools/report/text_table_test.cpp
    tools/runs/policy_list_test.cpp
    tools/report/repetition_noise_test.cpp
    tools/report/result_fields_test.cpp
    tools/report/trace_report_test.cpp
    tools/scenario_test.cpp
    tools/without_modules_test.cpp
)

# Whole campaigns. Some are simulated within the test program, which can be started as simulation server.
if(EQUIPOISE_SLOW_TESTS)
  equipoise_program_tests(campaigns
    SOURCES
      tools/clusters_test.cpp
      tools/energy_paper_test.cpp
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
equipoise_simulating_tests(search tools/search/schedule_search_test.cpp)

# The simulation server.
equipoise_simulating_tests(simulations
  tools/runs/cost_meters_test.cpp tools/simulations/simulation_messages_test.cpp
  tools/simulations/simulations_test.cpp)

# The parts of a sweep.
equipoise_simulating_tests(sweep
  tools/sweep/campaign_file_test.cpp tools/sweep/sweep_plan_test.cpp tools/sweep/point_store_test.cpp tools/sweep/sweep_results_test.cpp)
