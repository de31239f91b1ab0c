// A comparison as results.json has it, for printing its table again.
#pragma once

#include <optional>
#include <string>

#include "shared_policies/run/losses.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

struct JsonValue;

/// Reads the results.json called `file`: what the tables of a comparison show. The header of the
/// experiment has the baseline, the cost of decisions and the noise alone, and the path of resident
/// data is not known. Throws InputError if it cannot be read, or is something else.
[[nodiscard]] Comparison read_comparison(const std::string& file);

/// The losses of a result in results.json, or of a summary of runs; nothing if they are not known.
[[nodiscard]] std::optional<Losses> stored_loss(const JsonValue& result);

}  // namespace equipoise
