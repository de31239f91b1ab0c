// Policies given by a function, and small workloads and setups, for tests.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "shared_policies/contract/memory_journal.hpp"
#include "shared_policies/run/policy.hpp"
#include "shared_policies/run/run_loop.hpp"

namespace equipoise {

/// A policy given by a function.
class Scripted final : public Policy {
 public:
  using Script = std::function<void(const View&, const Event&, Decisions&)>;
  explicit Scripted(Script script) : script_(std::move(script)) {}
  void decide(const View& view, const Event& event, Decisions& decisions) override {
    script_(view, event, decisions);
  }

 private:
  Script script_;
};

/// A policy that gives `items` to every idle unit.
inline Scripted pieces_of(Items items) {
  return Scripted([items](const View&, const Event& event, Decisions& decisions) {
    if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit, items);
    }
  });
}

inline Workload items_of(Items items, Items grain = 1, int iterations = 1) {
  Workload workload;
  workload.kernel = "test";
  workload.items = items;
  workload.grain_items = grain;
  workload.iterations = iterations;
  return workload;
}

inline RunSetup setup_of(std::size_t units, Workload workload) {
  RunSetup setup;
  for (std::size_t i = 0; i < units; ++i) {
    Unit unit;
    unit.name = "u" + std::to_string(i);
    setup.units.push_back(unit);
  }
  setup.phases = {std::move(workload)};
  return setup;
}

}  // namespace equipoise
