# Finds the CUDA toolkit and enables the language. Included at the top, because only there CMake lets
# all targets link with CUDA. Afterwards EQUIPOISE_HAS_CUDA says whether there are CUDA units, and
# EQUIPOISE_CUDA_VERSION is that of the toolkit, such as 13.0.
set(EQUIPOISE_CUDA AUTO CACHE STRING "CUDA units: ON, OFF, or AUTO, which is ON if there is a toolkit that works")
set_property(CACHE EQUIPOISE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(EQUIPOISE_CUDA_ARCHITECTURES "75-real;80-real;86-real;89-real;90-real;100"
  CACHE STRING "The GPUs for which kernels are compiled; those newer than the last one compile its code when they load it")
set(EQUIPOISE_HAS_CUDA OFF)
set(cuda_oldest 12.5)  # the first with cudaGetDriverEntryPointByVersion

# Sets `nvcc` and `version`, and `why_not` if it cannot be used, to "" if it can.
function(equipoise_find_nvcc nvcc version why_not)
  # The default paths are those of system prefixes, such as /usr.
  find_program(EQUIPOISE_NVCC nvcc
    HINTS ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin cuda/bin DOC "The CUDA compiler")
  set(${nvcc} ${EQUIPOISE_NVCC} PARENT_SCOPE)
  if(NOT EQUIPOISE_NVCC)
    set(${why_not} "no nvcc; CUDA_HOME can say where the toolkit is" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${EQUIPOISE_NVCC} --version OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" release "${said}")
  set(found ${CMAKE_MATCH_1})
  set(${version} "${found}" PARENT_SCOPE)
  if(NOT found OR found VERSION_LESS cuda_oldest)
    set(${why_not} "nvcc is of CUDA '${found}', and ${cuda_oldest} or newer is needed" PARENT_SCOPE)
    return()
  endif()
  set(source ${PROJECT_BINARY_DIR}/made/nvcc_try.cu)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <vector>\nstd::vector<int> tried;\n")
  execute_process(
    COMMAND ${EQUIPOISE_NVCC} -ccbin ${CMAKE_CXX_COMPILER} -std=c++20 -c ${source} -o ${source}.o
    RESULT_VARIABLE failed ERROR_VARIABLE said OUTPUT_VARIABLE said)
  if(failed)
    set(${why_not} "nvcc does not work with this C++ compiler: ${said}" PARENT_SCOPE)
    return()
  endif()
  set(${why_not} "" PARENT_SCOPE)
endfunction()

if(NOT EQUIPOISE_CUDA)
  return()
endif()
if(CMAKE_CUDA_COMPILER)  # chosen by the user, or by the last configuration
  set(EQUIPOISE_NVCC ${CMAKE_CUDA_COMPILER})
endif()
equipoise_find_nvcc(cuda_nvcc EQUIPOISE_CUDA_VERSION cuda_why_not)
if(cuda_why_not AND EQUIPOISE_CUDA STREQUAL "AUTO")
  message(STATUS "CUDA: none (${cuda_why_not}); there will be no CUDA units")
  return()
endif()
if(cuda_why_not)
  message(FATAL_ERROR "EQUIPOISE_CUDA is ${EQUIPOISE_CUDA}: ${cuda_why_not}")
endif()

set(CMAKE_CUDA_COMPILER ${cuda_nvcc})
set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
# Before the language is enabled: the default of CMake 3.25 does not exist in CUDA 13 any more.
set(CMAKE_CUDA_ARCHITECTURES ${EQUIPOISE_CUDA_ARCHITECTURES})
if(CCACHE_PROGRAM)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
enable_language(CUDA)
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has C++20
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
find_package(CUDAToolkit REQUIRED)
set(EQUIPOISE_HAS_CUDA ON)
message(STATUS "CUDA: ${EQUIPOISE_CUDA_VERSION}, for ${EQUIPOISE_CUDA_ARCHITECTURES}")
