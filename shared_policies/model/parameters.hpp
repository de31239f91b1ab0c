// The parameters of policies, kernels and units: what there is, and reading what was typed.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Parameters as they were typed, by name.
using TypedParameters = std::map<std::string, std::string>;

/// A parameter as `equipoise list` shows it.
struct ParameterInfo {
  std::string name;          ///< "initial_block_items": full words, unit last
  std::string default_text;  ///< "auto", "0.05", "direct"
  std::string unit;          ///< "items", "s", "share of the items", or empty
  std::string meaning;       ///< one line
};

/// Typed parameters, checked, with defaults for those that were not typed. Every reader throws
/// InputError, naming the parameter, for text that cannot be read and for values out of range.
class Parameters {
 public:
  /// Throws InputError (at `where`) for a typed name that `known` lacks, naming the nearest, and
  /// for an empty value. `owner` is whose they are, in words: "plb-hec".
  Parameters(const TypedParameters& typed, std::span<const ParameterInfo> known,
             const std::string& owner, std::string where);

  /// Whether `name` was typed.
  [[nodiscard]] bool is_given(const std::string& name) const { return given_.contains(name); }
  /// What was typed, else the default.
  [[nodiscard]] const std::string& text(const std::string& name) const;
  /// A number from `low` to `high`, both allowed.
  [[nodiscard]] double number(const std::string& name, double low, double high) const;
  /// A whole number from `low` to `high`, both allowed.
  [[nodiscard]] Items items(const std::string& name, Items low, Items high = Items{1} << 53) const;
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
  TypedParameters values_;  ///< all that are known
  TypedParameters given_;
  std::string where_;
};

}  // namespace equipoise
