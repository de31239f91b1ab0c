// Reads the meters of a machine again and again while a run goes on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "real/meters/meter.hpp"
#include "real/threads/clock.hpp"
#include "shared_policies/run/inserting_journals.hpp"

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

/// The time between two readings of a meter.
inline constexpr std::chrono::milliseconds sampling_period{20};
/// How long the idle machine is measured before runs.
inline constexpr std::chrono::milliseconds idle_span{1000};
/// How long it is measured before a recording, which keeps its watts.
inline constexpr std::chrono::milliseconds idle_span_of_recording{2000};

/// Reads meters in a thread of its own, so that the controller neither reads them nor waits for
/// them. Each reading is a Measured with what = "energy_j": joules since the run began. Runs follow
/// one another. A meter that cannot be read any more is left out for the rest of the run. All
/// members but `take` are for the thread of the controller.
class MeterSampler final : public MeterReadings {
 public:
  explicit MeterSampler(Meters meters);

  /// Measures for `span` what each domain takes while nothing runs. Readings of a run begin with
  /// it: what = "idle_w", at 0.
  void measure_idle(std::chrono::milliseconds span = idle_span);
  /// The watts that were measured then, by domain; without domains that could not be read.
  [[nodiscard]] std::map<std::string, double> idle_w() const;
  /// Reads all meters for the first time in a run, at 0. Readings of the run before are dropped.
  void begin();
  /// Reads them from now on in a thread on `cores`. `clock` gives the times. Throws BackendError if
  /// the thread cannot be started.
  void sample(const Clock& clock, const std::vector<int>& cores);
  /// Ends the thread.
  void stop() {
    thread_ = {};
    is_sampling_ = false;
  }
  /// Ends the thread and reads all meters for the last time in the run, which ends now, at `at`.
  void end(Seconds at);

  std::optional<Measured> take(Seconds until) override;
  std::string note() const override;

 private:
  /// A meter and its state in the run.
  struct Domain {
    std::unique_ptr<Meter> meter;
    std::optional<double> idle_w;
    double begin_j = 0.0;    ///< the meter's reading when the run began
    bool is_failed = false;  ///< in this run
  };

  void read_all(Seconds at);
  void sample_until(const std::stop_token& stop, const Clock& clock);

  std::vector<Domain> domains_;
  std::vector<std::string> notes_;
  std::atomic<bool> is_sampling_ = false;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable_any stopping_;
  std::deque<Measured> readings_;
  std::jthread thread_;
};

}  // namespace equipoise
