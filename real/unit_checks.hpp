// What is checked of units and kernels before a run.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "real/kernels/kernel.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {

/// Throws InputError at `--unit` if a unit has no program for one of the kernels. In both
/// functions, the kernel of a phase is null if no unit computes.
void check_programs(std::span<const std::unique_ptr<Kernel>> phases,
                    std::span<const UnitSpec> units);

/// Throws InputError at `where`, with the memory needed, if the host data of `phases` and the
/// buffers of the units take more than `available_bytes`. To be called before the kernels allocate.
void check_memory(std::span<const std::unique_ptr<Kernel>> phases, std::span<const UnitSpec> units,
                  double available_bytes, const std::string& where);

}  // namespace equipoise
