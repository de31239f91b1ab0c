// Reads the parameters that were typed for a kernel or a unit against the list of what there is.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/policies/catalog.hpp"

namespace equipoise {

/// Parameters as they were typed, by name.
using TypedParameters = std::map<std::string, std::string>;

/// Typed parameters, checked. All errors are InputError at `where`.
class ParameterReader {
 public:
  /// Throws for a typed name that `known` lacks, naming the nearest.
  ParameterReader(const TypedParameters& typed, std::span<const ParameterInfo> known,
                  std::string where);

  /// The value, or `otherwise` where none was typed. Throws for what is no number, and outside
  /// [least, most].
  [[nodiscard]] double number(const std::string& name, double otherwise, double least,
                              double most) const;
  /// The same for whole numbers.
  [[nodiscard]] Items whole(const std::string& name, Items otherwise, Items least,
                            Items most) const;
  /// The text that was typed, or nothing. Throws for an empty one.
  [[nodiscard]] std::optional<std::string> text(const std::string& name) const;

 private:
  TypedParameters typed_;
  std::string where_;
};

}  // namespace equipoise
