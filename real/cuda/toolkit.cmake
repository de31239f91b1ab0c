# Finds the CUDA toolkit and enables the language. Included at the top, because only there CMake lets
# all targets link with CUDA. Afterwards EQUIPOISE_HAS_CUDA says whether there are CUDA units, and
# EQUIPOISE_CUDA_VERSION is that of the toolkit, such as 13.0.
set(EQUIPOISE_CUDA AUTO CACHE STRING "CUDA units: ON, OFF, or AUTO, which is ON if there is a toolkit that works")
set_property(CACHE EQUIPOISE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(EQUIPOISE_CUDA_ARCHITECTURES AUTO CACHE STRING
  "The GPUs for which kernels are compiled, such as 80-real;90; those newer than the last one compile its code when they load it; AUTO: all that the toolkit knows")
set(EQUIPOISE_HAS_CUDA OFF)
include(${CMAKE_CURRENT_LIST_DIR}/nvcc.cmake)

# Sets `nvcc`, `version` and `host`, the C++ compiler that nvcc works with, and `why_not` if they cannot
# be used, to "" if they can.
function(equipoise_find_nvcc nvcc version host why_not)
  # The default paths are those of system prefixes, such as /usr.
  find_program(EQUIPOISE_NVCC nvcc
    HINTS ENV CUDA_HOME ENV CUDA_PATH PATH_SUFFIXES bin cuda/bin DOC "The CUDA compiler")
  set(${nvcc} ${EQUIPOISE_NVCC} PARENT_SCOPE)
  if(NOT EQUIPOISE_NVCC)
    set(${why_not} "no nvcc; CUDA_HOME can say where the toolkit is" PARENT_SCOPE)
    return()
  endif()
  equipoise_version_of_nvcc(${EQUIPOISE_NVCC} found failure)
  if(NOT failure)
    set(compilers ${CMAKE_CUDA_HOST_COMPILER} $ENV{CUDAHOSTCXX})  # chosen by the user
    if(NOT compilers)
      # An older nvcc does not work with the newest compiler of a system, which often has another one.
      set(compilers ${CMAKE_CXX_COMPILER})
      foreach(release 14 13 12)
        find_program(gxx_${release} g++-${release} NO_CACHE)
        if(gxx_${release})
          list(APPEND compilers ${gxx_${release}})
        endif()
      endforeach()
    endif()
    equipoise_host_compiler_of_nvcc(
      ${EQUIPOISE_NVCC} found_host failure ${PROJECT_BINARY_DIR}/made ${compilers})
  endif()
  set(${version} "${found}" PARENT_SCOPE)
  set(${host} "${found_host}" PARENT_SCOPE)
  set(${why_not} "${failure}" PARENT_SCOPE)
endfunction()

if(NOT EQUIPOISE_CUDA)
  return()
endif()
if(CMAKE_CUDA_COMPILER)  # chosen by the user, or by the last configuration
  set(EQUIPOISE_NVCC ${CMAKE_CUDA_COMPILER})
endif()
equipoise_find_nvcc(cuda_nvcc EQUIPOISE_CUDA_VERSION cuda_host_compiler cuda_why_not)
if(cuda_why_not AND EQUIPOISE_CUDA STREQUAL "AUTO")
  message(STATUS "CUDA: none (${cuda_why_not}); there will be no CUDA units")
  return()
endif()
if(cuda_why_not)
  message(FATAL_ERROR "EQUIPOISE_CUDA is ${EQUIPOISE_CUDA}: ${cuda_why_not}")
endif()

set(CMAKE_CUDA_COMPILER ${cuda_nvcc})
set(CMAKE_CUDA_HOST_COMPILER ${cuda_host_compiler})
# Before the language is enabled: the default of CMake 3.25 does not exist in CUDA 13 any more.
set(CMAKE_CUDA_ARCHITECTURES ${EQUIPOISE_CUDA_ARCHITECTURES})
if(EQUIPOISE_CUDA_ARCHITECTURES STREQUAL "AUTO")
  equipoise_architectures_of_nvcc(${cuda_nvcc} CMAKE_CUDA_ARCHITECTURES)
endif()
if(CCACHE_PROGRAM)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
enable_language(CUDA)
# The C++ compiler links with its own libraries, not with older ones of the compiler that nvcc uses.
list(FILTER CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES EXCLUDE REGEX "/gcc/")
if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has C++20
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
find_package(CUDAToolkit REQUIRED)
set(EQUIPOISE_HAS_CUDA ON)
message(STATUS "CUDA: ${EQUIPOISE_CUDA_VERSION} with ${cuda_host_compiler}, for ${CMAKE_CUDA_ARCHITECTURES}")
