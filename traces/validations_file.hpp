// Reads and writes validations files, `equipoise.validations/1`: what was predicted and then
// measured, from which later predictions learn the errors of the model.
#pragma once

#include <string>
#include <vector>

#include "shared_policies/run/prediction.hpp"

namespace equipoise {

/// Reads the file; if there is none, or an empty one, nothing was validated yet. Throws InputError
/// at FILE:LINE.
[[nodiscard]] std::vector<ValidatedCase> read_validations(const std::string& path);

/// The cases in `text`, the contents of `file`. Throws InputError at FILE:LINE.
[[nodiscard]] std::vector<ValidatedCase> parse_validations(const std::string& text,
                                                           const std::string& file);

/// The text of the file: a line for each case.
[[nodiscard]] std::string validations_text(const std::vector<ValidatedCase>& cases);

}  // namespace equipoise
