// Traces: the measured block times from which simulations draw. Their files are read in traces/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/machine/controller_work.hpp"
#include "shared_policies/machine/copy_work.hpp"
#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/model/unit.hpp"
#include "shared_policies/records/description.hpp"
#include "shared_policies/records/facts.hpp"

namespace equipoise {

/// Larger sizes and counts do not fit in 63 bits.
inline constexpr double most_countable = 9.2e18;

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
  std::optional<double> in_s;         ///< copy time as measured on the recording machine
  std::optional<double> out_s;        ///< like in_s
  std::optional<double> in_bytes;     ///< of the whole block
  std::optional<double> out_bytes;    ///< of the whole block
  std::optional<double> waited_s;     ///< of a single block, beyond its other times
  std::optional<std::int64_t> waits;  ///< how often it waited; nothing: once, if at all
  bool is_summary = false;            ///< given as mean and deviation, even if count is 1
  bool is_outlier = false;            ///< it took much longer than others of its size: its times
                                      ///< are not used, its `waited_s` is
};

/// The time that blocks of one size computed, in files: mean, deviation and extremes.
struct ComputeTimes {
  double mean = 0.0;
  std::optional<double> sd;
  std::optional<double> min;
  std::optional<double> median;
  std::optional<double> max;
};

/// A copy time of which a file has the mean.
struct CopyTimes {
  double mean = 0.0;
};

/// Bytes of which a file has the mean.
struct CopyBytes {
  double mean = 0.0;
};

constexpr auto describe(DescriptionOf<ComputeTimes> /*of*/) {
  return std::tuple(
      member("mean", &ComputeTimes::mean, "mean").time(),
      member("sd", &ComputeTimes::sd, "sample standard deviation").in("s").at_least(0).or_null(),
      member("min", &ComputeTimes::min, "shortest").time().or_null(),
      member("median", &ComputeTimes::median, "median").time().or_null(),
      member("max", &ComputeTimes::max, "longest").time().or_null());
}

constexpr auto describe(DescriptionOf<CopyTimes> /*of*/) {
  return std::tuple(member("mean", &CopyTimes::mean, "mean").cost());
}

constexpr auto describe(DescriptionOf<CopyBytes> /*of*/) {
  return std::tuple(
      member("mean", &CopyBytes::mean, "mean").in("bytes").at_least(0).at_most(most_countable));
}

/// A time, or what summarises several.
using ComputeTime = std::variant<double, ComputeTimes>;
/// The value of one sample, or the mean of several.
template <class Mean>
using OfStage = std::optional<std::variant<double, Mean>>;

/// The value of the one sample, or the mean of several; nothing if there is none.
template <class Mean>
[[nodiscard]] std::optional<double> mean_of(const OfStage<Mean>& value) {
  if (!value) return std::nullopt;
  const auto* mean = std::get_if<Mean>(&*value);
  return mean != nullptr ? mean->mean : std::get<double>(*value);
}

/// The compute time of a sample, or of several, as files have it.
[[nodiscard]] ComputeTime compute_time_of(const TraceSample& sample);
/// Puts it into a sample.
void set_compute_time(TraceSample& sample, ComputeTime time);

/// Multiplies the compute times of a sample by `factor`.
void multiply_compute_times(TraceSample& sample, double factor);
/// The same, and what it waited.
void multiply_times(TraceSample& sample, double factor);

/// Describes a member of a sample that files have as a number, or as the mean of several.
template <class Mean, std::optional<double> TraceSample::*at>
[[nodiscard]] constexpr auto copy_member(const char* name, const char* meaning) {
  return computed(
      name, +[](const TraceSample& sample) { return OfStage<Mean>(sample.*at); }, meaning,
      [](TraceSample& sample, OfStage<Mean> value) { sample.*at = mean_of<Mean>(value); });
}

/// What a sample says of the size and times of its blocks.
constexpr auto describe_times() {
  return std::tuple(member("items", &TraceSample::items, "size of the blocks; may be fractional")
                        .in("items")
                        .above(0)
                        .at_most(most_countable),
                    computed(
                        "n",
                        +[](const TraceSample& sample) {
                          const bool says_so = sample.is_summary || sample.count != 1;
                          return says_so ? std::optional(sample.count) : std::nullopt;
                        },
                        "the number of samples that a summary is of",
                        [](TraceSample& sample, std::optional<std::uint64_t> n) {
                          sample.count = n.value_or(1);
                          sample.is_summary = sample.is_summary || n;
                        })
                        .at_least(1)
                        .if_any(),
                    copy_member<CopyTimes, &TraceSample::in_s>(
                        "in_s", "time of the copy in, as measured on the recording machine")
                        .cost()
                        .if_any(),
                    computed("compute_s", &compute_time_of,
                             "time of computing: a number, or a summary", &set_compute_time)
                        .time());
}

