// Matches names by the rules of the shell.
#include "shared_policies/text/name_pattern.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>

namespace equipoise {

std::vector<std::string> names_like(const std::string& pattern,
                                    const std::vector<std::string>& names) {
  if (std::ranges::find(names, pattern) != names.end()) return {pattern};
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found), [&pattern](const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  });
  return found;
}

bool is_pattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

}  // namespace equipoise
