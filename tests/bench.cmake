# How fast, as ratios measured in one run (Google Benchmark); ctest runs each once so that it lives.
add_executable(equipoise_bench
  bench/bare_simgrid.cpp
  bench/real_bench.cpp
  bench/sim_bench.cpp
  bench/solve_bench.cpp
)
target_link_libraries(equipoise_bench PRIVATE
  equipoise_test_support equipoise::sim equipoise::real equipoise::traces fmt::fmt PkgConfig::SIMGRID
  benchmark::benchmark_main)
