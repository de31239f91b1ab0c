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
  set(only_with_12_4)
  if(EQUIPOISE_CUDA_VERSION VERSION_LESS 12.5)
    set(only_with_12_4 support/gpu/fake_cuda_12_4.cpp)
  endif()
  equipoise_tests(fake_gpu
    SOURCES ${gpu_tests} cuda/gpu_shares_test.cpp cuda/fake_gpu_test.cpp
      cuda/gpu_parts_test.cpp support/gpu/fake_cuda.cpp support/gpu/fake_cuda_memory.cpp
      support/gpu/fake_cuda_parts.cpp support/gpu/fake_cuda_driver.cpp support/gpu/fake_cuda_programs.cpp
      ${only_with_12_4}
    LIBS ${gpu_libraries} CUDA::cudart_static
    PREFIX OnFakeGpu.
    ALONE
    SMOKE
  )
  add_dependencies(threads fake_gpu_tests)

  # What only builds with CUDA 12.4 contain. Newer toolkits call the function deprecated.
  set(driver_entry_of_12_4 ${PROJECT_SOURCE_DIR}/real/cuda/driver_entry_of_12_4.cpp)
  set_source_files_properties(${driver_entry_of_12_4} support/gpu/fake_cuda_12_4.cpp
    PROPERTIES COMPILE_OPTIONS -Wno-deprecated-declarations)
  equipoise_tests(driver_entry
    SOURCES cuda/driver_entry_test.cpp ${driver_entry_of_12_4}
      ${PROJECT_SOURCE_DIR}/real/cuda/cuda_call.cpp support/gpu/fake_cuda_12_4.cpp
    LIBS equipoise_build_settings fmt::fmt CUDA::toolkit
    SMOKE
  )
  set_target_properties(driver_entry_tests PROPERTIES UNITY_BUILD OFF)
endif()

# What the build makes of CUDA's compiler, with compilers that are not here.
foreach(case IsRefusedIfItIsTooOld CompilesForTheGpusThatItKnows WorksWithTheFirstCompilerThatItTakes)
  add_test(NAME Nvcc.${case}
    COMMAND ${CMAKE_COMMAND} -DCASE=${case} -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/nvcc/${case}
      -DNVCC_CMAKE=${PROJECT_SOURCE_DIR}/real/cuda/nvcc.cmake
      -P ${CMAKE_CURRENT_SOURCE_DIR}/cuda/nvcc_test.cmake)
  set_tests_properties(Nvcc.${case} PROPERTIES LABELS gpu-smoke TIMEOUT 300)
endforeach()
