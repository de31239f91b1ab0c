// Traces: the measured block times from which simulations draw. Their files are read in traces/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// Times of one block size: one sample (count 1, no deviation) or a summary of `count` samples.
struct TraceSample {
  std::uint32_t unit = 0;  ///< position in Trace::units
  double items = 0.0;      ///< may be fractional
  std::uint64_t count = 1;
  double compute_mean_s = 0.0;
  std::optional<double> compute_sd_s;  ///< of a summary
  std::optional<double> compute_min_s;
  std::optional<double> compute_median_s;
  std::optional<double> compute_max_s;
  std::optional<double> in_s;       ///< copy time as measured on the recording machine
  std::optional<double> out_s;      ///< like in_s
  std::optional<double> in_bytes;   ///< of the whole block
  std::optional<double> out_bytes;  ///< of the whole block
  bool is_summary = false;          ///< given as mean and deviation, even if count is 1
  bool is_outlier = false;          ///< the measurement was disturbed: kept in the file, not used
                                    ///< in any computation
};

/// Names one of the optional members of samples.
using OptionalOfSample = std::optional<double> TraceSample::*;

/// The times of one kernel's blocks on some units.
struct Trace {
  std::string source;  ///< "recorded", "imported" or "modelled"
  std::string kernel;
  std::string item;        ///< the meaning of one item: "MFlop", "option"
  std::string provenance;  ///< the origin of the times, as text
  std::string machine;  ///< known properties of the machine, a JSON object as text ("{}" if none)
  std::vector<Unit> units;
  std::map<std::string, double> problem;  ///< the workload's parameters when the trace was made
  std::optional<Items> grain_items;
  std::optional<Seconds> dispatch;  ///< time to hand out one block
  /// The dispatch time of single units, by position in `units`, if known.
  std::map<std::uint32_t, Seconds> unit_dispatch;
  /// Bytes that every unit needs and keeps, if different from the workload's.
  std::optional<double> resident_bytes;
  /// Unit memory that these occupy, if different.
  std::optional<double> resident_memory_bytes;
  /// Unit memory used while a block is there, if different from the workload's.
  std::optional<double> memory_bytes_per_item;
  std::optional<Seconds> first_use;  ///< extra time of each unit before its first block of a phase
  std::optional<Seconds> merge;      ///< time on the host between two iterations
  std::vector<TraceSample> samples;
};

/// The time to hand out a block to `trace.units[unit]`: that of the unit if known, else that of the
/// trace.
[[nodiscard]] inline std::optional<Seconds> dispatch_of(const Trace& trace, std::uint32_t unit) {
  const auto own = trace.unit_dispatch.find(unit);
  return own == trace.unit_dispatch.end() ? trace.dispatch : std::optional(own->second);
}

}  // namespace equipoise
