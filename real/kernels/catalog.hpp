// All kernels by name, each with a one-line description, its parameters and its factory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/kernel.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// One entry of the catalog.
struct KernelInfo {
  std::string name;
  std::string line;  ///< what it computes, in one line
  std::vector<ParameterInfo> parameters;
  std::unique_ptr<Kernel> (*make)(const Parameters& parameters);
};

/// All kernels, in the order in which they are listed.
[[nodiscard]] std::span<const KernelInfo> kernel_catalog();

/// The entry called `name`. If there is none, throws InputError at `where` with the most similar
/// known name.
[[nodiscard]] const KernelInfo& find_kernel(const std::string& name, const std::string& where);

/// Makes the kernel without allocating its data. Throws InputError at `where` if the name or a
/// parameter is unknown (with the most similar known one), if a value cannot be read or is out of
/// range, and if the workload is invalid.
[[nodiscard]] std::unique_ptr<Kernel> make_kernel(const std::string& name,
                                                  const TypedParameters& parameters,
                                                  const std::string& where);

/// The parameters that say how items differ.
inline const ParameterInfo costs_info{
    "costs", "the trace's, else alike", "",
    "how the items differ in time: alike, increasing, decreasing, gaussian, bimodal, exponential, "
    "or a file with the relative costs of all items"};
inline const ParameterInfo costs_seed_info{
    "costs_seed", "1", "", "of costs that are drawn, which are the same in all repetitions"};

/// Whether the items of a kernel cost what users say (`Kernel::set_costs`), because they do nothing
/// else.
[[nodiscard]] bool takes_costs(const KernelInfo& info);

/// The parameter `distribution` of every kernel with resident data.
[[nodiscard]] Distribution distribution_of(const Parameters& parameters);

// The factories of the listed kernels; each is defined in the source file with the kernel's name.
[[nodiscard]] std::unique_ptr<Kernel> make_matmul(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_blackscholes(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_grn(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_kmeans(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_fft2d(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_nbody(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_binomial(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_mandelbrot(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_synthetic(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_taylor(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_gaussian(const Parameters& parameters);
[[nodiscard]] std::unique_ptr<Kernel> make_empty(const Parameters& parameters);

}  // namespace equipoise
