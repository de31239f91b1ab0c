# Benchmarks (Google Benchmark): speeds, as ratios of times measured in one run. ctest runs the
# short ones to check that they still work.
add_library(equipoise_bare_simgrid MODULE bench/bare_simgrid.cpp)
set_target_properties(equipoise_bare_simgrid PROPERTIES PREFIX "" SUFFIX .so)
target_link_libraries(equipoise_bare_simgrid PRIVATE equipoise_build_settings PkgConfig::SIMGRID)

add_executable(equipoise_bench
  bench/command_bench.cpp
  bench/grid_kernel_bench.cpp
  bench/point_kernel_bench.cpp
  bench/policy_bench.cpp
  bench/real_bench.cpp
  bench/root_loop.cpp
  bench/sim_bench.cpp
  bench/solve_bench.cpp
)
# It has functions of the same names as real_bench.cpp.
set_source_files_properties(bench/sim_bench.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# The loops that measure what the machine can do are compiled with the options of the kernels.
set_source_files_properties(bench/root_loop.cpp PROPERTIES
  COMPILE_OPTIONS "-O3;-fno-math-errno;-fno-trapping-math")
target_link_libraries(equipoise_bench PRIVATE
  equipoise_test_support equipoise::sim equipoise::real equipoise::traces fmt::fmt PkgConfig::FFTW
  PkgConfig::OPENBLAS benchmark::benchmark_main)
add_dependencies(equipoise_bench equipoise_bare_simgrid)
# For vectors.hpp.
target_include_directories(equipoise_bench PRIVATE ${PROJECT_BINARY_DIR}/made)
add_dependencies(smoke equipoise_bench)

# The bare MPI program, with which tests/bench/node-costs compares runs on nodes.
if(MPI_FOUND)
  add_executable(equipoise_bare_mpi bench/bare_mpi.cpp)
  target_link_libraries(equipoise_bare_mpi PRIVATE equipoise_build_settings PkgConfig::MPI)
  target_compile_definitions(equipoise_bare_mpi PRIVATE OMPI_SKIP_MPICXX)
endif()

# What a GPU can do. The limits of kernels are known where there are CUDA units.
add_executable(equipoise_gpu_bench bench/gpu_run_bench.cpp)
if(EQUIPOISE_HAS_CUDA)
  target_sources(equipoise_gpu_bench PRIVATE bench/gpu_kernel_bench.cpp bench/item_work.cpp)
  target_link_libraries(equipoise_gpu_bench PRIVATE equipoise_gpu_limits)
endif()
target_link_libraries(equipoise_gpu_bench PRIVATE
  equipoise_test_support equipoise::real fmt::fmt benchmark::benchmark_main)
add_dependencies(smoke equipoise_gpu_bench)
add_test(NAME gpu_benchmark_lives COMMAND equipoise_gpu_bench
  "--benchmark_filter=controller/greedy|together/taylor|limits|beside_limit/grn")
set_tests_properties(gpu_benchmark_lives PROPERTIES LABELS smoke TIMEOUT 300
  ENVIRONMENT "EQUIPOISE_GPU=emulated;EQUIPOISE_BENCH_SIZE=0.001")

add_test(NAME benchmark_lives COMMAND equipoise_bench --benchmark_min_time=0.01
  --benchmark_filter=controller_blocks/af/units:2|equal_finish_direct|fit|lower_bound_disturbed/units:28|one_shared_link/units:8|real_matmul/rows:768|units:2/slots:2|emulated_overlap/copies:100/slots:3)
set_tests_properties(benchmark_lives PROPERTIES LABELS smoke TIMEOUT 300)
