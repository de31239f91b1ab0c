# The simulator, its clockwork, and the child processes it lives in.
equipoise_tests(sim
  SOURCES
    sim_agreement_test.cpp
    sim_child_process_test.cpp
    sim_energy_test.cpp
    sim_executor_test.cpp
    sim_own_copies_test.cpp
    sim_overlap_test.cpp
    sim_platform_probe_test.cpp
    sim_scenario_test.cpp
    sim_sharing_test.cpp
    sim_timeline_test.cpp
  LIBS equipoise_test_support equipoise::platforms PkgConfig::SIMGRID
)
