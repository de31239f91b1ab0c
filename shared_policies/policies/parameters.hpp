// Reading the parameters of a policy: `make_policy` has checked the names and filled in defaults.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Typed access to a complete set of parameters. Every reader throws InputError (where: --policy),
/// naming the parameter, for text that cannot be read and for values out of range.
class Parameters {
 public:
  explicit Parameters(const std::map<std::string, std::string>& complete) : values_(complete) {}

  /// A number from `low` to `high`, both allowed.
  [[nodiscard]] double number(const std::string& name, double low, double high) const;
  /// A whole number of at least `low`.
  [[nodiscard]] Items items(const std::string& name, Items low) const;
  /// The same; nothing for "auto".
  [[nodiscard]] std::optional<Items> items_or_auto(const std::string& name, Items low) const;
  /// "true" or "false".
  [[nodiscard]] bool flag(const std::string& name) const;
  /// The position of the value in `words`; an unknown word is answered with the nearest one.
  [[nodiscard]] std::size_t choice(const std::string& name,
                                   std::initializer_list<const char*> words) const;
  /// Positive numbers separated by "/": 1/2/4/8.
  [[nodiscard]] std::vector<double> positive_list(const std::string& name) const;

 private:
  [[nodiscard]] const std::string& text(const std::string& name) const;

  const std::map<std::string, std::string>& values_;
};

}  // namespace equipoise
