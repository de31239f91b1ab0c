// What both worlds are put together from: traces, timings, and units that take part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/model/workload.hpp"
#include "tools/commands/options.hpp"

namespace equipoise {

/// Reads the files in order; warns of what is gone on with. Throws InputError, also where two of
/// them time the same kernel on the same unit.
[[nodiscard]] std::vector<Trace> read_traces(const std::vector<std::string>& files);

/// Throws InputError unless `options.out`, where it is given, can be written and is none of the
/// files that were read; so all of them have been by now.
void check_out(const Options& options);

/// Where a unit's times of one kernel stand.
struct TimingPlace {
  const Trace* trace = nullptr;
  std::uint32_t unit = 0;
};

/// The one of `traces` that has samples of `kernel` on the unit called `unit`; nothing without one.
[[nodiscard]] std::optional<TimingPlace> find_timing(const std::vector<Trace>& traces,
                                                     const std::string& kernel,
                                                     const std::string& unit);

/// Whether `unit` holds a grain of every phase; warns when it does not.
[[nodiscard]] bool takes_part(const Unit& unit, const std::vector<Workload>& phases);

}  // namespace equipoise
