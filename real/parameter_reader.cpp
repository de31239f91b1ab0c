// Names, numbers and ranges.
#include "real/parameter_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/spec.hpp"

namespace equipoise {

ParameterReader::ParameterReader(const TypedParameters& typed, std::span<const ParameterInfo> known,
                                 std::string where)
    : typed_(typed), where_(std::move(where)) {
  std::vector<std::string> names;
  for (const ParameterInfo& info : known) names.push_back(info.name);
  for (const auto& [name, value] : typed_) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw InputError(where_, unknown_name("parameter", name, names));
  }
}

double ParameterReader::number(const std::string& name, double otherwise, double least,
                               double most) const {
  const std::optional<std::string> typed = text(name);
  if (!typed) return otherwise;
  const double value = parse_number(*typed, where_);
  if (value >= least && value <= most) return value;
  throw InputError(where_,
                   fmt::format("{}={} is out of range; give {} to {}", name, *typed, least, most));
}

Items ParameterReader::whole(const std::string& name, Items otherwise, Items least,
                             Items most) const {
  const std::optional<std::string> typed = text(name);
  if (!typed) return otherwise;
  const Items value = parse_items(*typed, where_);
  if (value >= least && value <= most) return value;
  throw InputError(where_,
                   fmt::format("{}={} is out of range; give {} to {}", name, *typed, least, most));
}

std::optional<std::string> ParameterReader::text(const std::string& name) const {
  const auto found = typed_.find(name);
  if (found == typed_.end()) return std::nullopt;
  if (found->second.empty()) throw InputError(where_, name + "= is empty; give a value");
  return found->second;
}

}  // namespace equipoise
