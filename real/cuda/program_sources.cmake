# The programs for CUDA devices. Used twice: nvcc compiles them for units, and the host's compiler for
# tests (tests/cuda.cmake).
set(cuda_program_sources
  ${CMAKE_CURRENT_LIST_DIR}/programs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/programs/binomial.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/blackscholes.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/mandelbrot.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/nbody.cu
  ${CMAKE_CURRENT_LIST_DIR}/programs/taylor.cu
)
# Kernels that must give the bits of the CPU's programs: no products are contracted with sums.
set(cuda_exact_sources
  ${CMAKE_CURRENT_LIST_DIR}/programs/mandelbrot.cu
)
