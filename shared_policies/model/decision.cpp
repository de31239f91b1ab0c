// Holds the words of the kinds of decisions.
#include "shared_policies/model/decision.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/overload.hpp"

namespace equipoise {
namespace {

/// The words of files and messages, both to write and to read them.
constexpr std::array<std::pair<DecisionKind, std::string_view>, 10> kind_words = {{
    {DecisionKind::fit, "fit"},
    {DecisionKind::rebalance, "rebalance"},
    {DecisionKind::divide, "divide"},
    {DecisionKind::schedule, "schedule"},
    {DecisionKind::step, "step"},
    {DecisionKind::tail, "tail"},
    {DecisionKind::iteration, "iteration"},
    {DecisionKind::block_lost, "block_lost"},
    {DecisionKind::unit_lost, "unit_lost"},
    {DecisionKind::unit_joined, "unit_joined"},
}};

}  // namespace

std::string_view decision_word(const AnyDecisionKind& kind) {
  return std::visit(
      Overload{[](DecisionKind known) {
                 const auto* const row =
                     std::ranges::find(kind_words, known, [](const auto& of) { return of.first; });
                 EQ_CHECK(row != kind_words.end(), "every kind of decision has a word");
                 return row->second;
               },
               [](const OwnDecisionKind& own) { return std::string_view(own.word); }},
      kind);
}

AnyDecisionKind decision_called(std::string_view word) {
  const auto* const row =
      std::ranges::find(kind_words, word, [](const auto& of) { return of.second; });
  if (row != kind_words.end()) return row->first;
  return OwnDecisionKind{std::string(word)};
}

}  // namespace equipoise
