// Shares of the units that need the least energy per item, from which searches for energy begin.
#pragma once

#include <cstddef>
#include <vector>

#include "tools/simulations/sim_world.hpp"

namespace equipoise {

inline constexpr std::size_t most_prefixes = 12;

/// Shares (n) of the last phase of `world`, one after another for the first group, the first two,
/// ... of `groups` in the order of their dynamic energy per item, in proportion to the units'
/// speeds; 0 for the others. Of many groups, twelve such prefixes that are spread evenly, with the
/// whole. The least energy and the least EDP are at one of these if times are proportional to items
/// and nothing is copied (`solve_prefix`). Energy per item and speed are those of an even share in
/// one block. Units need watts.
[[nodiscard]] std::vector<std::vector<double>> energy_prefixes(
    const SimWorld& world, const std::vector<std::vector<std::size_t>>& groups);

}  // namespace equipoise
