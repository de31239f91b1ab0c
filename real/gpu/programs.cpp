// The table of programs for GPUs: which kernels have one.
#include "real/gpu/programs.hpp"

#include <utility>

#include "real/kernels/kernel.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// By the kernel's name.
using Makers = std::map<std::string, GpuProgram (*)(const KernelParameters& parameters)>;

const Makers& makers() {
  static const Makers all = {
      {"binomial", gpu_binomial},
      {"blackscholes", gpu_blackscholes},
      {"fft2d", gpu_fft2d},
      {"gaussian", gpu_gaussian},
      {"grn", gpu_grn},
      {"kmeans", gpu_kmeans},
      {"mandelbrot", gpu_mandelbrot},
      {"matmul", gpu_matmul},
      {"nbody", gpu_nbody},
      {"synthetic", gpu_synthetic},
      {"taylor", gpu_taylor},
  };
  return all;
}

/// The program of a kernel that brings `launch`. It is not prepared: it may need real data.
GpuProgram program_around(GpuLaunch launch) {
  GpuProgram program;
  program.load = [] {};
  program.launch = [launch = std::move(launch)](const Stream& stream, const StagedBlock& block) {
    launch(block, stream.handle);
  };
  program.commands = [](Items /*items*/) { return loop_commands_max; };
  return program;
}

}  // namespace

bool has_gpu_program(const Kernel& kernel) {
  if (kernel.program_source() != ProgramSource::catalog) return kernel.gpu_launch() != nullptr;
  return makers().contains(kernel.workload().kernel);
}

std::vector<std::string> gpu_library_lines() {
  return {matmul_library_line(), fft2d_library_line()};
}

GpuProgram make_gpu_program(const Kernel& kernel) {
  if (kernel.program_source() != ProgramSource::catalog) {
    return program_around(kernel.gpu_launch());
  }
  const Workload& workload = kernel.workload();
  try {
    return makers().at(workload.kernel)(workload.parameters);
  } catch (const BlockFailure& failure) {
    throw BackendError(failure.what());  // there is no block yet
  }
}

}  // namespace equipoise
