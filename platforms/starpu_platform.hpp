// Makes platforms of the machines that StarPU's developers measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platforms/platform_file.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// A GPU and its way to main memory and back. Links are positions in `StarpuMachine::links`.
struct StarpuGpu {
  Unit unit;
  Route in;   ///< main memory to GPU
  Route out;  ///< GPU to main memory
};

/// What StarPU's bus files say of a machine.
struct StarpuMachine {
  std::string name;
  int cpu_cores = 0;
  std::vector<StarpuGpu> gpus;  ///< CUDA devices, in order
  std::vector<Link> links;
};

/// Reads bus/MACHINE.config (numbers of units), bus/MACHINE.platform.v4.xml (GPU memory, links,
/// routes with PCI bridges where StarPU found them) and bus/MACHINE.latency (us; the XML has them
/// rounded to whole ones). Without the XML, links are made of
/// bus/MACHINE.bandwidth (MB/s) and .latency (us) as StarPU makes them: one each way for each GPU
/// and a link `Host` of the largest bandwidth that all share; nan means that there is none.
///
/// Models of the GPUs, and that they have two copy engines, are known for sirocco, mirage, attila
/// and idgraf; the files do not tell. OpenCL units, which are the same GPUs again, are left out.
///
/// Throws InputError for a missing directory, an unknown machine (naming the nearest), and files
/// that cannot be read or contradict each other.
[[nodiscard]] StarpuMachine read_starpu_machine(const std::string& directory,
                                                const std::string& machine);

/// The platform of `machine`: a host `RAM`, the master; a host for each CPU core, all timed by
/// `cpu0` of a trace; a host for each GPU. As StarPU does, one core for each GPU is left out to
/// drive it, unless `keep_drivers`. Routes between RAM and the CPU cores, which StarPU's files
/// lack, cost nothing (a FATPIPE link without latency). `source` says where the files come from.
[[nodiscard]] PlatformDescription starpu_platform(const StarpuMachine& machine, bool keep_drivers,
                                                  const std::string& source);

/// The machine's units as traces name them: `cpu0` for the cores, and every GPU.
[[nodiscard]] std::vector<Unit> starpu_units(const StarpuMachine& machine);

/// The machine in a JSON object, for the header of a trace.
[[nodiscard]] std::string starpu_machine_json(const StarpuMachine& machine);

}  // namespace equipoise
