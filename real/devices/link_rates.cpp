// A copy takes latency + bytes / bandwidth: two sizes give both.
#include "real/devices/link_rates.hpp"

#include <algorithm>
#include <vector>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr std::size_t small_bytes = 4096;
constexpr int small_copies = 21;
constexpr int large_copies = 7;
/// Copies cannot take less, however coarse the clock is.
constexpr double least_s = 1e-9;

double median_s(const TimedCopies& copy, std::size_t in_bytes, std::size_t out_bytes, int times) {
  static_cast<void>(copy(in_bytes, out_bytes));  // the first one may take longer
  std::vector<double> taken_s;
  for (int i = 0; i < times; ++i) taken_s.push_back(copy(in_bytes, out_bytes).value);
  std::ranges::nth_element(taken_s, taken_s.begin() + times / 2);
  return std::max(taken_s[static_cast<std::size_t>(times / 2)], least_s);
}

CopySpeed speed_from(double small_s, double large_s, std::size_t large_bytes) {
  const auto more_bytes = static_cast<double>(large_bytes - small_bytes);
  const double bandwidth = more_bytes / std::max(large_s - small_s, least_s);
  return {Seconds{std::max(0.0, small_s - static_cast<double>(small_bytes) / bandwidth)},
          bandwidth};
}

/// The bytes of a copy that takes as long as `large_bytes` at `fastest`; whole small copies.
std::size_t bytes_beside(double bandwidth, double fastest, std::size_t large_bytes) {
  const std::size_t small_ones = large_bytes / small_bytes;
  const double share = bandwidth / fastest * static_cast<double>(small_ones);
  return std::max<std::size_t>(1, static_cast<std::size_t>(share)) * small_bytes;
}

}  // namespace

bool LinkRates::both_share() const {
  return both_bytes_per_s <= together_max * (in.bandwidth_bytes_per_s + out.bandwidth_bytes_per_s);
}

LinkRates measure_link_rates(const TimedCopies& copy, std::size_t large_bytes) {
  EQ_CHECK(large_bytes >= 16 * small_bytes, "large copies are much larger than small ones");
  LinkRates rates;
  rates.in = speed_from(median_s(copy, small_bytes, 0, small_copies),
                        median_s(copy, large_bytes, 0, large_copies), large_bytes);
  rates.out = speed_from(median_s(copy, 0, small_bytes, small_copies),
                         median_s(copy, 0, large_bytes, large_copies), large_bytes);
  const double in = rates.in.bandwidth_bytes_per_s;
  const double out = rates.out.bandwidth_bytes_per_s;
  const std::size_t in_bytes = bytes_beside(in, std::max(in, out), large_bytes);
  const std::size_t out_bytes = bytes_beside(out, std::max(in, out), large_bytes);
  const double latency_s = std::max(rates.in.latency.value, rates.out.latency.value);
  const double taken_s = median_s(copy, in_bytes, out_bytes, large_copies) - latency_s;
  rates.both_bytes_per_s = static_cast<double>(in_bytes + out_bytes) / std::max(taken_s, least_s);
  return rates;
}

}  // namespace equipoise
