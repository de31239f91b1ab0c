// The parameters of policies, kernels and units: their descriptions, and reading of the typed
// values.
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

/// Parameters as typed by the user, by name.
using TypedParameters = std::map<std::string, std::string>;

/// A parameter as `equipoise list` shows it.
struct ParameterInfo {
  std::string name;          ///< "initial_block_items": full words, unit last
  std::string default_text;  ///< "auto", "0.05", "direct"
  std::string unit;          ///< "items", "s", "share of the items", or empty
  std::string meaning;       ///< one line
  /// Of a policy's parameter: where the default stands (paper, section, equation, line of a
  /// listing), or "not said; chosen because ...".
  std::string source{};
};

/// The typed parameters after checking, and the defaults of the others. Every reader throws
/// InputError, naming the parameter, if the text cannot be read or the value is out of range.
class Parameters {
 public:
  /// Throws InputError (at `where`) for a typed name that is not in `known`, suggesting the
  /// nearest, and for an empty value. `owner` names the owner of the parameters in messages:
  /// "plb-hec".
  Parameters(const TypedParameters& typed, std::span<const ParameterInfo> known,
             const std::string& owner, std::string where);

  /// Whether the user typed `name`.
  [[nodiscard]] bool is_given(const std::string& name) const { return given_.contains(name); }
  /// The typed text, or the default.
  [[nodiscard]] const std::string& text(const std::string& name) const;
  /// A number from `low` to `high`, both allowed. It may have a unit of what the parameter's
  /// description says it measures (`parse_quantity`): 64 GiB.
  [[nodiscard]] double number(const std::string& name, double low, double high) const;
  /// A whole number from `low` to `high`, both allowed.
  [[nodiscard]] Items items(const std::string& name, Items low, Items high = Items{1} << 53) const;
  /// Like `items`, for a multiple of `step`.
  [[nodiscard]] Items multiple(const std::string& name, Items step, Items low, Items high) const;
  /// Like `items`, but returns nothing for "auto".
  [[nodiscard]] std::optional<Items> items_or_auto(const std::string& name, Items low) const;
  /// "true" or "false".
  [[nodiscard]] bool flag(const std::string& name) const;
  /// The position of the value in `words`; or the enumerator with this number, where `Choice` is
  /// an enumeration. An unknown word throws InputError; the message suggests the nearest.
  template <typename Choice = std::size_t>
  [[nodiscard]] Choice choice(const std::string& name,
                              std::initializer_list<const char*> words) const {
    return static_cast<Choice>(position(name, words));
  }
  /// Positive numbers separated by "/": 1/2/4/8.
  [[nodiscard]] std::vector<double> positive_list(const std::string& name) const;
  /// The same, where single numbers may be 0, but not all: 0/1.
  [[nodiscard]] std::vector<double> share_list(const std::string& name) const;

 private:
  [[nodiscard]] std::size_t position(const std::string& name,
                                     std::initializer_list<const char*> words) const;
  [[nodiscard]] std::vector<double> list(const std::string& name) const;

  TypedParameters values_;  ///< the values of all known parameters
  TypedParameters given_;
  TypedParameters units_;  ///< of measure, of the known parameters
  std::string where_;
};

}  // namespace equipoise
