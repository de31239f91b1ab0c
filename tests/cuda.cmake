# The programs for GPUs, compiled by the host's compiler: tests of them need neither the CUDA
# toolkit nor a GPU. A kernel's threads are fibers of one thread, in which the thread sanitizer would
# find nothing.
if(EQUIPOISE_SANITIZE_THREAD)
  return()
endif()
include(${PROJECT_SOURCE_DIR}/real/cuda/library_sources.cmake)
include(${PROJECT_SOURCE_DIR}/real/kernel_sources.cmake)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/made_for_host/real/gpu/device_code.hpp
  CONTENT "#pragma once\n#include \"tests/support/gpu/device_code_host.hpp\"\n")
# The kernels of limits.cu are those of a benchmark.
set(gpu_kernels ${gpu_program_sources} bench/limits.cu)
list(FILTER gpu_kernels INCLUDE REGEX "\\.cu$")
# Some pragmas are for nvcc only.
set_source_files_properties(${gpu_kernels} PROPERTIES
  LANGUAGE CXX COMPILE_OPTIONS -Wno-unknown-pragmas)
add_library(equipoise_device_code_host STATIC support/gpu/device_code_host.cpp)
target_link_libraries(equipoise_device_code_host PUBLIC equipoise::shared_policies)

# A library `name` of the programs, whose kernels are compiled with the options behind it.
set(gpu_hosts ${gpu_program_sources})
list(FILTER gpu_hosts EXCLUDE REGEX "\\.cu$")
function(equipoise_programs_on_host name)
  add_library(${name}_kernels STATIC ${gpu_kernels})
  # Kernels define the same local names.
  set_target_properties(${name}_kernels PROPERTIES UNITY_BUILD OFF)
  target_include_directories(${name}_kernels PRIVATE ${PROJECT_BINARY_DIR}/made_for_host)
  target_compile_options(${name}_kernels PRIVATE ${ARGN})
  target_link_libraries(${name}_kernels PUBLIC equipoise::real equipoise_device_code_host)
  add_library(${name} STATIC ${gpu_hosts} ${cuda_library_sources})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_link_libraries(${name} PUBLIC ${name}_kernels)
endfunction()
equipoise_programs_on_host(equipoise_gpu_programs_on_host)

# Libraries that take the place of cuBLAS and cuFFT. Tests find them before all others: an RPATH comes
# before LD_LIBRARY_PATH, a RUNPATH after it.
add_library(equipoise_fake_cublas MODULE support/gpu/fake_cublas.cpp)
add_library(equipoise_fake_cufft MODULE support/gpu/fake_cufft.cpp)
target_link_libraries(equipoise_fake_cublas PRIVATE equipoise_build_settings)
target_link_libraries(equipoise_fake_cufft PRIVATE equipoise_build_settings PkgConfig::FFTW)
foreach(library cublas cufft)
  set_target_properties(equipoise_fake_${library} PROPERTIES
    PREFIX "" SUFFIX "" OUTPUT_NAME ${${library}_file}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_libraries)
endforeach()
set_source_files_properties(cuda/libraries_test.cpp PROPERTIES
  COMPILE_DEFINITIONS "CUBLAS_FILE=\"${cublas_file}\";CUFFT_FILE=\"${cufft_file}\"")

equipoise_tests(cuda
  SOURCES
    cuda/compete_test.cpp
    cuda/device_code_test.cpp
    cuda/kmeans_test.cpp
    cuda/libraries_test.cpp
    cuda/limits_test.cpp
    cuda/programs_test.cpp
    bench/item_work.cpp
  LIBS equipoise_gpu_programs_on_host
  SMOKE
)
add_dependencies(cuda_tests equipoise_fake_cublas equipoise_fake_cufft)
set_target_properties(cuda_tests PROPERTIES
  INSTALL_RPATH "$ORIGIN/fake_libraries;${CMAKE_INSTALL_RPATH}")

# The same programs with a look for missing barriers at every access to memory. The address sanitizer
# would be in its way.
if(EQUIPOISE_SANITIZE_ADDRESS)
  return()
endif()
# Full optimisation would remove a read that nobody uses.
set(race_check -fsanitize=thread -Og)
equipoise_programs_on_host(equipoise_gpu_programs_in_race_check ${race_check})
add_library(equipoise_racing_kernels STATIC support/gpu/racing_kernels.cpp)
target_compile_options(equipoise_racing_kernels PRIVATE ${race_check})
target_link_libraries(equipoise_racing_kernels PUBLIC equipoise_device_code_host)
equipoise_tests(cuda_races
  PREFIX Races.
  SOURCES
    cuda/compete_test.cpp
    cuda/kmeans_test.cpp
    cuda/limits_test.cpp
    cuda/programs_test.cpp
    cuda/races_test.cpp
    bench/item_work.cpp
    support/gpu/race_check.cpp
  LIBS equipoise_gpu_programs_in_race_check equipoise_racing_kernels
)
add_dependencies(cuda_races_tests equipoise_fake_cublas equipoise_fake_cufft)
set_target_properties(cuda_races_tests PROPERTIES
  INSTALL_RPATH "$ORIGIN/fake_libraries;${CMAKE_INSTALL_RPATH}")
