// What runs lost over the lower bound, by cause (shared_policies/run/losses.hpp), in tables and
// words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/run/losses.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// The headings of `loss_shares`: "loss" for the whole, then the causes.
[[nodiscard]] std::vector<std::string> loss_names();

/// A loss as shares of the lower bound `bound_s`: the whole, then one number for each of
/// `loss_causes`. Empty if the loss is not known. A known loss needs a bound.
[[nodiscard]] std::vector<double> loss_shares(const std::optional<Losses>& loss,
                                              std::optional<double> bound_s);

/// A table of losses in percent of the lower bound: a row of headings, then a row for each of
/// `names`, such as policies, whose loss is known. `shares` (names): of each what `loss_shares`
/// gives. `heading` stands above the names. A cause below 0.5 % in every row has no column. Empty
/// if no loss reaches 1 %.
[[nodiscard]] std::vector<std::vector<std::string>> loss_rows(
    const std::string& heading, const std::vector<std::string>& names,
    const std::vector<std::vector<double>>& shares);

/// The same of all results of a comparison.
[[nodiscard]] std::vector<std::vector<std::string>> loss_rows(const Comparison& comparison);

/// A line that says that sending resident data took most of the run's loss; empty if it did not,
/// or if the loss is not known.
[[nodiscard]] std::string resident_note(const RunReport& report, const ResidentPath& resident);

/// A line that names the policies of which it took most of the loss; empty if there are none.
[[nodiscard]] std::string resident_note(const Comparison& comparison);

}  // namespace equipoise
