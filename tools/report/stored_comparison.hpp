// A comparison as results.json has it, for printing its table again.
#pragma once

#include <string>

#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// Reads the results.json called `file`: what the tables of a comparison show. The header of the
/// experiment has the baseline, the cost of decisions and the noise alone, and the path of resident
/// data is not known. Throws InputError if it cannot be read, or is something else.
[[nodiscard]] Comparison read_comparison(const std::string& file);

}  // namespace equipoise
