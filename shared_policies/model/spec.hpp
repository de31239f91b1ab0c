// How users spell things: NAME:key=value,key=value, and numbers such as 5e6 and 64Ki.
#pragma once

#include <map>
#include <string>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/nearest_name.hpp"

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

}  // namespace equipoise
