# The programs that call libraries of the CUDA toolkit, which are opened at run time: those of the
# toolkit's major version. A build without the toolkit has tests only, for which any version does.
set(cuda_library_sources
  ${CMAKE_CURRENT_LIST_DIR}/cublas_matmul.cpp
  ${CMAKE_CURRENT_LIST_DIR}/cufft_fft2d.cpp
  ${CMAKE_CURRENT_LIST_DIR}/library.cpp
)
string(REGEX MATCH "^[0-9]+" cuda_major "${EQUIPOISE_CUDA_VERSION}")
if(NOT cuda_major)
  set(cuda_major 13)
endif()
math(EXPR cufft_major "${cuda_major} - 1")
set(cublas_file libcublas.so.${cuda_major})
set(cufft_file libcufft.so.${cufft_major})
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/cublas_matmul.cpp PROPERTIES
  COMPILE_DEFINITIONS CUBLAS_FILE="${cublas_file}")
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/cufft_fft2d.cpp PROPERTIES
  COMPILE_DEFINITIONS CUFFT_FILE="${cufft_file}")
