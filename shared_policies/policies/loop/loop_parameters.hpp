// The parameters that several policies of the loop self-scheduling family have, and reading them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/parameters.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/loop/item_times.hpp"

namespace equipoise {

/// `min_block_items`: the smallest block; nothing for a grain.
[[nodiscard]] ParameterInfo min_block_parameter();
[[nodiscard]] std::optional<Items> min_block(const Parameters& read);

/// `time`: what counts as a block's time.
[[nodiscard]] ParameterInfo time_parameter(const std::string& default_text);
[[nodiscard]] TimedPart timed_part(const Parameters& read);

/// `unknown`: what is assumed of a unit without a finished block.
[[nodiscard]] ParameterInfo unknown_parameter();
[[nodiscard]] UnknownUnit unknown_unit(const Parameters& read);

/// A number of at least 0; nothing for `word`.
[[nodiscard]] std::optional<double> number_or_word(const Parameters& read, const std::string& name,
                                                   const std::string& word);

/// Relative speeds as item times (n): one for each unit of the run; nothing for "auto". Throws
/// InputError where `known` tells that there are more or fewer units.
[[nodiscard]] std::optional<std::vector<std::optional<double>>> item_times_or_auto(
    const Parameters& read, const std::string& name, const KnownCosts* known);

}  // namespace equipoise
