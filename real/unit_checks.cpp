// Asks the units' factories what they can compute and how much memory they need.
#include "real/unit_checks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

void check_programs(std::span<const std::unique_ptr<Kernel>> phases,
                    std::span<const UnitSpec> units) {
  for (const auto& kernel : phases) {
    if (!kernel) continue;
    for (const UnitSpec& spec : units) {
      if (spec.factory->has_program(kernel->workload().kernel)) continue;
      throw InputError("--unit",
                       fmt::format("{} has no program for {}; leave the unit out, or choose "
                                   "another kernel",
                                   spec.unit.name, kernel->workload().kernel));
    }
  }
}

void check_memory(std::span<const std::unique_ptr<Kernel>> phases, std::span<const UnitSpec> units,
                  double available_bytes, const std::string& where) {
  double needed_bytes = 0.0;
  for (const auto& kernel : phases) needed_bytes += kernel ? kernel->host_bytes() : 0.0;
  for (const UnitSpec& spec : units) {
    // One phase after another has its data on the unit, or beside it.
    double unit_bytes = 0.0;
    double streamed_bytes = 0.0;
    for (const auto& kernel : phases) {
      if (!kernel) continue;
      const Workload& workload = kernel->workload();
      const double bytes = spec.factory->host_bytes(spec.unit, workload);
      const bool streams = streamed_data(spec.unit, workload).has_value();
      const double streamed = streams ? std::min(bytes, workload.bytes_kept()) : 0.0;
      unit_bytes = std::max(unit_bytes, bytes - streamed);
      streamed_bytes = std::max(streamed_bytes, streamed);
    }
    needed_bytes += unit_bytes + streamed_bytes;
  }
  if (needed_bytes <= available_bytes) return;
  constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;
  throw InputError(where, fmt::format("needs {:.3g} GiB of memory with its units' own buffers, "
                                      "{:.3g} GiB are there; give a smaller size, or units with "
                                      "memory_bytes=",
                                      needed_bytes / gibibyte, available_bytes / gibibyte));
}

}  // namespace equipoise
