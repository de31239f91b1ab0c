# The policies, each tested on schedules that were worked out by hand.
equipoise_tests(policies
  SOURCES
    shared_policies/divide/energy_alpha_test.cpp
    shared_policies/divide/optimum_schedule_test.cpp
    shared_policies/equipoise/equipoise_test.cpp
    shared_policies/equipoise/next_block_test.cpp
    shared_policies/hierarchical/block_groups_test.cpp
    shared_policies/hierarchical/fpm_limited_test.cpp
    shared_policies/hierarchical/hierarchical_test.cpp
    shared_policies/loop/adaptive_factoring_test.cpp
    shared_policies/loop/item_variance_test.cpp
    shared_policies/loop/loop_self_scheduling_test.cpp
    shared_policies/loop/loop_sizes_test.cpp
    shared_policies/loop/profiled_split_test.cpp
    shared_policies/plb/dlb_gpu_test.cpp
    shared_policies/plb/plb_hac_test.cpp
    shared_policies/plb/plb_hec_test.cpp
    shared_policies/plb/wrong_fits_test.cpp
    shared_policies/policies/acosta_test.cpp
    shared_policies/policies/baselines_test.cpp
    shared_policies/policies/catalog_test.cpp
    shared_policies/policies/hdss_test.cpp
    shared_policies/policies/membership_test.cpp
    shared_policies/policies/probed_start_test.cpp
    shared_policies/policies/published_test.cpp
  LIBS equipoise_test_support
)
