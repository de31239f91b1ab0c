// Block sizes that several policies share.
#pragma once

#include <optional>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// The first block of a unit: `given`, or 0.10 of the items over 15 blocks on each of the n units,
///
///     x0 = round(0.10 * items / (15 n))
///
/// rounded to the grain, at least one grain. The papers choose it so that training takes about 10 %
/// of the run, and give all policies the same; 15 = 1 + 2 + 4 + 8 first blocks are what four rounds
/// take of the fastest unit. Source: PLB-HeC section V; contract, "Policy names".
[[nodiscard]] Items initial_block(const View& view, std::optional<Items> given);

}  // namespace equipoise
