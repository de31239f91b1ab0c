# The programs for GPUs, but for those that call a maker's libraries. Used twice: a compiler for GPUs
# compiles them for units, and the host's compiler for tests (tests/cuda.cmake).
set(gpu_program_sources
  ${CMAKE_CURRENT_LIST_DIR}/programs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs/binomial.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/blackscholes.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/compete.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/fourier_filter.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/gaussian.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/grn.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/kmeans.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/kmeans_undecided.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/mandelbrot.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/nbody.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/taylor.cu
)
# Kernels that must give the bits of the CPU's programs: no products are contracted with sums.
set(gpu_exact_sources
  ${CMAKE_CURRENT_LIST_DIR}/programs/kmeans_undecided.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/mandelbrot.cu
)
# Kernels that keep an array of each thread in memory, because no registers have room for it: binomial,
# where a lattice has more steps than a block of threads has bands for.
set(gpu_local_memory_sources ${CMAKE_CURRENT_LIST_DIR}/programs/binomial.cu)
