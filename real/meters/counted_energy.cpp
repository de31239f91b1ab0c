// Finds the readings at which a counter had moved.
#include "real/meters/counted_energy.hpp"

#include <cstddef>

namespace equipoise {

std::optional<CountedEnergy> counted_energy(std::span<const CounterReading> readings) {
  if (readings.empty()) return std::nullopt;
  const CounterReading* first = nullptr;
  const CounterReading* last = nullptr;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (readings[i].joules == readings[i - 1].joules) continue;
    if (first == nullptr) first = &readings[i];
    last = &readings[i];
  }
  if (first == last) {
    first = &readings.front();
    last = &readings.back();
  }
  if (!(last->at_s > first->at_s)) return std::nullopt;
  return CountedEnergy{first->at_s, last->at_s, last->joules - first->joules};
}

}  // namespace equipoise
