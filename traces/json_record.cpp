// Reads values of records that have bounds, and those of any kind.
#include "traces/json_record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "shared_policies/text/words.hpp"
#include "traces/time_limits.hpp"

namespace equipoise {

Json json_from(const JsonValue& read) {
  switch (read.kind) {
    case JsonValue::Kind::null:
      return nullptr;
    case JsonValue::Kind::boolean:
      return read.boolean;
    case JsonValue::Kind::number:
      return Json::parse(read.text);
    case JsonValue::Kind::text:
      return read.text;
    case JsonValue::Kind::list: {
      Json list = Json::array();
      for (const JsonValue& one : read.list) list.push_back(json_from(one));
      return list;
    }
    case JsonValue::Kind::object:
      break;
  }
  Json object = Json::object();
  for (const JsonMember& one : read.object) object[one.name] = json_from(one.value);
  return object;
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string document_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void put(Json& object, std::string_view name, Json value) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) {
    object[std::string(name)] = std::move(value);
  } else {
    put(object[std::string(name.substr(0, dot))], name.substr(dot + 1), std::move(value));
  }
}

Json short_form(Json json) {
  constexpr double exact = 0x1p53;
  if (json.is_number_float()) {
    const double number = json.get<double>();
    if (number == std::floor(number) && std::abs(number) < exact) {
      return static_cast<std::int64_t>(number);
    }
  }
  if (json.is_structured()) {
    for (Json& one : json) one = short_form(std::move(one));
  }
  return json;
}

std::vector<std::string> choices_of(const MemberFacts& facts) {
  const std::string_view choices = facts.choices;
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < choices.size();) {
    const std::size_t end = std::min(choices.find(", ", begin), choices.size());
    all.emplace_back(choices.substr(begin, end - begin));
    begin = end + 2;
  }
  return all;
}

void check_text(const JsonField& field, const MemberFacts& facts) {
  const JsonValue& value = field.value();
  if (facts.is_filled && value.text.empty() && value.list.empty() && value.object.empty()) {
    throw InputError(field.where(), fmt::format("'{}' is empty; fill it in", field.name()));
  }
  const std::vector<std::string> known = choices_of(facts);
  if (known.empty() || std::ranges::find(known, field.text()) != known.end()) return;
  throw InputError(field.where(), unknown_name(std::string(field.name()), field.text(), known));
}

double bounded_number(const JsonField& field, const MemberFacts& facts) {
  constexpr double largest = std::numeric_limits<double>::max();
  const double number = field.number(-largest, largest);
  const auto refuse = [&](const std::string& why) {
    throw InputError(field.where(),
                     fmt::format("'{}' is {}; {}", field.name(), field.value().text, why));
  };
  const bool is_below = facts.is_above_least ? number <= facts.least : number < facts.least;
  if (is_below || number > facts.most) {
    std::vector<std::string> bounds;
    if (!std::isinf(facts.least)) {
      bounds.push_back(
          fmt::format("{} {:g}", facts.is_above_least ? "more than" : "at least", facts.least));
    }
    if (!std::isinf(facts.most)) bounds.push_back(fmt::format("at most {:g}", facts.most));
    refuse(fmt::format("it must be {}", fmt::join(bounds, " and ")));
  }
  if (facts.is_duration && number > 0.0) {
    const std::string why = why_no_time(number);
    const char* const or_none = facts.is_above_least ? "" : ", or 0";
    if (!why.empty()) refuse("it " + why + or_none + "; correct it");
  }
  return number;
}

std::string date_text(std::chrono::sys_days date) {
  const std::chrono::year_month_day day(date);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::chrono::sys_days date_of(const JsonField& field) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  char more = '\0';
  const std::string& text = field.text();
  const int found = std::sscanf(text.c_str(), "%4d-%2u-%2u%c", &year, &month, &day, &more);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (found == 3 && date.ok()) return date;
  throw InputError(field.where(), fmt::format("'{}' is no date; write 2026-11-23", text));
}

Fact fact_of(const JsonField& field) {
  const JsonValue& value = field.value();
  switch (value.kind) {
    case JsonValue::Kind::null:
      return {};
    case JsonValue::Kind::boolean:
      return {value.boolean};
    case JsonValue::Kind::text:
      return {value.text};
    case JsonValue::Kind::number:
      if (const auto whole = number_of_all<std::int64_t>(value.text)) return {*whole};
      return {value.number};
    case JsonValue::Kind::list: {
      std::vector<Fact> facts;
      for (const JsonValue& one : value.list) {
        facts.push_back(fact_of({one, field.file(), field.name()}));
      }
      return {std::move(facts)};
    }
    case JsonValue::Kind::object: {
      Facts facts;
      for (const JsonMember& one : value.object) {
        facts.emplace_back(one.name, fact_of({one.value, field.file(), one.name}));
      }
      return {std::move(facts)};
    }
  }
  return {};
}

}  // namespace equipoise
