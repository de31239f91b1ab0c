// Every kernel by name: one line, its parameters, and how to make it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "shared_policies/model/parameters.hpp"

namespace equipoise {

/// One row of the catalog.
struct KernelInfo {
  std::string name;
  std::string line;  ///< what it computes, one line
  std::vector<ParameterInfo> parameters;
  std::unique_ptr<Kernel> (*make)(const Parameters& parameters);
};

/// All kernels, in the order in which they are listed.
[[nodiscard]] std::span<const KernelInfo> kernel_catalog();

/// The row called `name`. Throws InputError at `where`, naming the nearest known name.
[[nodiscard]] const KernelInfo& find_kernel(const std::string& name, const std::string& where);

/// Makes the kernel without allocating its data. Throws InputError at `where` for an unknown name
/// or parameter (naming the nearest), for a value that cannot be read or is out of range, and for a
/// workload that is not legal.
[[nodiscard]] std::unique_ptr<Kernel> make_kernel(const std::string& name,
                                                  const TypedParameters& parameters,
                                                  const std::string& where);

/// The parameter `iterations`, which every kernel has.
[[nodiscard]] int iterations_of(const Parameters& parameters);

// What the catalog lists; each is in the file of its name.
[[nodiscard]] std::unique_ptr<Kernel> make_matmul(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_blackscholes(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_grn(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_kmeans(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_fft2d(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_nbody(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_binomial(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_mandelbrot(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_taylor(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_gaussian(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_empty(const Parameters& parameters);

}  // namespace equipoise
