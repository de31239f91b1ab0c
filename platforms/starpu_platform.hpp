// Creates platforms of the machines that StarPU's developers measured.
#pragma once

#include <string>
#include <vector>

#include "platforms/platform_file.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/records/facts.hpp"

namespace equipoise {

/// A GPU and its routes to and from main memory. Links are positions in `StarpuMachine::links`.
struct StarpuGpu {
  Unit unit;
  Route in;   ///< main memory to GPU
  Route out;  ///< GPU to main memory
};

/// A machine as described by StarPU's bus files.
struct StarpuMachine {
  std::string name;
  int cpu_cores = 0;
  std::vector<StarpuGpu> gpus;  ///< CUDA devices, in order
  std::vector<Link> links;
};

/// Reads bus/MACHINE.config (numbers of units), bus/MACHINE.platform.v4.xml (GPU memory, links,
/// routes with PCI bridges if StarPU found them) and bus/MACHINE.latency (us; the XML has these
/// rounded to whole us). If there is no XML file, links are created from bus/MACHINE.bandwidth
/// (MB/s) and .latency (us) in the same way as StarPU does: one link in each direction for each
/// GPU, and a link `Host` of the largest bandwidth that all GPUs share. nan means that there is no
/// value.
///
/// The models of the GPUs of sirocco, mirage, attila and idgraf, and that these have two copy
/// engines, are known from elsewhere; the files do not contain this. OpenCL units are left out,
/// because they are the same GPUs.
///
/// Throws InputError for a missing directory, an unknown machine (suggesting the nearest), and
/// files that cannot be read or contradict each other.
[[nodiscard]] StarpuMachine read_starpu_machine(const std::string& directory,
                                                const std::string& machine);

/// The platform of `machine`: a host `RAM`, which is the master; a host for each CPU core, all with
/// the times of `cpu0` of a trace; a host for each GPU. As in StarPU, one core for each GPU is left
/// out because it drives the GPU, unless `keep_drivers`. StarPU's files have no routes between RAM
/// and the CPU cores; here they cost nothing (a FATPIPE link without latency). `source` is the
/// origin of the files.
[[nodiscard]] PlatformDescription starpu_platform(const StarpuMachine& machine, bool keep_drivers,
                                                  const std::string& source);

/// The machine's units as named in traces: `cpu0` for all cores, and every GPU.
[[nodiscard]] std::vector<Unit> starpu_units(const StarpuMachine& machine);

/// What is known of the machine, for the header of a trace.
[[nodiscard]] Facts starpu_machine_facts(const StarpuMachine& machine);

}  // namespace equipoise
