# Cost fits and solvers.
equipoise_tests(solve
  SOURCES
    shared_policies/divide/energy_search_test.cpp
    shared_policies/divide/energy_split_test.cpp
    shared_policies/equipoise/list_scheduling_test.cpp
    shared_policies/equipoise/pipeline_cost_test.cpp
    shared_policies/equipoise/running_cost_test.cpp
    shared_policies/fit/copy_fit_test.cpp
    shared_policies/fit/fit_test.cpp
    shared_policies/solve/agreement_test.cpp
    shared_policies/solve/closed_forms_test.cpp
    shared_policies/solve/equal_finish_test.cpp
    shared_policies/solve/lower_bound_node_test.cpp
    shared_policies/solve/lower_bound_device_test.cpp
    shared_policies/solve/lower_bound_own_copies_test.cpp
    shared_policies/solve/lower_bound_scenario_test.cpp
    shared_policies/solve/lower_bound_stream_test.cpp
    shared_policies/solve/lower_bound_test.cpp
    shared_policies/solve/pareto_front_test.cpp
  LIBS equipoise_test_support
)
