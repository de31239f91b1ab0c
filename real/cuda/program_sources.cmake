# The programs for CUDA devices. Used twice: nvcc compiles them for units, and the host's compiler
# for tests (tests/cuda.cmake).
set(cuda_program_sources
  ${CMAKE_CURRENT_LIST_DIR}/library.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs/binomial.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/blackscholes.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/compete.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/fft2d.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs/fourier_filter.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/gaussian.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/grn.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/kmeans.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/kmeans_undecided.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/mandelbrot.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/matmul.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs/nbody.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/taylor.cu
)
# Kernels that must give the bits of the CPU's programs: no products are contracted with sums.
set(cuda_exact_sources
  ${CMAKE_CURRENT_LIST_DIR}/programs/kmeans_undecided.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/mandelbrot.cu
)
# The libraries that are opened at run time: those of the toolkit's major version. A build without
# the toolkit has tests only, for which any version does.
string(REGEX MATCH "^[0-9]+" cuda_major "${EQUIPOISE_CUDA_VERSION}")
if(NOT cuda_major)
  set(cuda_major 13)
endif()
math(EXPR cufft_major "${cuda_major} - 1")
set(cublas_file libcublas.so.${cuda_major})
set(cufft_file libcufft.so.${cufft_major})
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/programs/matmul.cpp PROPERTIES
  COMPILE_DEFINITIONS CUBLAS_FILE="${cublas_file}")
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/programs/fft2d.cpp PROPERTIES
  COMPILE_DEFINITIONS CUFFT_FILE="${cufft_file}")
