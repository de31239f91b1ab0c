// Converts parameter texts to numbers, words and flags. Error messages name the parameter.
#include "shared_policies/specs/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/text/nearest_name.hpp"

namespace equipoise {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& name,
                         const std::string& value, const std::string& wanted) {
  throw InputError(where, fmt::format("{}={} is out of range; give {}", name, value, wanted));
}

/// Returns parse(text, where). If that throws InputError, adds the parameter's name to the message.
template <class Parse>
auto read(const std::string& where, const std::string& name, const std::string& text,
          Parse&& parse) {
  try {
    return parse(text, where);
  } catch (const InputError& error) {
    throw InputError(where, name + ": " + error.why());
  }
}

}  // namespace

Parameters::Parameters(const TypedParameters& typed, std::span<const ParameterInfo> known,
                       const std::string& owner, std::string where)
    : given_(typed), where_(std::move(where)) {
  std::vector<std::string> names;
  for (const ParameterInfo& info : known) {
    values_[info.name] = info.default_text;
    units_[info.name] = info.unit;
    names.push_back(info.name);
  }
  for (const auto& [name, value] : typed) {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      throw InputError(where_, unknown_name("parameter of " + owner, name, names));
    }
    if (value.empty()) throw InputError(where_, name + "= is empty; give a value");
    found->second = value;
  }
}

const std::string& Parameters::text(const std::string& name) const {
  const auto found = values_.find(name);
  EQ_CHECK(found != values_.end(), "a parameter that is read stands in the catalog");
  return found->second;
}

double Parameters::number(const std::string& name, double low, double high) const {
  const double value =
      read(where_, name, text(name), [&](const std::string& typed, const std::string& where) {
        return parse_quantity(typed, units_.at(name), where);
      });
  if (value < low || value > high) {
    refuse(where_, name, text(name), fmt::format("a number from {} to {}", low, high));
  }
  return value;
}

Items Parameters::items(const std::string& name, Items low, Items high) const {
  const Items value = read(where_, name, text(name), parse_items);
  if (value < low || value > high) {
    refuse(where_, name, text(name),
           high == Items{1} << 53 ? fmt::format("a whole number of at least {}", low)
                                  : fmt::format("a whole number from {} to {}", low, high));
  }
  return value;
}

Items Parameters::multiple(const std::string& name, Items step, Items low, Items high) const {
  const Items value = read(where_, name, text(name), parse_items);
  if (value < low || value > high || value % step != 0) {
    refuse(where_, name, text(name),
           fmt::format("a multiple of {} from {} to {}", step, low, high));
  }
  return value;
}

std::optional<Items> Parameters::items_or_auto(const std::string& name, Items low) const {
  return text(name) == "auto" ? std::nullopt : std::optional(items(name, low));
}

bool Parameters::flag(const std::string& name) const {
  return choice(name, {"false", "true"}) == 1;
}

std::size_t Parameters::position(const std::string& name,
                                 std::initializer_list<const char*> words) const {
  const auto found = std::find(words.begin(), words.end(), text(name));
  if (found == words.end()) {
    throw InputError(where_, unknown_name("value of " + name, text(name),
                                          std::vector<std::string>(words.begin(), words.end())));
  }
  return static_cast<std::size_t>(found - words.begin());
}

std::vector<double> Parameters::list(const std::string& name) const {
  const std::string& all = text(name);
  std::vector<double> numbers;
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find('/', at), all.size());
    numbers.push_back(read(where_, name, all.substr(at, end - at), parse_number));
    at = end + 1;
  }
  return numbers;
}

std::vector<double> Parameters::positive_list(const std::string& name) const {
  std::vector<double> numbers = list(name);
  if (std::ranges::any_of(numbers, [](double number) { return !(number > 0.0); })) {
    refuse(where_, name, text(name), "positive numbers such as 1/2/4/8");
  }
  return numbers;
}

std::vector<double> Parameters::share_list(const std::string& name) const {
  std::vector<double> numbers = list(name);
  double sum = 0.0;
  for (const double number : numbers) {
    if (number < 0.0) refuse(where_, name, text(name), "numbers that are not negative");
    sum += number;
  }
  if (!(sum > 0.0) || !std::isfinite(sum)) {
    refuse(where_, name, text(name), "at least one positive share, such as 0.3/0.7");
  }
  return numbers;
}

}  // namespace equipoise
