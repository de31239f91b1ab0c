// probing: a policy in a library that asks all links before it hands out anything, and then gives
// each idle unit 100 items; for tests of the program.
#include "shared_policies/policies/policy_library.hpp"

namespace {

using namespace equipoise;

class Probing final : public Policy {
 public:
  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<IterationStarted>(event.what)) {
      for (const UnitState& unit : view.units()) decisions.probe(unit.id, 1e6, 1e5, unit.id.index);
    }
    if (view.probes() > 0) return;
    if (std::holds_alternative<Probed>(event.what)) {
      for (const UnitState& unit : view.units()) decisions.assign(unit.id, 100);
    }
    const auto* idle = std::get_if<UnitIdle>(&event.what);
    if (idle != nullptr) decisions.assign(idle->unit, 100);
  }
};

std::unique_ptr<Policy> make(const Parameters& /*parameters*/, const KnownCosts* /*known*/) {
  return std::make_unique<Probing>();
}

PolicyInfo info() {
  PolicyInfo info;
  info.name = "probing";
  info.line = "for tests";
  info.source = "our own";
  info.make = make;
  return info;
}

}  // namespace

const equipoise::PolicyLibrary* equipoise_policy() {
  static constexpr equipoise::PolicyLibrary library{.info = info};
  return &library;
}
