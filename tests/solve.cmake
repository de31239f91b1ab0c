# Fits and solvers, and the policies that rest on them.
equipoise_tests(solve
  SOURCES
    fit_test.cpp
    policy_baselines_test.cpp
    policy_catalog_test.cpp
    policy_plb_hec_test.cpp
    solve_agreement_test.cpp
    solve_equal_finish_test.cpp
    solve_lower_bound_test.cpp
  LIBS equipoise_test_support
)
