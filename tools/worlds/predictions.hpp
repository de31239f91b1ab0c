// Predictions of real makespans: the simulations that show how uncertain recorded times are, the
// validations from which the model's errors are learned, and what can be said with them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/run/results.hpp"
#include "tools/console/embedded_file.hpp"
#include "tools/runs/options.hpp"
#include "tools/worlds/comparison.hpp"
#include "tools/worlds/world.hpp"

namespace equipoise {

/// tools/validation/validations.json, which is part of the program.
[[nodiscard]] std::span<const EmbeddedFile> committed_validations();

/// Where the times of `phases` in `traces` come from; nothing if there are no traces.
[[nodiscard]] std::optional<TimingsFacts> timings_of(const std::vector<Trace>& traces,
                                                     const std::vector<Workload>& phases);

/// Host and CPU on which `trace` was recorded: "name, CPU".
[[nodiscard]] std::string machine_of(const Trace& trace);

/// What `traces`, as far as `phases` take times from them, say of how their machine varies: of
/// several the most. Nothing if one of them does not say it; `why` gets the reason and the remedy.
[[nodiscard]] std::optional<MachineVariation> variation_of(const std::vector<Trace>& traces,
                                                           const std::vector<Workload>& phases,
                                                           std::string& why);

/// The validations from which predictions learn the errors of the model.
struct KnownValidations {
  std::vector<ValidatedCase> cases;
  std::string from;  ///< "of 12 validations of this machine"
};

/// Throws InputError if `file` (empty: none) is not there or cannot be read.
void check_validations(const std::string& file);

/// Those of `file` (empty: none) that were made on `machine`, if there are enough of them;
/// otherwise all of the file and those that are part of the program. Throws InputError.
[[nodiscard]] KnownValidations known_validations(const std::string& file,
                                                 const std::string& machine);

/// Gives every simulated result of `comparison` its prediction, for which it simulates every policy
/// `options.redrawn_runs` times more. Nothing in a real `world`, and without enough validations,
/// except for a validation (`is_validation`), which is to be kept. Sets `failed` if a simulation
/// fails. After a stop request, returns without predictions.
void add_predictions(Comparison& comparison, World& world, const ComparisonOptions& options,
                     bool is_validation, bool& failed);

/// Adds `one` to what is in the file at `path` by now; other programs that add to it wait
/// meanwhile. Throws InputError at FILE:LINE, or std::runtime_error if the file cannot be locked or
/// written.
void add_validation(const std::string& path, const ValidatedCase& one);

/// What `comparison`, with simulated and real results, shows of the model, for
/// `options.validations_file`. `machine` is the one that was simulated.
[[nodiscard]] ValidatedCase validated_case(const Comparison& comparison,
                                           const ComparisonOptions& options,
                                           const SimMachine& machine);

/// "this machine was 12 % slower than when it was recorded (2026-11-23T10:00:00Z); record it
/// again": if all measured means are on the same side of the intervals of their predictions, and
/// the median is off by more than twice the drift. Otherwise empty.
[[nodiscard]] std::string staleness_text(const Comparison& comparison,
                                         const std::vector<Trace>& traces,
                                         const std::vector<Workload>& phases);

}  // namespace equipoise
