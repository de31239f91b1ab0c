// Reads values of parameters.
#include "tools/runs/parameter_facts.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

#include "shared_policies/specs/spec.hpp"

namespace equipoise {

Fact parameter_fact(const std::string& text) {
  if (text == "true" || text == "false") return {text == "true"};
  const std::optional<double> number = as_number(text);
  if (!number) return {text};
  const bool is_whole = *number == std::floor(*number) && std::abs(*number) < 0x1p53;
  if (is_whole) return {static_cast<std::int64_t>(*number)};
  return {*number};
}

Facts parameter_facts(const std::map<std::string, std::string>& parameters) {
  Facts facts;
  for (const auto& [name, value] : parameters) facts.emplace_back(name, parameter_fact(value));
  return facts;
}

}  // namespace equipoise
