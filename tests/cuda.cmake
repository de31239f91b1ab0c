# The programs for CUDA devices, compiled by the host's compiler: tests of them need neither the CUDA
# toolkit nor a GPU. A kernel's threads are fibers of one thread, in which the thread sanitizer would
# find nothing.
if(EQUIPOISE_SANITIZE_THREAD)
  return()
endif()
include(${PROJECT_SOURCE_DIR}/real/cuda/program_sources.cmake)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/made_for_host/real/cuda/device_code.hpp
  CONTENT "#pragma once\n#include \"tests/support/device_code_host.hpp\"\n")
set(cuda_kernels ${cuda_program_sources})
list(FILTER cuda_kernels INCLUDE REGEX "\\.cu$")
set_source_files_properties(${cuda_kernels} PROPERTIES LANGUAGE CXX)
add_library(equipoise_cuda_programs_on_host STATIC
  ${cuda_program_sources} support/device_code_host.cpp)
# Kernels define the same local names.
set_target_properties(equipoise_cuda_programs_on_host PROPERTIES UNITY_BUILD OFF)
target_include_directories(equipoise_cuda_programs_on_host
  PRIVATE ${PROJECT_BINARY_DIR}/made_for_host)
target_link_libraries(equipoise_cuda_programs_on_host PUBLIC equipoise::real)

equipoise_tests(cuda
  SOURCES cuda/device_code_test.cpp cuda/programs_test.cpp
  LIBS equipoise_cuda_programs_on_host
  SMOKE
)
