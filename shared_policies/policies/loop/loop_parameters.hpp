// The parameters that several policies of the loop self-scheduling family share, and functions that
// read them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/specs/parameters.hpp"

namespace equipoise {

/// `min_block_items`: the smallest block; nothing means one grain.
[[nodiscard]] ParameterInfo min_block_parameter();
[[nodiscard]] std::optional<Items> min_block(const Parameters& read);

/// `time`: what counts as a block's time.
[[nodiscard]] ParameterInfo time_parameter(const std::string& default_text);
[[nodiscard]] TimedPart timed_part(const Parameters& read);

/// `unknown`: the item time assumed for a unit without a finished block.
[[nodiscard]] ParameterInfo unknown_parameter();
[[nodiscard]] UnknownUnit unknown_unit(const Parameters& read);

/// Reads a number of at least 0; returns nothing for "auto".
[[nodiscard]] std::optional<double> number_or_auto(const Parameters& read, const std::string& name);

/// Reads relative speeds, one for each unit of the run, and returns them as item times (n); nothing
/// for "auto". Throws InputError if `known` has another number of units.
[[nodiscard]] std::optional<std::vector<std::optional<double>>> item_times_or_auto(
    const Parameters& read, const std::string& name, const KnownCosts* known);

}  // namespace equipoise
