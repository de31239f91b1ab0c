// Properties of hosts, one by one: what the checker and the reader of units share.
#pragma once

#include <optional>
#include <string>

#include "shared_policies/model/platform.hpp"

namespace equipoise {

/// The finite number that the whole of `text` is; nothing where it is none.
[[nodiscard]] std::optional<double> number_from(const std::string& text);

/// Takes the property into `result` if it means something to us. Throws InputError without a place
/// for a value that cannot be used.
void apply_property(const std::string& name, const std::string& value, PlatformUnit& result);

}  // namespace equipoise
