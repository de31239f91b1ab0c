# A library that takes the place of NVML, which comes with NVIDIA's driver.
add_library(equipoise_fake_nvml MODULE support/gpu/fake_nvml.cpp)
target_link_libraries(equipoise_fake_nvml PRIVATE equipoise_build_settings)
set_target_properties(equipoise_fake_nvml PROPERTIES
  PREFIX "lib" SUFFIX ".so" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_libraries)

# Kernels, unit specifications, memory, the emulated device, meters, and sizes that are recorded.
equipoise_tests(real
  SOURCES
    real/kernels/binomial_test.cpp
    real/kernels/fft2d_test.cpp
    real/kernels/gaussian_test.cpp
    real/kernels/grn_test.cpp
    real/kernels/kernel_contract_test.cpp
    real/kernels/kernels_test.cpp
    real/kernels/kmeans_test.cpp
    real/kernels/mandelbrot_test.cpp
    real/kernels/nbody_test.cpp
    real/kernels/synthetic_test.cpp
    real/kernels/taylor_test.cpp
    real/meters/nvml_test.cpp
    real/meters/powercap_test.cpp
    real/recording/cost_finder_test.cpp
    real/recording/size_plan_test.cpp
    real/recording/unit_watts_test.cpp
    real/device_clock_test.cpp
    real/emulated_device_test.cpp
    real/link_rates_test.cpp
    real/unit_memory_test.cpp
    real/unit_spec_test.cpp
  LIBS equipoise::real
  SMOKE
  PACKED
)
add_dependencies(real_tests equipoise_fake_nvml)
set_target_properties(real_tests PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;$ORIGIN/fake_libraries")
install(TARGETS equipoise_fake_nvml
  LIBRARY DESTINATION tests/fake_libraries COMPONENT archive EXCLUDE_FROM_ALL)

# Processes of the user's. The thread sanitizer has its own way with vfork.
if(NOT EQUIPOISE_SANITIZE_THREAD)
  equipoise_tests(commands_of_work
    SOURCES
      real/commands/command_kernel_test.cpp
      real/commands/command_process_test.cpp
    LIBS equipoise::real
    SMOKE)
endif()

# Tests with threads: real and paced workers, how threads wait for one another, recording, and the
# thread that writes run files.
equipoise_tests(threads
  SOURCES
    device_contract_test.cpp
    real/automatic_timeout_test.cpp
    real/core_watch_test.cpp
    real/device_failures_test.cpp
    real/emulated_subjects.cpp
    real/emulated_test.cpp
    real/loop/pulled_unit_test.cpp
    real/nodes/clock_offset_test.cpp
    real/nodes/communicator_test.cpp
    real/nodes/held_links_test.cpp
    real/nodes/nodes_test.cpp
    real/nodes/rank_placement_test.cpp
    real/nodes/remote_stages_test.cpp
    real/nodes/thread_ranks.cpp
    real/paced_test.cpp
    real/probe_test.cpp
    real/real_executor_test.cpp
    real/take_back_test.cpp
    real/two_levels_test.cpp
    real/meters/meter_sampler_test.cpp
    real/recording/cost_recorder_test.cpp
    real/recording/recorded_watts_test.cpp
    real/recording/recorder_test.cpp
    real/recording/unit_recorder_test.cpp
    real/scenario_test.cpp
    real/waiting_test.cpp
    traces/journal_queue_test.cpp
  LIBS equipoise::real equipoise::traces
  ALONE
  PACKED
)
add_dependencies(threads threads_tests)
add_dependencies(threads_tests equipoise_fake_nvml)
set_target_properties(threads_tests PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;$ORIGIN/fake_libraries")
