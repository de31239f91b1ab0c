// Measured block times: the truth that simulations draw from. Files of it are read in traces/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// One sample (count 1, no deviation) or one summary of `count` samples, of one block size.
struct TraceSample {
  std::uint32_t unit = 0;  ///< position in Trace::units
  double items = 0.0;      ///< may be fractional
  std::uint64_t count = 1;
  double compute_mean_s = 0.0;
  std::optional<double> compute_sd_s;  ///< of a summary
  std::optional<double> compute_min_s;
  std::optional<double> compute_median_s;
  std::optional<double> compute_max_s;
  std::optional<double> in_s;       ///< as measured on the recording machine
  std::optional<double> out_s;      ///< the same
  std::optional<double> in_bytes;   ///< of the whole block
  std::optional<double> out_bytes;  ///< of the whole block
  bool is_summary = false;          ///< written with mean and deviation, even if count is 1
  bool is_outlier = false;          ///< something disturbed it: kept, and left out of all figures
};

/// The times of one kernel's blocks on some units.
struct Trace {
  std::string source;  ///< "recorded", "imported" or "modelled"
  std::string kernel;
  std::string item;        ///< what one item is, in words: "MFlop", "option"
  std::string provenance;  ///< where the times come from, for people
  std::string machine;  ///< what is known of the machine, a JSON object as text ("{}" if nothing)
  std::vector<Unit> units;
  std::map<std::string, double> problem;  ///< the workload's parameters when it was made
  std::optional<Items> grain_items;
  std::optional<Seconds> dispatch;  ///< cost of handing out one block
  /// The same for a unit, by its position, where it is known.
  std::map<std::uint32_t, Seconds> unit_dispatch;
  /// What a unit is sent before its first block and keeps, if not what the workload says.
  std::optional<double> resident_bytes;
  /// Of unit memory while a block is there, if not what the workload says.
  std::optional<double> memory_bytes_per_item;
  std::optional<Seconds> first_use;  ///< once for each unit, before its first block of a phase
  std::optional<Seconds> merge;      ///< on the host, between two iterations
  std::vector<TraceSample> samples;
};

/// What handing out a block to `trace.units[unit]` costs: the unit's own, else everybody's.
[[nodiscard]] inline std::optional<Seconds> dispatch_of(const Trace& trace, std::uint32_t unit) {
  const auto own = trace.unit_dispatch.find(unit);
  return own == trace.unit_dispatch.end() ? trace.dispatch : std::optional(own->second);
}

}  // namespace equipoise
