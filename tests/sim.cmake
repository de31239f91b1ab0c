# The simulator, its timeline, and the child processes in which it runs.
equipoise_tests(sim
  SOURCES
    sim/agreement_test.cpp
    sim/block_timeout_test.cpp
    sim/child_process_test.cpp
    sim/controller_test.cpp
    sim/energy_test.cpp
    sim/executor_test.cpp
    sim/lost_units_test.cpp
    sim/overlap_test.cpp
    sim/own_copies_test.cpp
    sim/platform_probe_test.cpp
    sim/probe_test.cpp
    sim/scenario_test.cpp
    sim/shared_device_test.cpp
    sim/node_residents_test.cpp
    sim/sharing_test.cpp
    sim/streaming_test.cpp
    sim/timeline_test.cpp
    sim/two_levels_test.cpp
  LIBS equipoise_test_support equipoise::platforms
)
# The declarations of the energy plugin. The functions are called in the SimGrid that the module
# brings.
target_include_directories(sim_tests SYSTEM PRIVATE ${SIMGRID_INCLUDE_DIRS})