/// What a sample says of the copies behind `compute_s`.
constexpr auto describe_copies() {
  return std::tuple(
      copy_member<CopyTimes, &TraceSample::out_s>("out_s", "time of the copy out").cost().if_any(),
      copy_member<CopyBytes, &TraceSample::in_bytes>("in_bytes", "input of the whole block")
          .in("bytes")
          .at_least(0)
          .at_most(most_countable)
          .if_any(),
      copy_member<CopyBytes, &TraceSample::out_bytes>("out_bytes", "results of the whole block")
          .in("bytes")
          .at_least(0)
          .at_most(most_countable)
          .if_any(),
      member("waited_s", &TraceSample::waited_s,
             "what the block took beyond these times because other threads had the cores of its "
             "unit; of an outlier, also how much longer it took than others of its size")
          .cost()
          .if_any(),
      member("waits", &TraceSample::waits, "how often, if more than once").at_least(1).if_any());
}

/// The sample's unit has a name in files, which stands before these.
constexpr auto describe(DescriptionOf<TraceSample> /*of*/) {
  return std::tuple_cat(
      describe_times(), describe_copies(),
      std::tuple(
          member("outlier", &TraceSample::is_outlier,
                 "it took much longer than others of its size; its times are not used, waited_s is")
              .if_any(),
          unwritten(&TraceSample::unit, &TraceSample::count, &TraceSample::compute_mean_s,
                    &TraceSample::compute_sd_s, &TraceSample::compute_min_s,
                    &TraceSample::compute_median_s, &TraceSample::compute_max_s, &TraceSample::in_s,
                    &TraceSample::out_s, &TraceSample::in_bytes, &TraceSample::out_bytes,
                    &TraceSample::is_summary)));
}

/// Names one of the optional members of samples.
using OptionalOfSample = std::optional<double> TraceSample::*;

/// What was seen of the machine while a trace was recorded: how far a run there may differ from its
/// times. Members are empty where nothing was measured.
struct RecordingFacts {
  std::string date;                    ///< "2026-11-26T23:10:00Z"
  bool together = false;               ///< whether all units were recorded at a time
  std::optional<double> others_share;  ///< of the core time of the units, 0 to 1
  int passes = 1;
  std::optional<double> drift;    ///< mean block time of the last pass over the first, less 1
  std::optional<double> pass_sd;  ///< relative standard deviation of the passes' mean block times
  int runs = 0;
  std::optional<Seconds> run;    ///< mean makespan of these runs
  std::optional<double> run_sd;  ///< relative standard deviation of their makespans
  std::optional<double> clock_hz;
};

constexpr auto describe(DescriptionOf<RecordingFacts> /*of*/) {
  return std::tuple(
      member("date", &RecordingFacts::date, "when the recording ended, UTC"),
      member("together", &RecordingFacts::together,
             "whether all units were recorded at a time, as they compute in runs"),
      member("others_share", &RecordingFacts::others_share,
             "the share of the core time of the units that other programs had")
          .at_least(0)
          .at_most(1)
          .if_any(),
      member("passes", &RecordingFacts::passes, "how often all block sizes were recorded")
          .at_least(1),
      member("drift", &RecordingFacts::drift,
             "how much longer blocks took in the last pass than in the first, relative")
          .above(-1)
          .if_any(),
      member("pass_sd", &RecordingFacts::pass_sd,
             "standard deviation of the mean block times of passes, relative")
          .at_least(0)
          .if_any(),
      member("runs", &RecordingFacts::runs, "how often one short run was repeated").at_least(0),
      member("run_s", &RecordingFacts::run, "mean makespan of these runs").cost().if_any(),
      member("run_sd", &RecordingFacts::run_sd, "standard deviation of their makespans, relative")
          .at_least(0)
          .if_any(),
      member("clock_hz", &RecordingFacts::clock_hz, "mean clock of the units' cores")
          .in("Hz")
          .above(0)
          .if_any());
}

