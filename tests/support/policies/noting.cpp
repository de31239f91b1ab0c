// noting: a policy in a library that writes the note which its parameter gives, for tests of the
// program.
#include <utility>

#include "shared_policies/policies/policy_library.hpp"

namespace {

using namespace equipoise;

class Noting final : public Policy {
 public:
  explicit Noting(std::string note) : note_(std::move(note)) {}

  void decide(const View& /*view*/, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<RunStarted>(event.what)) decisions.note(note_);
    const auto* idle = std::get_if<UnitIdle>(&event.what);
    if (idle != nullptr) decisions.assign(idle->unit, 100);
  }

 private:
  std::string note_;
};

std::unique_ptr<Policy> make(const Parameters& parameters, const KnownCosts* /*known*/) {
  return std::make_unique<Noting>(parameters.text("note"));
}

PolicyInfo info() {
  PolicyInfo info;
  info.name = "noting";
  info.line = "for tests";
  info.source = "our own";
  info.parameters = {{"note", "nothing", "", "what it notes", ""}};
  info.make = make;
  return info;
}

}  // namespace

const equipoise::PolicyLibrary* equipoise_policy() {
  static constexpr equipoise::PolicyLibrary library{.info = info};
  return &library;
}
