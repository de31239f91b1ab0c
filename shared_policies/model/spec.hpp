// How users spell things: NAME:key=value,key=value, numbers such as 5e6 and 64Ki, and near misses.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// A name and its parameters, as typed.
struct Spec {
  std::string name;
  std::map<std::string, std::string> parameters;
};

/// Splits "NAME", "NAME:k=v,k=v" (`after_name` ':') or "NAME,k=v" (`after_name` ','). Throws
/// InputError (at `where`) for an empty name, a parameter without '=', an empty key, or a key that
/// is given twice.
[[nodiscard]] Spec parse_spec(const std::string& text, char after_name, const std::string& where);

/// Reads a finite number: 12, 0.5, 5e6, 64Ki, 2Mi, 1.5Gi, 1Ti. Throws InputError (at `where`)
/// naming the text.
[[nodiscard]] double parse_number(const std::string& text, const std::string& where);

/// Reads a number that must be whole and fit in 53 bits.
[[nodiscard]] Items parse_items(const std::string& text, const std::string& where);

/// "unknown policy 'plb-hek'; did you mean 'plb-hec'?", or with the list of all known names when
/// none is near (Levenshtein distance at most a third of the longer name, at least 1).
[[nodiscard]] std::string unknown_name(const std::string& what, const std::string& name,
                                       const std::vector<std::string>& known);

}  // namespace equipoise
