// The driver of units that do blocks in the memory of the host: CPU cores, and commands of the
// user's.
#pragma once

#include <memory>

#include "real/worker.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"

namespace equipoise {

/// Makes the worker of a unit that does one block after another on the cores of `setup`, by threads
/// of its own or by the kernel's BlockProgram. Without cores, all kernels must have such a program.
/// `index`: the unit's number among those of its kind.
[[nodiscard]] std::unique_ptr<Worker> make_host_worker(WorkerSetup setup, int index);

/// The host's memory that it takes for the blocks of `workload`, in bytes.
[[nodiscard]] double host_worker_bytes(const Unit& unit, const Workload& workload);

}  // namespace equipoise
