// Finds contradictions between the events of a scenario.
#include "traces/scenario_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Limits of the product of all disturbances of one target's speed or bandwidth.
constexpr double least_factor = 1e-12;
constexpr double most_factor = 1e12;

bool tell_the_same(const Disturbance& a, const Disturbance& b) {
  const auto same_step = [](const SpeedStep& s, const SpeedStep& t) {
    return s.since == t.since && s.factor == t.factor;
  };
  return a.kind == b.kind && a.target == b.target && a.at == b.at && a.until == b.until &&
         a.amount == b.amount &&
         std::equal(a.profile.begin(), a.profile.end(), b.profile.begin(), b.profile.end(),
                    same_step);
}

/// Positions in Scenario::events.
using Places = std::vector<std::size_t>;

/// Refuses contradictory events of one target.
class TargetCheck {
 public:
  TargetCheck(const ScenarioFile& file, const Places& places) : file_(file), places_(places) {}

  void check() const {
    check_repetitions();
    check_presence();
    const std::string& target = event(places_.front()).target;
    const bool is_link = event(places_.front()).kind == DisturbanceKind::bandwidth;
    check_range(is_link ? file_.scenario.bandwidth_of(target) : file_.scenario.speed_of(target),
                is_link ? "bandwidth" : "speed");
  }

 private:
  /// A unit leaves or joins at time `at`, because of the event at position `place`.
  struct Change {
    Seconds at;
    bool present;
    std::size_t place;
  };

  [[nodiscard]] const Disturbance& event(std::size_t place) const {
    return file_.scenario.events[place];
  }

  void check_repetitions() const {
    Places sorted = places_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [this](auto a, auto b) { return event(a).at < event(b).at; });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      for (std::size_t j = i + 1; j < sorted.size(); ++j) {
        if (event(sorted[j]).at > event(sorted[i]).at) break;
        if (!tell_the_same(event(sorted[i]), event(sorted[j]))) continue;
        throw InputError(file_.where[sorted[j]],
                         fmt::format("the same event stands at {} already; leave one out, or make "
                                     "them differ",
                                     file_.where[sorted[i]]));
      }
    }
  }

  void check_presence() const {
    std::vector<Change> changes;
    for (const std::size_t place : places_) {
      const Disturbance& e = event(place);
      if (e.kind == DisturbanceKind::join) changes.push_back({e.at, true, place});
      if (e.kind != DisturbanceKind::fail) continue;
      changes.push_back({e.at, false, place});
      if (e.until < Seconds::infinity()) changes.push_back({e.until, true, place});
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.at < b.at; });
    for (std::size_t i = 1; i < changes.size(); ++i) {
      const Change& before = changes[i - 1];
      const Change& now = changes[i];
      if (before.at < now.at && before.present != now.present) continue;
      const std::size_t place = std::max(before.place, now.place);
      throw InputError(
          file_.where[place],
          fmt::format(
              "{0} {1} at {2} s and {3} at {4} s; `fail` and `join` of a unit must alternate",
              event(place).target, before.present ? "joins" : "fails", before.at.value,
              now.present ? "joins" : "fails", now.at.value));
    }
  }

  void check_range(const StepFunction& function, const char* of_what) const {
    std::vector<Seconds> times = function.changes();
    times.push_back(Seconds{});
    for (const Seconds time : times) {
      const double factor = function.at(time);
      if (factor >= least_factor && factor <= most_factor) continue;
      throw InputError(
          file_.where[places_.back()],
          fmt::format(
              "from {:.6g} s on the {} of {} is {:.3g} times the original; keep it from {:g} to "
              "{:g}",
              time.value, of_what, event(places_.back()).target, factor, least_factor,
              most_factor));
    }
  }

  const ScenarioFile& file_;
  const Places& places_;
};

}  // namespace

void check_contradictions(const ScenarioFile& file) {
  std::map<std::pair<bool, std::string>, Places> by_target;
  for (std::size_t i = 0; i < file.scenario.events.size(); ++i) {
    const Disturbance& event = file.scenario.events[i];
    by_target[{event.kind == DisturbanceKind::bandwidth, event.target}].push_back(i);
  }
  for (const auto& [target, places] : by_target) TargetCheck(file, places).check();
}

}  // namespace equipoise
