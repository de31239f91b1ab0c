// The worker of a unit that is a device with memory and queues of its own.
#pragma once

#include <functional>
#include <memory>

#include "real/devices/device.hpp"
#include "real/worker.hpp"

namespace equipoise {

/// Opens a device. Called on the worker's thread; may throw BackendError.
using DeviceMaker = std::function<std::unique_ptr<Device>(const WorkerSetup& setup)>;

/// Starts a worker that drives the device that `open` makes. As many blocks are in flight as fit
/// into the unit's memory, so that copies in, computations and copies out overlap. Resident data is
/// copied before the unit's first block of a phase, and again when it has changed.
///
/// Stages that `setup.rates` slow down keep their queue busy, not the worker's thread. A block that
/// fails is reported as lost. If the device has too little memory, the unit holds half as many
/// items at a time. An exception of the device that means it has failed for good ends the unit.
[[nodiscard]] std::unique_ptr<Worker> make_device_worker(WorkerSetup setup, DeviceMaker open);

}  // namespace equipoise
