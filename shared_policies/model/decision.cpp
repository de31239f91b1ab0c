// Finds the words of kinds of decisions, and kinds by their words.
#include "shared_policies/model/decision.hpp"

#include "shared_policies/model/overload.hpp"

namespace equipoise {

std::string_view decision_word(const AnyDecisionKind& kind) {
  return std::visit(Overload{[](DecisionKind known) { return std::string_view(word_of(known)); },
                             [](const OwnDecisionKind& own) { return std::string_view(own.word); }},
                    kind);
}

AnyDecisionKind decision_called(std::string_view word) {
  if (const auto known = called<DecisionKind>(word)) return *known;
  return OwnDecisionKind{std::string(word)};
}

}  // namespace equipoise
