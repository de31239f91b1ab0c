// The values of policies' parameters, as files show them.
#pragma once

#include <map>
#include <string>

#include "shared_policies/records/facts.hpp"

namespace equipoise {

/// What the text of a parameter means: true or false, a number (whole where it is), or a text.
[[nodiscard]] Fact parameter_fact(const std::string& text);

/// The same of several, by name.
[[nodiscard]] Facts parameter_facts(const std::map<std::string, std::string>& parameters);

}  // namespace equipoise
