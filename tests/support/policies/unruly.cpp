// unruly: a policy in a library that breaks what its parameter says, for tests of the program.
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "shared_policies/policies/policy_library.hpp"

namespace {

using namespace equipoise;

enum Deed { nothing, stalls, forgets, differs, hangs, crashes, throws, throws_when_made };

class Unruly final : public Policy {
 public:
  explicit Unruly(std::size_t deed) : deed_(deed) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (deed_ == hangs) decisions.set_timer(view.now());
    const auto* idle = std::get_if<UnitIdle>(&event.what);
    if (idle == nullptr || deed_ == hangs || deed_ == stalls) return;
    if (deed_ == crashes) std::raise(SIGKILL);
    if (deed_ == throws) throw std::logic_error("nothing comes to mind");
    if (deed_ == forgets && given_ >= view.workload().items) return;
    const Items asked = deed_ == differs ? 1 + calls++ % 7 : 10;
    given_ += decisions.assign(idle->unit, asked);
  }

 private:
  static inline Items calls = 0;  // of all runs of this process
  std::size_t deed_;
  Items given_ = 0;
};

std::unique_ptr<Policy> make(const Parameters& parameters, const KnownCosts* /*known*/) {
  const std::size_t deed =
      parameters.choice("does", {"nothing", "stalls", "forgets", "differs", "hangs", "crashes",
                                 "throws", "throws_when_made"});
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
