// The worker of a unit of CPU cores.
#pragma once

#include <memory>

#include "real/worker.hpp"

namespace equipoise {

/// Starts a worker that computes with one pinned thread on each of the setup's cores, one block
/// after another.
[[nodiscard]] std::unique_ptr<Worker> make_cpu_worker(WorkerSetup setup);

}  // namespace equipoise
