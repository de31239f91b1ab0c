// Text to numbers, words and flags, with messages that name the parameter.
#include "shared_policies/policies/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/spec.hpp"

namespace equipoise {
namespace {

constexpr const char* where = "--policy";

[[noreturn]] void refuse(const std::string& name, const std::string& value,
                         const std::string& wanted) {
  throw InputError(where, fmt::format("{}={} is out of range; give {}", name, value, wanted));
}

}  // namespace

const std::string& Parameters::text(const std::string& name) const {
  const auto found = values_.find(name);
  EQ_CHECK(found != values_.end(), "a policy reads the parameters of its catalog row");
  return found->second;
}

double Parameters::number(const std::string& name, double low, double high) const {
  const double value = parse_number(text(name), std::string(where) + " " + name);
  if (value < low || value > high) {
    refuse(name, text(name), fmt::format("a number from {} to {}", low, high));
  }
  return value;
}

Items Parameters::items(const std::string& name, Items low) const {
  const Items value = parse_items(text(name), std::string(where) + " " + name);
  if (value < low) {
    refuse(name, text(name), fmt::format("a whole number of at least {}", low));
  }
  return value;
}

std::optional<Items> Parameters::items_or_auto(const std::string& name, Items low) const {
  return text(name) == "auto" ? std::nullopt : std::optional(items(name, low));
}

bool Parameters::flag(const std::string& name) const {
  return choice(name, {"false", "true"}) == 1;
}

std::size_t Parameters::choice(const std::string& name,
                               std::initializer_list<const char*> words) const {
  const auto found = std::find(words.begin(), words.end(), text(name));
  if (found == words.end()) {
    throw InputError(where, unknown_name("value of " + name, text(name),
                                         std::vector<std::string>(words.begin(), words.end())));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<double> Parameters::positive_list(const std::string& name) const {
  const std::string& all = text(name);
  std::vector<double> numbers;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find('/', at), all.size());
    numbers.push_back(parse_number(all.substr(at, end - at), std::string(where) + " " + name));
    if (!(numbers.back() > 0.0)) {
      refuse(name, all, "positive numbers such as 1/2/4/8");
    }
    at = end + 1;
  }
  return numbers;
}

}  // namespace equipoise
