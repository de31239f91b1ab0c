// Values of options that are more than a number or a text. Each function reads `text`, the value of
// the option `name`, and throws InputError, at `name`, if it cannot be read.
#pragma once

#include <string>
#include <vector>

#include "shared_policies/machine/controller_work.hpp"
#include "shared_policies/model/block_timeout.hpp"
#include "shared_policies/model/measures.hpp"
#include "tools/runs/options.hpp"

namespace equipoise {

/// What handing out a block costs. Warns if that is long and has no unit: 5 may mean microseconds.
[[nodiscard]] Seconds dispatch_cost_of(const std::string& text, const std::string& name);

/// What the controller's work costs: REPORT[,BLOCK[,BYTE]].
[[nodiscard]] ControllerWork controller_cost_of(const std::string& text, const std::string& name);

/// A time, `auto` or `none`.
[[nodiscard]] BlockTimeout block_timeout_of(const std::string& text, const std::string& name);

/// What decisions cost, as `make_cost_meter` reads it.
[[nodiscard]] std::string decision_cost_of(const std::string& text, const std::string& name);

/// Names of policies of the catalog, or patterns of them.
[[nodiscard]] std::vector<std::string> names_to_leave_out(const std::vector<std::string>& patterns,
                                                          const std::string& name);

/// A number of blocks, or `none`.
[[nodiscard]] BlocksMax blocks_max_of(const std::string& text, const std::string& name);

}  // namespace equipoise
