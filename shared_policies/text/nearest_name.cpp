// Edit distance with swaps (optimal string alignment), computed with three rows, and patterns by
// the rules of the shell.
#include "shared_policies/text/nearest_name.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "shared_policies/text/words.hpp"

namespace equipoise {
namespace {

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

/// The names that begin with `name`, at least two letters of it, if they are few.
std::vector<std::string> names_from(const std::string& name,
                                    const std::vector<std::string>& known) {
  constexpr std::size_t few = 4;
  std::vector<std::string> longer;
  if (name.size() < 2) return longer;
  for (const std::string& candidate : known) {
    if (lower(candidate).starts_with(lower(name))) longer.push_back(candidate);
  }
  if (longer.size() > few) longer.clear();
  return longer;
}

/// "a', 'b' or 'c".
std::string joined(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 == names.size() ? "' or '" : "', '") + names[i];
  }
  return text;
}

}  // namespace

std::vector<std::string> near_names(const std::string& name,
                                    const std::vector<std::string>& known) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::size_t apart = distance(lower(name), lower(candidate));
    const std::size_t longer = std::max(name.size(), candidate.size());
    if (!candidate.empty() && apart <= std::max<std::size_t>(1, longer / 3))
      near.emplace_back(apart, candidate);
  }
  std::ranges::stable_sort(near, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (auto& [apart, candidate] : near) names.push_back(std::move(candidate));
  return names;
}

std::string unknown_name(const std::string& what, const std::string& name,
                         const std::vector<std::string>& known) {
  std::string message = "unknown " + what + " '" + name + "'";
  const std::vector<std::string> near = near_names(name, known);
  if (!near.empty()) return message + "; did you mean '" + near.front() + "'?";
  if (std::ranges::all_of(known, &std::string::empty)) return message + "; no names are known";
  const std::vector<std::string> longer = names_from(name, known);
  if (!longer.empty()) return message + "; did you mean '" + joined(longer) + "'?";
  message += "; known are: ";
  for (const std::string& candidate : known) message += candidate + ", ";
  message.resize(message.size() - 2);
  return message;
}

std::vector<std::string> names_like(const std::string& pattern,
                                    const std::vector<std::string>& names) {
  if (std::ranges::find(names, pattern) != names.end()) return {pattern};
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found), [&pattern](const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
  return found;
}

}  // namespace equipoise
