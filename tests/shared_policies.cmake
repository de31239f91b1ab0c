# The nouns and the run loop.
add_library(equipoise_test_support STATIC support/fake_executor.cpp)
target_link_libraries(equipoise_test_support PUBLIC equipoise::shared_policies)

equipoise_tests(run
  SOURCES model_test.cpp pool_test.cpp results_test.cpp run_loop_test.cpp spec_test.cpp
  LIBS equipoise_test_support)

equipoise_tests(source_tree SOURCES source_tree_test.cpp LIBS equipoise_build_settings)
