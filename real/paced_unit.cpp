// The line through copies, and how late ends were noticed.
#include "real/paced_unit.hpp"

#include "shared_policies/model/failure.hpp"

namespace equipoise {

CopySpeed fit_copy_speed(const std::vector<double>& bytes, const std::vector<double>& times_s) {
  EQ_CHECK(!bytes.empty() && bytes.size() == times_s.size(), "every copy has its time");
  // Weighted sums with weights 1 / time^2: of 1, b, b^2, t, t b.
  double w = 0.0;
  double wb = 0.0;
  double wbb = 0.0;
  double wt = 0.0;
  double wtb = 0.0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const double weight = 1.0 / (times_s[i] * times_s[i]);
    w += weight;
    wb += weight * bytes[i];
    wbb += weight * bytes[i] * bytes[i];
    wt += weight * times_s[i];
    wtb += weight * times_s[i] * bytes[i];
  }
  const double determinant = w * wbb - wb * wb;
  if (determinant > 1e-9 * w * wbb) {
    const double slope = (w * wtb - wb * wt) / determinant;
    const double latency = (wt - slope * wb) / w;
    if (latency >= 0.0 && slope > 0.0) return {Seconds{latency}, 1.0 / slope};
  }
  return {Seconds{}, wbb / wtb};
}

std::optional<CopySpeed> copy_speed_of(const Trace& trace, std::uint32_t unit,
                                       std::optional<double> TraceSample::*bytes,
                                       std::optional<double> TraceSample::*time_s) {
  std::vector<double> all_bytes;
  std::vector<double> all_times_s;
  for (const TraceSample& sample : trace.samples) {
    if (sample.is_outlier || sample.unit != unit || !(sample.*bytes) || !(sample.*time_s)) continue;
    if (*(sample.*bytes) <= 0.0 || *(sample.*time_s) <= 0.0) continue;
    all_bytes.push_back(*(sample.*bytes));
    all_times_s.push_back(*(sample.*time_s));
  }
  if (all_bytes.empty()) return std::nullopt;
  return fit_copy_speed(all_bytes, all_times_s);
}

void Lateness::add(Seconds late) {
  count_.fetch_add(1);
  sum_s_.fetch_add(late.value);
  for (double most = most_s_.load(); most < late.value;) {
    if (most_s_.compare_exchange_weak(most, late.value)) break;
  }
}

Seconds Lateness::mean() const {
  const auto count = static_cast<double>(count_.load());
  return count == 0.0 ? Seconds{} : Seconds{sum_s_.load() / count};
}

Seconds Lateness::most() const { return {most_s_.load()}; }

}  // namespace equipoise
