// Expands `for` and fills in variables.
#include "tools/sweep/campaign_variables.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"

namespace equipoise {
namespace {

constexpr std::size_t most_choices = 100'000;

/// A text, or a number as it is written in the file.
const std::string& spelled(const JsonObject& in, const JsonValue& value) {
  if (value.kind == JsonValue::Kind::text || value.kind == JsonValue::Kind::number) {
    return value.text;
  }
  throw InputError(in.where(value),
                   fmt::format("{} stands where a text or a number must", value.kind_words()));
}

/// Sets the variable `name` or, if the value is an object, the variables that it names.
void set_variables(const JsonObject& own, const std::string& name, const JsonValue& value,
                   Variables& variables) {
  if (value.kind != JsonValue::Kind::object) {
    variables[name] = spelled(own, value);
    return;
  }
  for (const JsonMember& member : value.object) {
    variables[member.name] = spelled(own, member.value);
  }
}

const std::string& variable(const std::string& name, const std::string& where,
                            const Variables& variables) {
  const auto found = variables.find(name);
  if (found != variables.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [known_name, value] : variables) known.push_back(known_name);
  throw InputError(where, known.empty()
                              ? fmt::format("'{{{}}}' is no variable; name it in 'for'", name)
                              : unknown_name("variable of 'for'", name, known));
}

}  // namespace

std::vector<Variables> choices_of(const JsonObject& own) {
  std::vector<Variables> choices(1);
  const JsonValue* lists = own.find("for");
  if (lists == nullptr) return choices;
  if (lists->kind != JsonValue::Kind::object) {
    throw InputError(own.where(*lists), "'for' must be an object of lists, one for each variable");
  }
  for (const JsonMember& member : lists->object) {
    if (member.value.kind != JsonValue::Kind::list || member.value.list.empty()) {
      throw InputError(
          own.where(member.value),
          fmt::format("variable '{}' needs a list of at least one value", member.name));
    }
    std::vector<Variables> more;
    for (const Variables& choice : choices) {
      for (const JsonValue& value : member.value.list) {
        Variables with = choice;
        set_variables(own, member.name, value, with);
        more.push_back(std::move(with));
      }
      if (more.size() > most_choices) {
        throw InputError(own.where(*lists),
                         fmt::format("makes more than {} experiments; split it", most_choices));
      }
    }
    choices = std::move(more);
  }
  return choices;
}

std::string filled(const JsonObject& own, const JsonValue& value, const Variables& variables) {
  const std::string& text = spelled(own, value);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '{') {
      out += text[at++];
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) {
      throw InputError(
          own.where(value),
          fmt::format("'{}' opens a brace and does not close it; write {{variable}}", text));
    }
    out += variable(text.substr(at + 1, end - at - 1), own.where(value), variables);
    at = end + 1;
  }
  return out;
}

}  // namespace equipoise
