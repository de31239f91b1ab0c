// An indexed binary heap.
#include "sim/timeline.hpp"

#include <numeric>

namespace equipoise {

Timeline::Timeline(std::size_t slots) : date_(slots, Seconds::infinity()), place_(slots) {
  std::iota(place_.begin(), place_.end(), 0);
  heap_ = place_;
}

void Timeline::set(std::uint32_t slot, Seconds at) {
  date_[slot] = at;
  rise(place_[slot]);
  sink(place_[slot]);
}

void Timeline::put(std::size_t place, std::uint32_t slot) {
  heap_[place] = slot;
  place_[slot] = static_cast<std::uint32_t>(place);
}

void Timeline::rise(std::size_t place) {
  const std::uint32_t slot = heap_[place];
  while (place > 0 && before(slot, heap_[(place - 1) / 2])) {
    put(place, heap_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(place, slot);
}

void Timeline::sink(std::size_t place) {
  const std::uint32_t slot = heap_[place];
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], slot)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, slot);
}

}  // namespace equipoise
