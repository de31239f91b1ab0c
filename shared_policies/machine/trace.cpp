// The forms that samples and units of a trace have in files.
#include "shared_policies/machine/trace.hpp"

namespace equipoise {

void multiply_compute_times(TraceSample& sample, double factor) {
  sample.compute_mean_s *= factor;
  for (std::optional<double>* const time : {&sample.compute_sd_s, &sample.compute_min_s,
                                            &sample.compute_median_s, &sample.compute_max_s}) {
    if (*time) **time *= factor;
  }
}

void multiply_times(TraceSample& sample, double factor) {
  multiply_compute_times(sample, factor);
  if (sample.waited_s) *sample.waited_s *= factor;
}

ComputeTime compute_time_of(const TraceSample& sample) {
  if (!sample.is_summary && sample.count == 1) return sample.compute_mean_s;
  return ComputeTimes{sample.compute_mean_s, sample.compute_sd_s, sample.compute_min_s,
                      sample.compute_median_s, sample.compute_max_s};
}

void set_compute_time(TraceSample& sample, ComputeTime time) {
  if (const auto* summary = std::get_if<ComputeTimes>(&time)) {
    sample.is_summary = true;
    sample.compute_mean_s = summary->mean;
    sample.compute_sd_s = summary->sd;
    sample.compute_min_s = summary->min;
    sample.compute_median_s = summary->median;
    sample.compute_max_s = summary->max;
  } else {
    sample.compute_mean_s = std::get<double>(time);
  }
}

std::vector<TraceUnit> header_units(const Trace& trace) {
  std::vector<TraceUnit> units;
  for (std::uint32_t i = 0; i < trace.units.size(); ++i) {
    TraceUnit& entry = units.emplace_back(TraceUnit{trace.units[i], {}, {}, {}});
    const auto limit = entry.unit.max_block_items.find(trace.kernel);
    if (limit != entry.unit.max_block_items.end()) entry.max_block_items = limit->second;
    const auto dispatch = trace.unit_dispatch.find(i);
    if (dispatch != trace.unit_dispatch.end()) entry.dispatch = dispatch->second;
    const auto copies = trace.unit_copies.find(i);
    if (copies != trace.unit_copies.end()) entry.copies = copies->second;
  }
  return units;
}

void set_header_units(Trace& trace, std::vector<TraceUnit> units) {
  for (TraceUnit& entry : units) {
    const auto position = static_cast<std::uint32_t>(trace.units.size());
    if (entry.max_block_items) entry.unit.max_block_items[trace.kernel] = *entry.max_block_items;
    if (entry.dispatch) trace.unit_dispatch[position] = *entry.dispatch;
    if (entry.copies) trace.unit_copies[position] = *entry.copies;
    trace.units.push_back(std::move(entry.unit));
  }
}

}  // namespace equipoise
