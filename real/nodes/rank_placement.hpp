// Places the units of several ranks on cores: those of one host never share one while there are
// others.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "real/machine.hpp"

namespace equipoise {

/// The units of a rank, and where they may compute.
struct RankUnits {
  std::string host;  ///< the same for ranks of one host
  Machine machine;   ///< with the hardware threads that the rank may use
  std::vector<PlacedUnit> units;
};

/// (ranks) The placement of each rank's units, in which `waiting` are hardware threads on which no
/// unit of the host computes, if there are any. Warns where units of two ranks share a core.
[[nodiscard]] std::vector<Placement> place_ranks(std::span<const RankUnits> ranks);

/// Names the host of this process: the same for all processes of a host, and for no other one.
[[nodiscard]] std::string this_host();

}  // namespace equipoise
