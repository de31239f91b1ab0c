# Real workers, kernels and recording.
equipoise_tests(real
  SOURCES
    real_executor_test.cpp
    real_kernel_binomial_test.cpp
    real_kernel_contract_test.cpp
    real_kernel_fft2d_test.cpp
    real_kernel_gaussian_test.cpp
    real_kernel_grn_test.cpp
    real_kernel_kmeans_test.cpp
    real_kernel_mandelbrot_test.cpp
    real_kernel_nbody_test.cpp
    real_kernel_taylor_test.cpp
    real_kernels_test.cpp
    real_paced_test.cpp
    real_recorder_test.cpp
    real_size_plan_test.cpp
    real_scenario_test.cpp
    real_unit_spec_test.cpp
    real_waiting_test.cpp
  LIBS equipoise::real
)
