// Lists the words of events.
#include "shared_policies/run/event_words.hpp"

#include <algorithm>
#include <array>

#include "shared_policies/machine/scenario.hpp"

namespace equipoise {
namespace {

constexpr std::array<std::string_view, 7> words_of_the_loop = {
    "iteration_started", "block_lost",     "block_outstanding", "unit_lost",
    "unit_joined",       "policy_stalled", "timer_fired"};

constexpr std::array disturbances = {DisturbanceKind::compete, DisturbanceKind::slow,
                                     DisturbanceKind::profile, DisturbanceKind::bandwidth,
                                     DisturbanceKind::fail,    DisturbanceKind::join};

}  // namespace

bool is_word_of_an_event(std::string_view word) {
  return std::ranges::find(words_of_the_loop, word) != words_of_the_loop.end() ||
         std::ranges::any_of(disturbances,
                             [word](DisturbanceKind kind) { return word == to_string(kind); });
}

}  // namespace equipoise
