// Collects block times by octaves of block sizes, and joins those of several runs.
#include "shared_policies/run/experience_journal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <variant>

namespace equipoise {
namespace {

constexpr double keep = 0.5;          // of the weight of earlier runs, with every run
constexpr double blocks_max = 64.0;   // a size counts as at most so many blocks
constexpr double change_sds = 3.0;    // a larger difference means that the unit has changed
constexpr double least_change = 0.1;  // relative
constexpr double forgotten = 0.01;    // sizes of fewer blocks are removed

int octave_of(double items) { return std::ilogb(items); }

double count(const std::vector<LearnedSize>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 0.0,
                         [](double sum, const LearnedSize& size) { return sum + size.blocks; });
}

/// The mean logarithm of the ratio of new to old times per item, over octaves that both have;
/// nothing if there are none.
std::optional<double> change(const std::vector<LearnedSize>& before,
                             const std::vector<LearnedSize>& now) {
  double weight = 0.0;
  double sum = 0.0;
  for (const LearnedSize& size : now) {
    const auto same = std::ranges::find(before, octave_of(size.items),
                                        [](const LearnedSize& of) { return octave_of(of.items); });
    if (same == before.end()) continue;
    const double both = std::min(size.blocks, same->blocks);
    weight += both;
    sum += both * std::log(size.seconds / size.items / (same->seconds / same->items));
  }
  if (weight == 0.0) return std::nullopt;
  return sum / weight;
}

bool has_changed(const LearnedCost& before, const LearnedCost& now) {
  const double sd = std::hypot(std::max(before.scatter, now.scatter), before.uncertainty);
  const double most = std::max(change_sds * sd, least_change);
  const auto alone = change(before.alone, now.alone);
  const auto queued = change(before.queued, now.queued);
  return (alone && std::abs(*alone) > most) || (queued && std::abs(*queued) > most);
}

/// Where `sizes` have, or would have, the octave of `items`, and whether they have it.
std::pair<std::vector<LearnedSize>::iterator, bool> find_octave(std::vector<LearnedSize>& sizes,
                                                                double items) {
  const auto place = std::ranges::lower_bound(
      sizes, octave_of(items), {}, [](const LearnedSize& of) { return octave_of(of.items); });
  return {place, place != sizes.end() && octave_of(place->items) == octave_of(items)};
}

std::vector<LearnedSize> joined(std::vector<LearnedSize> sizes,
                                const std::vector<LearnedSize>& now) {
  for (LearnedSize& size : sizes) size.blocks *= keep;
  for (const LearnedSize& more : now) {
    const auto [place, is_known] = find_octave(sizes, more.items);
    if (!is_known) {
      sizes.insert(place, more);
      continue;
    }
    const double blocks = place->blocks + more.blocks;
    place->items = (place->blocks * place->items + more.blocks * more.items) / blocks;
    place->seconds = (place->blocks * place->seconds + more.blocks * more.seconds) / blocks;
    place->blocks = blocks;
  }
  for (LearnedSize& size : sizes) size.blocks = std::min(size.blocks, blocks_max);
  std::erase_if(sizes, [](const LearnedSize& size) { return size.blocks < forgotten; });
  return sizes;
}

}  // namespace

LearnedCost with_new_run(const LearnedCost& before, const LearnedCost& now) {
  if (now.empty()) return before;
  if (before.empty() || has_changed(before, now)) return now;
  const double old_blocks = keep * (count(before.alone) + count(before.queued));
  const double new_blocks = count(now.alone) + count(now.queued);
  const auto mean = [&](double old_value, double new_value) {
    return (old_blocks * old_value + new_blocks * new_value) / (old_blocks + new_blocks);
  };
  return {joined(before.alone, now.alone), joined(before.queued, now.queued),
          now.alone.empty() ? before.stage_share : mean(before.stage_share, now.stage_share),
          mean(before.scatter, now.scatter), now.uncertainty};
}

ExperienceJournal::ExperienceJournal(std::size_t phases, std::size_t units)
    : shown_(phases, std::vector<Shown>(units)) {}

void ExperienceJournal::add(std::vector<Octave>& octaves, double items, double seconds) {
  const int exponent = octave_of(items);
  auto place = std::ranges::lower_bound(octaves, exponent, {}, &Octave::exponent);
  if (place == octaves.end() || place->exponent != exponent) {
    place = octaves.insert(place, Octave{exponent});
  }
  const double rate = seconds / items;
  place->blocks += 1.0;
  place->items += items;
  place->seconds += seconds;
  place->rates += rate;
  place->squared_rates += rate * rate;
}

void ExperienceJournal::block(const BlockRecord& record) {
  Shown& shown = shown_[static_cast<std::size_t>(record.block.phase)][record.unit.index];
  const auto items = static_cast<double>(record.block.items);
  const StageTimes& times = record.times;
  const double longest_s = std::max({times.in, times.compute, times.out}).value;
  const bool was_empty = !shown.last_end || *shown.last_end <= record.assigned;
  const Seconds begin = was_empty ? record.assigned : *shown.last_end;
  const double seconds = std::max((record.end - begin - times.setup).value, longest_s);
  const bool is_first = !shown.last_end;
  shown.last_end = record.end;
  if (seconds <= 0.0) return;
  if (is_first) {
    if (!shown.first) shown.first = LearnedSize{items, 1.0, seconds};
    return;
  }
  add(was_empty ? shown.alone : shown.queued, items, seconds);
  if (!was_empty) return;
  shown.alone_s += seconds;
  shown.stage_s += longest_s;
}

void ExperienceJournal::event(const EventRecord& record) {
  const auto* const lost = std::get_if<UnitLost>(&record.what);
  if (lost == nullptr) return;
  for (auto& phase : shown_) phase[lost->unit.index].last_end.reset();
}

LearnedCost ExperienceJournal::cost_of(const Shown& shown) {
  LearnedCost cost;
  double squares = 0.0;
  double degrees = 0.0;
  const auto sizes_of = [&](const std::vector<Octave>& octaves) {
    std::vector<LearnedSize> sizes;
    for (const Octave& of : octaves) {
      sizes.push_back({of.items / of.blocks, of.blocks, of.seconds / of.blocks});
      const double mean = of.rates / of.blocks;
      squares += std::max(0.0, of.squared_rates / (mean * mean) - of.blocks);
      degrees += of.blocks - 1.0;
    }
    return sizes;
  };
  cost.alone = sizes_of(shown.alone);
  cost.queued = sizes_of(shown.queued);
  if (shown.first) {  // when the unit was not warm yet: it counts if no other block had its size
    const auto [place, is_known] = find_octave(cost.alone, shown.first->items);
    if (!is_known) cost.alone.insert(place, *shown.first);
  }
  if (shown.alone_s > 0.0) cost.stage_share = shown.stage_s / shown.alone_s;
  if (degrees > 0.0) cost.scatter = std::sqrt(squares / degrees);
  return cost;
}

Experience ExperienceJournal::shown() const {
  Experience experience;
  for (const auto& phase : shown_) {
    auto& units = experience.emplace_back();
    for (const Shown& shown : phase) {
      LearnedCost cost = cost_of(shown);
      units.push_back(cost.empty() ? std::nullopt : std::optional(std::move(cost)));
    }
  }
  return experience;
}

}  // namespace equipoise
