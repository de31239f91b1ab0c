# CUDA units. Tests that need a GPU are skipped, with the reason, where there is none. In a build with
# CUDA the same tests and some more run on a GPU that is not there: a stand-in for CUDA's library.
set(gpu_tests cuda/cuda_unit_test.cpp)
set(gpu_libraries equipoise::real)
if(EQUIPOISE_HAS_CUDA)
  add_subdirectory(bench)
  list(APPEND gpu_libraries equipoise_gpu_limits)
  list(APPEND gpu_tests cuda/cuda_device_test.cpp cuda/cuda_subjects.cpp device_contract_test.cpp)
endif()
equipoise_tests(gpu
  SOURCES ${gpu_tests}
  LIBS ${gpu_libraries}
  ALONE
  SMOKE
  PACKED
)
if(EQUIPOISE_HAS_CUDA)
  equipoise_tests(fake_gpu
    SOURCES ${gpu_tests} cuda/gpu_shares_test.cpp cuda/fake_gpu_test.cpp
      cuda/gpu_parts_test.cpp support/gpu/fake_cuda.cpp support/gpu/fake_cuda_memory.cpp
      support/gpu/fake_cuda_parts.cpp support/gpu/fake_driver.cpp support/gpu/fake_programs.cpp
    LIBS ${gpu_libraries} CUDA::cudart_static
    PREFIX OnFakeGpu.
    ALONE
    SMOKE
  )
  add_dependencies(threads fake_gpu_tests)
endif()
