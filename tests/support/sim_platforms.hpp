// Platforms for tests and benchmarks of the simulator, as XML files and as SimSetup.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "sim/sim_executor.hpp"

namespace equipoise {

/// A unit of a test platform with its private link and its block times.
struct TestUnit {
  double fixed_s = 0.0;
  double per_item_s = 0.0;
  double sd_share = 0.0;   ///< standard deviation of the times over their mean; 0: none
  double bandwidth = 0.0;  ///< bytes/s of its private link; 0: it has none
  double latency_s = 0.0;  ///< of its private link
  int copy_engines = 1;
  std::string sharing = "SHARED";        ///< policy of its private link
  std::optional<double> memory_bytes{};  ///< none: unlimited
  int slots = 1;
  std::string device{};  ///< units of one device have the link of the first
  std::string node{};    ///< a node that is not the master's; empty: it is not known
};

/// A platform of test units around the host `master`.
struct TestPlatform {
  std::vector<TestUnit> units;    ///< hosts u0, u1, ...
  double shared_bandwidth = 0.0;  ///< of a link that every route crosses; 0: no such link
  double shared_latency_s = 0.0;
  std::string sharing = "SHARED";    ///< policy of that link: SHARED, FATPIPE or SPLITDUPLEX
  std::string profile;               ///< of that link's bandwidth, in SimGrid's format; empty: none
  double greatest_of_profile = 0.0;  ///< its greatest value
  std::string config;                ///< elements of the file's <config>
  std::vector<std::string> watts;    ///< (units) `wattage_per_state` of the hosts; empty: none
  int cores = 1;                     ///< of the units' hosts
};

/// The SimGrid XML of `platform`.
[[nodiscard]] std::string platform_xml(const TestPlatform& platform);

/// Writes `text` to a new file in the temporary directory and returns its path. The file is removed
/// when the process exits normally.
[[nodiscard]] std::string write_temporary(const std::string& text, const std::string& suffix);

/// A trace with the times of `unit` at 1 and at 1,000,000 items; times are affine in between.
[[nodiscard]] Trace affine_trace(const TestUnit& unit);

/// A setup for `platform`, with links as probe_platform() reports them. The platform file is
/// written to the temporary directory. No noise and no dispatch cost.
[[nodiscard]] SimSetup sim_setup(const TestPlatform& platform, const std::vector<Workload>& phases);

}  // namespace equipoise
