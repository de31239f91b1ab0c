// Facts that are kept and shown, but not interpreted: the parameters of a policy, what is known of
// a machine.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace equipoise {

struct Fact;

/// Facts by name, in the order in which they were given.
using Facts = std::vector<std::pair<std::string, Fact>>;

/// Nothing, yes or no, a number, a text, a list of facts, or facts by name.
struct Fact {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<Fact>, Facts>
      value{};

  bool operator==(const Fact&) const = default;
};

}  // namespace equipoise
