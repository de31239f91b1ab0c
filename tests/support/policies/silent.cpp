// silent: a policy in a library that never answers, for tests of the program.
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "shared_policies/policies/policy_library.hpp"

namespace {

using namespace equipoise;

[[noreturn]] void be_silent() {
  // Sleeping lets checkers of races deliver signals.
  while (true) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class Silent final : public Policy {
 public:
  explicit Silent(std::string sign) : sign_(std::move(sign)) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (view.remaining() < view.workload().items / 2) {
      std::ofstream(sign_) << "silent";
      be_silent();
    }
    const auto* idle = std::get_if<UnitIdle>(&event.what);
    if (idle != nullptr) decisions.assign(idle->unit, view.workload().items / 20);
  }

 private:
  std::string sign_;  ///< a file that it makes before it falls silent
};

std::unique_ptr<Policy> make(const Parameters& parameters, const KnownCosts* /*known*/) {
  if (parameters.flag("when_made")) be_silent();
  return std::make_unique<Silent>(parameters.text("sign"));
}

PolicyInfo info() {
  PolicyInfo info;
  info.name = "silent";
  info.line = "for tests";
  info.source = "our own";
  info.parameters = {{"when_made", "false", "", "whether it is never made", ""},
                     {"sign", "/dev/null", "", "a file that it makes", ""}};
  info.make = make;
  info.answer_limit_s = LIMIT_S;
  return info;
}

}  // namespace

const equipoise::PolicyLibrary* equipoise_policy() {
  static constexpr equipoise::PolicyLibrary library{.info = info};
  return &library;
}
