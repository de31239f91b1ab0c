// Interprets single host properties; used to check platform files and to read units.
#pragma once

#include <optional>
#include <string>

#include "shared_policies/model/platform.hpp"

namespace equipoise {

/// The finite number that `text` consists of, or nothing if it is not one.
[[nodiscard]] std::optional<double> number_from(const std::string& text);

/// Stores the property in `result` if Equipoise uses it. Throws InputError with an empty `where` if
/// the value cannot be used.
void apply_property(const std::string& name, const std::string& value, PlatformUnit& result);

}  // namespace equipoise
