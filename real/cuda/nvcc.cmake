# What can be asked of CUDA's compiler. Used by toolkit.cmake, and by tests with other nvccs than the one
# that is here (tests/cuda/nvcc_test.cmake).
set(cuda_oldest 12.4)  # the first whose headers know parts of GPUs

# Sets `version` to that of `nvcc`, and `why_not` if it is none that can be used, to "" if it is.
function(equipoise_version_of_nvcc nvcc version why_not)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" release "${said}")
  set(found ${CMAKE_MATCH_1})
  set(${version} "${found}" PARENT_SCOPE)
  set(${why_not} "" PARENT_SCOPE)
  if(NOT found OR found VERSION_LESS cuda_oldest)
    set(${why_not} "nvcc is of CUDA '${found}', and ${cuda_oldest} or newer is needed" PARENT_SCOPE)
  endif()
endfunction()

# Sets `host` to the first of the C++ compilers after `folder` that `nvcc` can use, and `why_not` if
# there is none, to "" if there is. Writes files into `folder`.
function(equipoise_host_compiler_of_nvcc nvcc host why_not folder)
  set(source ${folder}/nvcc_try.cu)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include <vector>\nstd::vector<int> tried;\n")
  set(failures)
  foreach(compiler IN LISTS ARGN)
    execute_process(
      COMMAND ${nvcc} -ccbin ${compiler} -std=c++20 -c ${source} -o ${source}.o
      RESULT_VARIABLE failed ERROR_VARIABLE said OUTPUT_VARIABLE said)
    if(NOT failed)
      set(${host} ${compiler} PARENT_SCOPE)
      set(${why_not} "" PARENT_SCOPE)
      return()
    endif()
    string(APPEND failures "\n${compiler}: ${said}")
  endforeach()
  set(${why_not} "nvcc works with no C++ compiler that is here; CMAKE_CUDA_HOST_COMPILER can name \
another one:${failures}" PARENT_SCOPE)
endfunction()

# Sets `architectures` to the GPUs for which kernels are compiled unless the user says so: those of
# compute capability 7.5 and newer that `nvcc` knows, one of each kind whose code the others run. The
# code of the newest one is also kept for those that come later.
function(equipoise_architectures_of_nvcc nvcc architectures)
  execute_process(COMMAND ${nvcc} --list-gpu-code OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX MATCHALL "sm_[0-9]+" known "${said}")
  set(chosen)
  foreach(architecture 75 80 86 89 90 100 120)
    if(sm_${architecture} IN_LIST known)
      list(APPEND chosen ${architecture}-real)
    endif()
  endforeach()
  string(REGEX REPLACE "-real$" "" chosen "${chosen}")
  set(${architectures} "${chosen}" PARENT_SCOPE)
endfunction()
