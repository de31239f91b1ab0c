# The policies, each on schedules that were worked out by hand.
equipoise_tests(policies
  SOURCES
    block_groups_test.cpp
    policies_next_block_test.cpp
    policy_acosta_test.cpp
    policy_adaptive_factoring_test.cpp
    policy_baselines_test.cpp
    policy_catalog_test.cpp
    policy_dlb_gpu_test.cpp
    policy_energy_alpha_test.cpp
    policy_equipoise_test.cpp
    policy_hdss_test.cpp
    policy_fpm_limited_test.cpp
    policy_hierarchical_test.cpp
    policy_known_schedule_test.cpp
    policy_loop_self_scheduling_test.cpp
    policy_loop_sizes_test.cpp
    policy_membership_test.cpp
    policy_plb_hac_test.cpp
    policy_plb_hec_test.cpp
    policy_profiled_split_test.cpp
  LIBS equipoise_test_support
)
