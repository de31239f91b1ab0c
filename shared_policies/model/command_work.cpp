// Finds commands by the names of units, and fills placeholders in.
#include "shared_policies/model/command_work.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

#include "shared_policies/text/nearest_name.hpp"
#include "shared_policies/text/text_hash.hpp"

namespace equipoise {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Calls `see(begin, end)` for each word of letters in braces, braces included.
void for_each_name(const std::string& text,
                   const std::function<void(std::size_t, std::size_t)>& see) {
  for (std::size_t open = text.find('{'); open != std::string::npos;
       open = text.find('{', open + 1)) {
    std::size_t at = open + 1;
    while (at < text.size() && is_letter(text[at])) ++at;
    if (at > open + 1 && at < text.size() && text[at] == '}') see(open, at + 1);
  }
}

}  // namespace

CommandLine CommandWork::line_of(const std::string& unit) const {
  for (const CommandOfUnits& of : units) {
    if (names_like(of.pattern, {unit}).empty()) continue;
    CommandLine line = of.line;
    if (line.words.empty()) line.words = all.words;
    line.environment.insert(all.environment.begin(), all.environment.end());
    return line;
  }
  return all;
}

double CommandWork::fingerprint() const {
  std::uint64_t hash = text_hash(to_string(mode));
  const auto add = [&hash](const std::string& text) { hash = text_hash(text + '\n', hash); };
  const auto add_line = [&](const CommandLine& line) {
    add(std::to_string(line.words.size()));
    for (const std::string& word : line.words) add(word);
    add(std::to_string(line.environment.size()));
    for (const auto& [variable, value] : line.environment) add(variable + "=" + value);
  };
  add_line(all);
  for (const CommandOfUnits& of : units) {
    add(of.pattern);
    add_line(of.line);
  }
  return static_cast<double>(hash >> 16U);
}

std::string with_values(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string filled;
  std::size_t done = 0;
  for_each_name(text, [&](std::size_t begin, std::size_t end) {
    const auto value = values.find(text.substr(begin + 1, end - begin - 2));
    if (value == values.end()) return;
    filled.append(text, done, begin - done);
    filled += value->second;
    done = end;
  });
  return filled.append(text, done);
}

std::vector<std::string> names_in_braces(const std::string& text) {
  std::vector<std::string> names;
  for_each_name(text, [&](std::size_t begin, std::size_t end) {
    names.push_back(text.substr(begin + 1, end - begin - 2));
  });
  return names;
}

}  // namespace equipoise
