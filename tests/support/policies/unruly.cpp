// unruly: a policy in a library that breaks what its parameter says, for tests of the program.
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "shared_policies/policies/policy_library.hpp"

namespace {

using namespace equipoise;

enum Deed {
  nothing,
  stalls,
  forgets,
  differs,
  hangs,
  crashes,
  throws,
  throws_when_made,
  exits,
  exits_at_once,
  assigns_nowhere,
  hides_failures,
  estimates_nowhere
};

class Unruly final : public Policy {
 public:
  explicit Unruly(std::size_t deed) : deed_(deed) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (deed_ == hangs) decisions.set_timer(view.now());
    const auto* idle = std::get_if<UnitIdle>(&event.what);
    if (idle == nullptr || deed_ == hangs || deed_ == stalls) return;
    if (deed_ == crashes) std::raise(SIGKILL);
    if (deed_ == throws) throw std::logic_error("nothing comes to mind");
    if (deed_ == exits) std::exit(0);
    if (deed_ == exits_at_once) std::_Exit(0);
    if (deed_ == assigns_nowhere) decisions.assign(nowhere, 5);
    if (deed_ == hides_failures) hide_failure(decisions);
    if (deed_ == estimates_nowhere) {
      decisions.decided({{}, DecisionKind::fit, {{nowhere, "", {}, {}, 1}}});
    }
    if (deed_ == forgets && given_ >= view.workload().items) return;
    const Items asked = deed_ == differs ? 1 + calls++ % 7 : 10;
    given_ += decisions.assign(idle->unit, asked);
  }

 private:
  static constexpr UnitId nowhere{12345};

  static void hide_failure(Decisions& decisions) {
    try {
      decisions.assign(nowhere, 5);
    } catch (const std::exception&) {
      return;
    }
  }

  static inline Items calls = 0;  // of all runs of this process
  std::size_t deed_;
  Items given_ = 0;
};

std::unique_ptr<Policy> make(const Parameters& parameters, const KnownCosts* /*known*/) {
  const std::size_t deed =
      parameters.choice("does", {"nothing", "stalls", "forgets", "differs", "hangs", "crashes",
                                 "throws", "throws_when_made", "exits", "exits_at_once",
                                 "assigns_nowhere", "hides_failures", "estimates_nowhere"});
  if (deed == throws_when_made) throw std::runtime_error("not made");
  return std::make_unique<Unruly>(deed);
}

PolicyInfo info() {
  PolicyInfo info;
  info.name = "unruly";
  info.line = "for tests";
  info.source = "our own";
  info.parameters = {{"does", "nothing", "", "what it does wrong", ""}};
  info.make = make;
  return info;
}

}  // namespace

const equipoise::PolicyLibrary* equipoise_policy() {
  static constexpr equipoise::PolicyLibrary library{.info = info};
  return &library;
}
