// Edit distance with swaps (optimal string alignment), computed with three rows.
#include "shared_policies/model/nearest_name.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace equipoise {
namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

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

/// The nearest of `known`, the first of several; empty if there are none.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : known) {
    const std::size_t apart = distance(lower(name), lower(candidate));
    if (apart < least) {
      least = apart;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace

std::string unknown_name(const std::string& what, const std::string& name,
                         const std::vector<std::string>& known) {
  std::string message = "unknown " + what + " '" + name + "'";
  const std::string nearest = nearest_name(name, known);
  const std::size_t near = std::max<std::size_t>(1, std::max(name.size(), nearest.size()) / 3);
  if (!nearest.empty() && distance(lower(name), lower(nearest)) <= near) {
    return message + "; did you mean '" + nearest + "'?";
  }
  if (nearest.empty()) return message + "; no names are known";
  message += "; known are: ";
  for (const std::string& candidate : known) message += candidate + ", ";
  message.resize(message.size() - 2);
  return message;
}

}  // namespace equipoise
