// Statistics of the delay with which ends of blocks are noticed.
#include "real/paced/paced_unit.hpp"

namespace equipoise {

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
