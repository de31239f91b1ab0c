# Fits and solvers.
equipoise_tests(solve
  SOURCES
    fit_copy_test.cpp
    fit_pipeline_cost_test.cpp
    fit_running_cost_test.cpp
    fit_test.cpp
    solve_agreement_test.cpp
    solve_energy_search_test.cpp
    solve_energy_split_test.cpp
    solve_closed_forms_test.cpp
    solve_equal_finish_test.cpp
    solve_grain_deal_test.cpp
    solve_lower_bound_scenario_test.cpp
    solve_lower_bound_test.cpp
  LIBS equipoise_test_support
)