/// The times of one kernel's blocks on some units, and what was known where they were taken. The
/// description says what each member is.
struct Trace {
  std::string source;
  std::string kernel;
  std::string item;  ///< "MFlop", "option"
  std::string provenance;
  Facts machine;
  std::vector<Unit> units;
  std::map<std::string, double> problem;
  std::optional<Items> grain_items;
  std::optional<Seconds> dispatch;
  std::map<std::uint32_t, Seconds> unit_dispatch;  ///< of single units, by position in `units`
  std::map<std::uint32_t, CopyWork> unit_copies;   ///< likewise
  std::optional<ControllerWork> controller;
  std::optional<double> resident_bytes;
  std::optional<double> resident_memory_bytes;
  std::optional<double> memory_bytes_per_item;
  std::optional<Seconds> first_use;
  std::optional<Seconds> merge;
  std::optional<CostsRecord> costs;         ///< of items, if these differ
  std::optional<RecordingFacts> recording;  ///< of traces that `record` made
  std::vector<TraceSample> samples;
};

/// A unit in the header of a trace, with what holds there only.
struct TraceUnit {
  Unit unit;
  std::optional<Items> max_block_items;  ///< of the trace's kernel
  std::optional<Seconds> dispatch;
  std::optional<CopyWork> copies;
};

constexpr auto describe(DescriptionOf<TraceUnit> /*of*/) {
  return std::tuple(member("unit", &TraceUnit::unit, "the unit").flat(),
                    member("max_block_items", &TraceUnit::max_block_items,
                           "the largest block that its times hold for")
                        .in("items")
                        .at_least(1)
                        .if_any(),
                    member("dispatch_s", &TraceUnit::dispatch,
                           "time to hand out one block; replaces the header's for this unit")
                        .cost()
                        .if_any(),
                    member("copies", &TraceUnit::copies,
                           "how long the unit's computation stands still while threads on its "
                           "cores copy for it")
                        .if_any());
}

/// The units of a trace as its header has them, and back.
[[nodiscard]] std::vector<TraceUnit> header_units(const Trace& trace);
void set_header_units(Trace& trace, std::vector<TraceUnit> units);

/// The header. Samples follow it, line by line.
constexpr auto describe(DescriptionOf<Trace> /*of*/) {
  return std::tuple(
      member("source", &Trace::source, "where the times come from")
          .one_of("recorded, imported, modelled"),
      member("kernel", &Trace::kernel, "the computation").not_empty(),
      member("item", &Trace::item, "the meaning of one item"),
      member("provenance", &Trace::provenance, "the origin of the times, as text").may_lack(),
      member("machine", &Trace::machine, "known properties of the machine")
          .short_form(in_traces)
          .may_lack(),
      computed("units", &header_units, "the units that have times", &set_header_units).not_empty(),
      member("problem", &Trace::problem,
             "the parameters on which the cost per item depends, when the trace was made")
          .if_any(),
      member("grain_items", &Trace::grain_items, "block sizes are multiples of it")
          .in("items")
          .at_least(1)
          .if_any(),
      member("dispatch_s", &Trace::dispatch, "time to hand out one block").cost().if_any(),
      member("controller", &Trace::controller,
             "what each report and each block costs the controller, which does one thing at a time")
          .if_any(),
      member("merge_s", &Trace::merge, "time on the host between two iterations").cost().if_any(),
      member("first_use_s", &Trace::first_use,
             "extra time of each unit before its first block of a phase")
          .cost()
          .if_any(),
      member("resident_bytes", &Trace::resident_bytes,
             "data that every unit needs and keeps, if different from the workload's")
          .in("bytes")
          .at_least(0)
          .at_most(most_countable)
          .if_any(),
      member("resident_memory_bytes", &Trace::resident_memory_bytes,
             "unit memory that these occupy, if different")
          .in("bytes")
          .at_least(0)
          .at_most(most_countable)
          .if_any(),
      member("memory_bytes_per_item", &Trace::memory_bytes_per_item,
             "unit memory of an item while its block is there, if different from the workload's")
          .in("bytes")
          .at_least(0)
          .at_most(most_countable)
          .if_any(),
      member("costs", &Trace::costs,
             "how the items differ: their costs, relative to the mean of all, range by range")
          .if_any(),
      member("recording", &Trace::recording, "what was seen of the machine meanwhile").if_any(),
      unwritten(&Trace::units, &Trace::unit_dispatch, &Trace::unit_copies, &Trace::samples));
}

/// The time to hand out a block to `trace.units[unit]`: that of the unit if known, else that of the
/// trace.
[[nodiscard]] inline std::optional<Seconds> dispatch_of(const Trace& trace, std::uint32_t unit) {
  const auto own = trace.unit_dispatch.find(unit);
  return own == trace.unit_dispatch.end() ? trace.dispatch : std::optional(own->second);
}

}  // namespace equipoise
