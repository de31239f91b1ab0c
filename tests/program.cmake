# The program as a user types it.
equipoise_tests(program
  SOURCES
    tools/bad_input_test.cpp
    tools/clusters_test.cpp
    tools/energy_paper_test.cpp
    tools/energy_test.cpp
    tools/machine_spec_test.cpp
    tools/paced_test.cpp
    tools/parts_test.cpp
    tools/phases_test.cpp
    tools/platform_test.cpp
    tools/program_test.cpp
    tools/real_scenario_test.cpp
    tools/record_test.cpp
    tools/replay_test.cpp
    tools/scenario_test.cpp
    tools/sweep_test.cpp
    tools/validate_test.cpp
  LIBS equipoise_program equipoise_test_support nlohmann_json::nlohmann_json)
add_dependencies(program_tests equipoise)

# What the program does behind its commands.
equipoise_tests(search
  SOURCES tools/search/schedule_search_test.cpp
  LIBS equipoise_program equipoise_test_support)

# Parts of a sweep.
equipoise_tests(sweep
  SOURCES tools/sweep/campaign_file_test.cpp tools/sweep/sweep_plan_test.cpp tools/sweep/point_store_test.cpp tools/sweep/sweep_results_test.cpp
  LIBS equipoise_program equipoise_test_support)
