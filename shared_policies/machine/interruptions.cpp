// Pools block sizes until each group has enough waits, and draws one wait in each equal part of the
// computing.
#include "shared_policies/machine/interruptions.hpp"

#include <algorithm>
#include <map>

#include "shared_policies/machine/block_timing.hpp"

namespace equipoise {
namespace {

constexpr std::int64_t most_of_a_block = 1000;

}  // namespace

void Interruptions::Group::add(const Group& other) {
  most_items = std::max(most_items, other.most_items);
  waits_s.insert(waits_s.end(), other.waits_s.begin(), other.waits_s.end());
  computed_s += other.computed_s;
  waited_s += other.waited_s;
}

Interruptions::Interruptions(const Trace& trace, std::uint32_t unit) {
  std::map<double, Group> by_items;
  std::map<double, double> ordinary;  // number of samples by items
  std::map<double, double> outliers;
  for (const TraceSample& sample : trace.samples) {
    if (sample.unit != unit || !sample.waited_s) continue;
    Group& size = by_items[sample.items];
    size.most_items = sample.items;
    (sample.is_outlier ? outliers : ordinary)[sample.items] += 1.0;
    if (!sample.is_outlier) size.computed_s += sample.compute_mean_s;
    if (!(*sample.waited_s > 0.0)) continue;
    const std::int64_t waits =
        std::clamp<std::int64_t>(sample.waits.value_or(1), 1, most_of_a_block);
    size.waits_s.insert(size.waits_s.end(), static_cast<std::size_t>(waits),
                        *sample.waited_s / static_cast<double>(waits));
    size.waited_s += *sample.waited_s;
  }
  for (auto& [items, size] : by_items) {
    if (ordinary[items] > 0.0) size.computed_s *= 1.0 + outliers[items] / ordinary[items];
  }
  Group together;
  for (const auto& [items, size] : by_items) {
    together.add(size);
    if (together.waits_s.size() < enough_waits) continue;
    groups_.push_back(together);
    together = {};
  }
  if (groups_.empty()) {
    if (!together.waits_s.empty()) groups_.push_back(together);
  } else {
    groups_.back().add(together);
  }
}

const Interruptions::Group* Interruptions::of(double items) const {
  if (groups_.empty()) return nullptr;
  const auto found = std::ranges::lower_bound(groups_, items, {}, &Group::most_items);
  return found == groups_.end() ? &groups_.back() : &*found;
}

double Interruptions::share(double items) const {
  const Group* const group = of(items);
  return group == nullptr ? 0.0 : group->share();
}

Seconds Interruptions::between(Seconds begin, Seconds end, double items, const Draw& draw) const {
  constexpr double most_waits = 1e5;
  const Group* const group = of(items);
  if (group == nullptr || !(group->computed_s > 0.0)) return {};
  const std::vector<double>& waits_s = group->waits_s;
  const auto count = static_cast<double>(waits_s.size());
  const double spacing_s = group->computed_s / count;
  if ((end - begin).value > most_waits * spacing_s) return group->share() * (end - begin);
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
