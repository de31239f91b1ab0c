// Computes the speed, bandwidth and presence of each unit and link from a list of disturbances.
#include "shared_policies/machine/scenario.hpp"

#include <algorithm>
#include <span>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Multiplies `speed`, or a bandwidth, by the factors of the event's profile.
void apply_profile(const Disturbance& event, StepFunction& speed) {
  for (std::size_t i = 0; i < event.profile.size(); ++i) {
    const bool is_last = i + 1 == event.profile.size();
    const Seconds end = is_last ? event.until : event.at + event.profile[i + 1].since;
    speed.multiply(event.at + event.profile[i].since, std::min(end, event.until),
                   event.profile[i].factor);
  }
}

}  // namespace

StepFunction Presence::function() const {
  StepFunction there;
  if (!at_start) there.become(Seconds{}, 0.0);
  for (const PresenceChange& change : changes) there.become(change.at, change.present ? 1.0 : 0.0);
  return there;
}

StepFunction Scenario::speed_of(const std::string& unit) const {
  StepFunction speed;
  for (const Disturbance& event : events) {
    if (event.target != unit) continue;
    if (event.kind == DisturbanceKind::compete) {
      speed.multiply(event.at, event.until, 1.0 - event.amount);
    } else if (event.kind == DisturbanceKind::slow) {
      speed.multiply(event.at, event.until, 1.0 / event.amount);
    } else if (event.kind == DisturbanceKind::profile) {
      apply_profile(event, speed);
    }
  }
  return speed;
}

StepFunction Scenario::bandwidth_of(const std::string& link) const {
  StepFunction bandwidth;
  for (const Disturbance& event : events) {
    if (event.target != link || event.kind != DisturbanceKind::bandwidth) continue;
    if (event.profile.empty()) {
      bandwidth.multiply(event.at, event.until, event.amount);
    } else {
      apply_profile(event, bandwidth);
    }
  }
  return bandwidth;
}

Presence Scenario::presence_of(const std::string& unit) const {
  std::vector<PresenceChange> wanted;
  for (const Disturbance& event : events) {
    if (event.target != unit) continue;
    if (event.kind == DisturbanceKind::fail) {
      wanted.push_back({event.at, false});
      if (event.until < Seconds::infinity()) wanted.push_back({event.until, true});
    } else if (event.kind == DisturbanceKind::join) {
      wanted.push_back({event.at, true});
    }
  }
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  Presence presence;
  if (!wanted.empty()) presence.at_start = !wanted.front().present;
  bool is_present = presence.at_start;
  for (const PresenceChange& change : wanted) {
    if (change.present == is_present) continue;
    presence.changes.push_back(change);
    is_present = change.present;
  }
  return presence;
}

namespace {

StepFunction scaled(StepFunction rate, double factor) {
  rate.multiply(Seconds{}, Seconds::infinity(), factor);
  return rate;
}

}  // namespace

DisturbedPlatform::DisturbedPlatform(const Platform& p, const Scenario& s)
    : platform(p), scenario(s) {
  for (const Link& link : platform.links) {
    link_bytes_per_s.push_back(
        scaled(scenario.bandwidth_of(link.name), link.bandwidth_bytes_per_s));
  }
}

StepFunction DisturbedPlatform::bandwidth_of(const std::vector<std::uint32_t>& links) const {
  std::vector<StepFunction> rates;
  for (const std::uint32_t link : links) rates.push_back(link_bytes_per_s[link]);
  if (rates.empty()) return {};
  return combined(rates, [](std::span<const double> now) { return std::ranges::min(now); });
}

StepFunction DisturbedPlatform::rate_of(const Route& route) const {
  if (route.links.empty()) return {};
  const double undisturbed = copy_speed_of(platform.links, route).bandwidth_bytes_per_s;
  return combined({bandwidth_of(route.links)},
                  [=](std::span<const double> now) { return now[0] / undisturbed; });
}

StepFunction DisturbedPlatform::copy_rate_of(const PlatformUnit& unit, const Route& route) const {
  if (unit.unit.copy_engines > 0) return rate_of(route);
  return product(rate_of(route), scenario.speed_of(unit.unit.name));
}

}  // namespace equipoise
