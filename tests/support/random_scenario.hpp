// Scenarios drawn at random, for tests.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "shared_policies/machine/scenario.hpp"

namespace equipoise {

/// Disturbs the units u0, u1, ... and `links` in the first `span_s` seconds or so. Units compete,
/// slow down, have profiles, fail and come back, or come late; in the end all are there.
template <class Random>
Scenario random_scenario(std::size_t units, const std::vector<std::string>& links, double span_s,
                         Random& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto seconds = [&] { return Seconds{uniform(0, span_s)}; };
  Scenario scenario;
  const auto add = [&](DisturbanceKind kind, const std::string& target, double amount) {
    Disturbance event{
        .at = seconds(), .kind = kind, .target = target, .amount = amount, .profile = {}};
    if (random() % 2 == 0) event.until = event.at + seconds();
    scenario.events.push_back(event);
  };
  for (std::size_t i = 0; i < units; ++i) {
    const std::string unit = "u" + std::to_string(i);
    if (random() % 3 == 0) add(DisturbanceKind::compete, unit, uniform(0, 0.9));
    if (random() % 3 == 0) add(DisturbanceKind::slow, unit, uniform(0.2, 5));
    if (random() % 3 == 0) {
      add(DisturbanceKind::profile, unit, 1.0);
      scenario.events.back().profile = {{Seconds{}, uniform(0.1, 2)},
                                        {Seconds{uniform(0.01, 1) * span_s}, uniform(0.1, 2)}};
    }
    Seconds at;  // what comes next is later
    if (random() % 4 == 0) {
      at = seconds();
      scenario.events.push_back(
          {.at = at, .kind = DisturbanceKind::join, .target = unit, .profile = {}});
    }
    for (; random() % 2 == 0; at = scenario.events.back().until) {
      at += seconds();
      scenario.events.push_back({.at = at,
                                 .until = at + Seconds{1e-6} + seconds(),
                                 .kind = DisturbanceKind::fail,
                                 .target = unit,
                                 .profile = {}});
    }
  }
  for (const std::string& link : links) {
    if (random() % 3 == 0) add(DisturbanceKind::bandwidth, link, uniform(0.1, 3));
  }
  return scenario;
}

}  // namespace equipoise
