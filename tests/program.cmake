# The program as a user types it.
equipoise_tests(program
  SOURCES
    program_bad_input_test.cpp
    program_clusters_test.cpp
    program_energy_paper_test.cpp
    program_energy_test.cpp
    program_machine_spec_test.cpp
    program_parts_test.cpp
    program_paced_test.cpp
    program_phases_test.cpp
    program_real_scenario_test.cpp
    program_record_test.cpp
    program_replay_test.cpp
    program_scenario_test.cpp
    program_sweep_test.cpp
    program_test.cpp
    program_validate_test.cpp
  LIBS equipoise_program equipoise_test_support nlohmann_json::nlohmann_json)
add_dependencies(program_tests equipoise)

# What the program does behind its commands.
equipoise_tests(search
  SOURCES schedule_search_test.cpp
  LIBS equipoise_program equipoise_test_support)

# Parts of a sweep.
equipoise_tests(sweep
  SOURCES sweep_campaign_test.cpp sweep_plan_test.cpp sweep_points_test.cpp sweep_results_test.cpp
  LIBS equipoise_program equipoise_test_support)
