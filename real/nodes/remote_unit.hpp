// Units of other nodes, as the master has them.
#pragma once

#include <memory>
#include <string>

#include "real/nodes/nodes.hpp"
#include "real/unit_spec.hpp"

namespace equipoise {

/// The factory of a unit of a node, whose process the master has asked for it. Its disturbances are
/// the business of its node. `trace_unit`: the unit of the traces that paces it; empty: it
/// computes.
[[nodiscard]] std::shared_ptr<const UnitFactory> make_remote_factory(std::shared_ptr<Nodes> nodes,
                                                                     const NodeUnit& unit,
                                                                     std::string trace_unit);

}  // namespace equipoise
