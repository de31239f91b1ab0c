// The parameters that several of the loop self-scheduling policies have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/speed_shares.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// `min_block_items`: the smallest block.
[[nodiscard]] ParameterInfo min_block_parameter();
/// Its value; nothing for "auto".
[[nodiscard]] std::optional<Items> min_block(const Parameters& read);

/// `unknown`: the item time assumed of units without a finished block.
[[nodiscard]] ParameterInfo unknown_parameter();
[[nodiscard]] UnknownUnit unknown_unit(const Parameters& read);

/// `sub_blocks`: the pieces of a unit's first block (see `FirstPieces`).
[[nodiscard]] ParameterInfo sub_blocks_parameter();

/// A number of at least `low`; nothing for "auto".
[[nodiscard]] std::optional<double> number_or_auto(const Parameters& read, const std::string& name,
                                                   double low = 0.0);

/// Positive numbers, one for each unit of the run. Throws InputError if `known` has another number
/// of units.
[[nodiscard]] std::vector<double> one_for_each_unit(const Parameters& read, const std::string& name,
                                                    const KnownCosts* known);

/// Relative speeds, one for each unit of the run, as item times (n); nothing for "auto". Throws
/// InputError if `known` has another number of units.
[[nodiscard]] std::optional<ItemSeconds> item_times_or_auto(const Parameters& read,
                                                            const std::string& name,
                                                            const KnownCosts* known);

}  // namespace equipoise
