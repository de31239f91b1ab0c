# Tests of what the build makes of CUDA's compiler (real/cuda/nvcc.cmake), with compilers that are not
# here: cmake -DCASE=NAME -DFOLDER=FOLDER -DNVCC_CMAKE=FILE -P nvcc_test.cmake. tests/gpu.cmake names the
# cases.
cmake_minimum_required(VERSION 3.25)
include(${NVCC_CMAKE})
file(MAKE_DIRECTORY ${FOLDER})

# An nvcc of CUDA `version` that knows the GPUs `known` and works with the C++ compilers named *`works_with`.
function(make_nvcc version known works_with)
  file(WRITE ${FOLDER}/nvcc "#!/bin/sh
case $1 in
  --version) echo 'Cuda compilation tools, release ${version}, V${version}.131' ;;
  --list-gpu-code) printf 'sm_%s\\n' ${known} ;;
  -ccbin) case $2 in *${works_with}) exit 0 ;; esac; echo unsupported GNU version >&2; exit 1 ;;
esac
")
  file(CHMOD ${FOLDER}/nvcc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

function(expect what found expected)
  if(NOT found STREQUAL expected)
    message(SEND_ERROR "${what} is '${found}' and not '${expected}'")
  endif()
endfunction()

# What is made of the version of an nvcc.
function(expect_version version why_not)
  make_nvcc(${version} "90" g++)
  equipoise_version_of_nvcc(${FOLDER}/nvcc found found_why_not)
  expect("the version" "${found}" ${version})
  expect("why not ${version}" "${found_why_not}" "${why_not}")
endfunction()

# For which GPUs kernels are compiled where an nvcc knows those that `known` names.
function(expect_architectures known architectures)
  make_nvcc(12.4 "${known}" g++)
  equipoise_architectures_of_nvcc(${FOLDER}/nvcc found)
  expect("the list for ${known}" "${found}" "${architectures}")
endfunction()

# Which of two C++ compilers is chosen, and why none is.
function(expect_host works_with host why_not)
  make_nvcc(12.4 "90" ${works_with})
  set(found)
  equipoise_host_compiler_of_nvcc(${FOLDER}/nvcc found found_why_not ${FOLDER} /bin/g++ /bin/g++-13)
  expect("the compiler" "${found}" "${host}")
  expect("why none" "${found_why_not}" "${why_not}")
endfunction()

if(CASE STREQUAL "IsRefusedIfItIsTooOld")
  expect_version(11.8 "nvcc is of CUDA '11.8', and 12.4 or newer is needed")  # Debian 12
  expect_version(12.0 "nvcc is of CUDA '12.0', and 12.4 or newer is needed")  # Ubuntu 24.04
  expect_version(12.4 "")  # Debian 13
  expect_version(12.10 "")
  expect_version(13.0 "")
elseif(CASE STREQUAL "CompilesForTheGpusThatItKnows")
  set(of_12_0 50 52 53 60 61 62 70 72 75 80 86 87 89 90)  # also of 12.4 to 12.6
  string(JOIN " " of_12_0 ${of_12_0})
  expect_architectures("${of_12_0}" "75-real;80-real;86-real;89-real;90")
  expect_architectures("${of_12_0} 100 101 120" "75-real;80-real;86-real;89-real;90-real;100-real;120")
  expect_architectures("75 80 86 87 88 89 90 100 110 103 120 121"  # of 13.0
    "75-real;80-real;86-real;89-real;90-real;100-real;120")
  expect_architectures("90 100 120 200" "90-real;100-real;120")
elseif(CASE STREQUAL "WorksWithTheFirstCompilerThatItTakes")
  expect_host(g++ /bin/g++ "")
  expect_host(g++-13 /bin/g++-13 "")
  expect_host(g++-9 "" "nvcc works with no C++ compiler that is here; CMAKE_CUDA_HOST_COMPILER can name \
another one:\n/bin/g++: unsupported GNU version\n\n/bin/g++-13: unsupported GNU version\n")
else()
  message(FATAL_ERROR "there is no case '${CASE}'")
endif()
