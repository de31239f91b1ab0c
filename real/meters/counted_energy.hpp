// The energy that a meter counted between two of its readings.
#pragma once

#include <optional>
#include <span>

namespace equipoise {

/// What a meter showed at a time.
struct CounterReading {
  double at_s = 0.0;
  double joules = 0.0;
};

/// The energy counted in a span of time.
struct CountedEnergy {
  double begin_s = 0.0;
  double end_s = 0.0;  ///< > begin_s
  double joules = 0.0;

  [[nodiscard]] double mean_w() const { return joules / (end_s - begin_s); }
};

/// The energy between two of `readings`, which are in the order of time. Counters move in steps, of
/// a millisecond (RAPL) to a tenth of a second (NVML). The span therefore begins with the first
/// reading that differs from the one before, and ends with the last such reading. If there are not
/// two of these, it is the span of all readings. Returns nullopt if that has no length.
[[nodiscard]] std::optional<CountedEnergy> counted_energy(std::span<const CounterReading> readings);

}  // namespace equipoise
