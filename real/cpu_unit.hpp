// Units of CPU cores of this machine, and their worker.
#pragma once

#include <memory>

#include "real/unit_factory.hpp"
#include "real/unit_spec.hpp"
#include "real/worker.hpp"

namespace equipoise {

/// The kind "cpu".
[[nodiscard]] UnitKindInfo cpu_kind();

/// A unit of `threads` cores. Its worker takes one block after another: it copies in, computes with
/// pinned threads, copies out, and extends each of these stages as the rates demand. Resident data
/// is copied before the unit's first block of a phase, and again when it has changed.
[[nodiscard]] std::shared_ptr<const UnitFactory> make_cpu_factory(int threads);

/// Starts a worker that computes with one pinned thread on each of the setup's cores, one block
/// after another.
[[nodiscard]] std::unique_ptr<Worker> make_cpu_worker(WorkerSetup setup);

}  // namespace equipoise
