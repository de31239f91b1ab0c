// noting: a policy in a library that writes a note and reports a decision, in the words that its
// parameters give, for tests of the program.
#include <utility>

#include "shared_policies/policies/policy_library.hpp"

namespace {

using namespace equipoise;

class Noting final : public Policy {
 public:
  Noting(std::string note, std::string kind) : note_(std::move(note)), kind_(std::move(kind)) {}

  void decide(const View& /*view*/, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<RunStarted>(event.what)) {
      decisions.note(note_);
      decisions.decided({{}, OwnDecisionKind{kind_}, {}});
    }
    const auto* idle = std::get_if<UnitIdle>(&event.what);
    if (idle != nullptr) decisions.assign(idle->unit, 100);
  }

 private:
  std::string note_;
  std::string kind_;
};

std::unique_ptr<Policy> make(const Parameters& parameters, const KnownCosts* /*known*/) {
  return std::make_unique<Noting>(parameters.text("note"), parameters.text("kind"));
}

PolicyInfo info() {
  PolicyInfo info;
  info.name = "noting";
  info.line = "for tests";
  info.source = "our own";
  info.parameters = {{"note", "nothing", "", "what it notes", ""},
                     {"kind", "guess", "", "of which kind its decision is", ""}};
  info.make = make;
  return info;
}

}  // namespace

const equipoise::PolicyLibrary* equipoise_policy() {
  static constexpr equipoise::PolicyLibrary library{.info = info};
  return &library;
}
