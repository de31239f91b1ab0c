# The sources of kernels, and of their programs for GPUs.
set(kernels
  kernels/binomial/binomial.cpp
  kernels/blackscholes/blackscholes.cpp
  kernels/catalog.cpp
  kernels/columns.cpp
  kernels/empty.cpp
  kernels/fft2d/fft2d.cpp
  kernels/fft2d/fourier_transform.cpp
  kernels/gaussian/gaussian.cpp
  kernels/grn/grn.cpp
  kernels/kmeans/kmeans.cpp
  kernels/mandelbrot/mandelbrot.cpp
  kernels/matmul/matmul.cpp
  kernels/nbody/nbody.cpp
  kernels/synthetic/synthetic.cpp
  kernels/taylor/taylor.cpp
)
# Loops that the compiler must vectorise.
set(vectorised
  kernels/gaussian/blur.cpp
  kernels/mandelbrot/escape_time.cpp
  kernels/nbody/gravity.cpp
  kernels/kmeans/kmeans_check.cpp
  kernels/binomial/lattice_price.cpp
  kernels/kmeans/nearest.cpp
  kernels/blackscholes/option_price.cpp
  kernels/grn/pair_search.cpp
  kernels/synthetic/congruences.cpp
  kernels/taylor/taylor_series.cpp
)
# The programs for GPUs, but for those that call a maker's libraries. Used twice: a compiler for GPUs
# compiles them for units, and the host's compiler for tests (tests/cuda.cmake).
set(gpu_program_sources
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs.cpp
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/binomial.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/blackscholes.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/compete.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/fourier_filter.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/gaussian.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/grn.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/kmeans.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/kmeans_undecided.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/mandelbrot.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/nbody.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/synthetic.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/taylor.cu
)
# Kernels that must give the bits of the CPU's programs: no products are contracted with sums.
set(gpu_exact_sources
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/kmeans_undecided.cu
  ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/mandelbrot.cu
)
# Kernels that keep an array of each thread in memory, because no registers have room for it: binomial,
# where a lattice has more steps than a block of threads has bands for.
set(gpu_local_memory_sources ${CMAKE_CURRENT_LIST_DIR}/gpu/programs/binomial.cu)
