// Puts sizes together; then one wait in each equal part of the time that was computed.
#include "shared_policies/machine/interruptions.hpp"

#include <algorithm>
#include <map>

#include "shared_policies/machine/block_timing.hpp"

namespace equipoise {
namespace {

constexpr std::int64_t most_of_a_block = 1000;

}  // namespace

void Interruptions::Sizes::add(const Sizes& other) {
  most_items = std::max(most_items, other.most_items);
  waits_s.insert(waits_s.end(), other.waits_s.begin(), other.waits_s.end());
  computed_s += other.computed_s;
  waited_s += other.waited_s;
}

Interruptions::Interruptions(const Trace& trace, std::uint32_t unit) {
  std::map<double, Sizes> by_items;
  for (const TraceSample& sample : trace.samples) {
    if (sample.unit != unit || !sample.waited_s) continue;
    Sizes& size = by_items[sample.items];
    size.most_items = sample.items;
    if (!sample.is_outlier) size.computed_s += sample.compute_mean_s;
    if (!(*sample.waited_s > 0.0)) continue;
    const std::int64_t waits =
        std::clamp<std::int64_t>(sample.waits.value_or(1), 1, most_of_a_block);
    size.waits_s.insert(size.waits_s.end(), static_cast<std::size_t>(waits),
                        *sample.waited_s / static_cast<double>(waits));
    size.waited_s += *sample.waited_s;
  }
  Sizes together;
  for (const auto& [items, size] : by_items) {
    together.add(size);
    if (together.waits_s.size() < enough_waits) continue;
    sizes_.push_back(together);
    together = {};
  }
  if (sizes_.empty()) {
    if (!together.waits_s.empty()) sizes_.push_back(together);
  } else {
    sizes_.back().add(together);
  }
}

const Interruptions::Sizes* Interruptions::of(double items) const {
  if (sizes_.empty()) return nullptr;
  const auto found = std::ranges::lower_bound(sizes_, items, {}, &Sizes::most_items);
  return found == sizes_.end() ? &sizes_.back() : &*found;
}

double Interruptions::share(double items) const {
  const Sizes* const sizes = of(items);
  return sizes == nullptr ? 0.0 : sizes->share();
}

Seconds Interruptions::between(Seconds begin, Seconds end, double items, const Draw& draw) const {
  constexpr double most_waits = 1e5;
  const Sizes* const sizes = of(items);
  if (sizes == nullptr || !(sizes->computed_s > 0.0)) return {};
  const std::vector<double>& waits_s = sizes->waits_s;
  const auto count = static_cast<double>(waits_s.size());
  const double spacing_s = sizes->computed_s / count;
  if ((end - begin).value > most_waits * spacing_s) return sizes->share() * (end - begin);
  Seconds sum;
  const auto part_of = [&](Seconds at) { return static_cast<std::uint64_t>(at.value / spacing_s); };
  for (std::uint64_t part = part_of(begin); part <= part_of(end); ++part) {
    const double at_s = (static_cast<double>(part) + draw.quantile(2 * part)) * spacing_s;
    if (at_s < begin.value || at_s >= end.value) continue;
    const auto which = static_cast<std::size_t>(draw.quantile(2 * part + 1) * count);
    sum += Seconds{waits_s[std::min(which, waits_s.size() - 1)]};
  }
  return sum;
}

}  // namespace equipoise
