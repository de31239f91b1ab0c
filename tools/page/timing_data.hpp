// The times of a trace as data of a report page.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "shared_policies/machine/trace.hpp"

namespace equipoise {

/// A JSON object: `kernel`, `item`, and for each unit with samples its `id`, the recorded range of
/// sizes (`recorded`), the samples (items, seconds, their deviation or null, how many they are),
/// and `curve`, the mean times (items, seconds) of which simulations take those of blocks: at the
/// recorded sizes, between them, and to a quarter of the smallest and four times the largest.
[[nodiscard]] nlohmann::ordered_json timing_data(const Trace& trace);

}  // namespace equipoise
