// Holds the words of events, and says what the events have in common.
#include "shared_policies/run/run_event.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "shared_policies/model/overload.hpp"

namespace equipoise {
namespace {

/// The words of events, both to write and to read them.
struct WordOf {
  std::string_view operator()(const IterationBegin&) const { return "iteration_started"; }
  std::string_view operator()(const LostBlock&) const { return "block_lost"; }
  std::string_view operator()(const LateEnd&) const { return "late_end"; }
  std::string_view operator()(const UnfinishedBlock&) const { return "block_outstanding"; }
  std::string_view operator()(const UnitLost&) const { return "unit_lost"; }
  std::string_view operator()(const UnitJoined&) const { return "unit_joined"; }
  std::string_view operator()(const ProbeBegin&) const { return "probe"; }
  std::string_view operator()(const Probed&) const { return "probed"; }
  std::string_view operator()(const TimerEnd&) const { return "timer_fired"; }
  std::string_view operator()(const PolicyStall&) const { return "policy_stalled"; }
  std::string_view operator()(const Disturbance& event) const { return to_string(event.kind); }
  std::string_view operator()(const Note& note) const { return note.text; }
};

/// One event for each word.
template <std::size_t... I>
std::vector<RunEvent> one_of_each_word(std::index_sequence<I...> /*alternatives*/) {
  std::vector<RunEvent> events = {RunEvent(std::in_place_index<I>)...};
  std::erase_if(events, [](const RunEvent& event) {
    return std::holds_alternative<Disturbance>(event) || std::holds_alternative<Note>(event);
  });
  for (const Word<DisturbanceKind>& one : words(DescriptionOf<DisturbanceKind>{})) {
    Disturbance disturbance;
    disturbance.kind = one.value;
    events.emplace_back(std::move(disturbance));
  }
  return events;
}

}  // namespace

std::string_view word_of(const RunEvent& event) { return std::visit(WordOf{}, event); }

std::optional<RunEvent> event_called(std::string_view word) {
  static const std::vector<RunEvent> events =
      one_of_each_word(std::make_index_sequence<std::variant_size_v<RunEvent>>());
  const auto found = std::ranges::find_if(
      events, [word](const RunEvent& event) { return word_of(event) == word; });
  return found == events.end() ? std::nullopt : std::optional(*found);
}

bool is_counted(const RunEvent& event) {
  return std::visit(
      Overload{[](const OneOf<LostBlock, LateEnd, UnitLost, UnitJoined, Probed, TimerEnd> auto&) {
                 return true;
               },
               [](const OneOf<IterationBegin, UnfinishedBlock, ProbeBegin, PolicyStall, Disturbance,
                              Note> auto&) { return false; }},
      event);
}

std::optional<UnitId> unit_of(const RunEvent& event) {
  return std::visit(
      [](const auto& one) -> std::optional<UnitId> {
        if constexpr (requires { one.unit; }) return one.unit;
        return std::nullopt;
      },
      event);
}

const Block* block_of(const RunEvent& event) {
  return std::visit(
      [](const auto& one) -> const Block* {
        if constexpr (requires { one.block; }) return &one.block;
        return nullptr;
      },
      event);
}

const Probe* probe_of(const RunEvent& event) {
  return std::visit(
      [](const auto& one) -> const Probe* {
        if constexpr (requires { one.probe; }) return &one.probe;
        return nullptr;
      },
      event);
}

}  // namespace equipoise
