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

/// How losses are named, in the order of `loss_shares`: "loss" for the whole, then the causes.
[[nodiscard]] std::vector<std::string> loss_names();

/// A loss as shares of the lower bound: the whole, then one number for each of `loss_causes`. Empty
/// if it is not known; if it is, so is the bound.
[[nodiscard]] std::vector<double> loss_shares(const std::optional<Losses>& loss,
                                              std::optional<double> bound_s);

/// The losses called `names` in percent of the lower bound, without causes that are less than half
/// a percent everywhere: headings, then a row for each that is known. `heading`: of the names.
/// Empty if no loss is above 1 %.
[[nodiscard]] std::vector<std::vector<std::string>> loss_rows(
    const std::string& heading, const std::vector<std::string>& names,
    const std::vector<std::vector<double>>& shares);

/// The same of all results of a comparison.
[[nodiscard]] std::vector<std::vector<std::string>> loss_rows(const Comparison& comparison);

/// The causes of one run's loss in a line, the greatest first; if most of it is the sending of
/// resident data, a second one says so. Empty if the bound is not known or the loss is below 1 %.
[[nodiscard]] std::string loss_text(const RunReport& report, const ResidentPath& resident);

/// A line for policies most of whose loss is the sending of resident data; empty if there are none.
[[nodiscard]] std::string resident_note(const Comparison& comparison);

}  // namespace equipoise
