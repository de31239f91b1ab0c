// Decides at each comma whether a policy goes on or the next one begins.
#include "tools/runs/policy_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Whether `part` is a parameter: key=value. In NAME:key=value the colon comes first.
bool is_parameter(const std::string& part) {
  const std::size_t equals = part.find('=');
  return equals != std::string::npos && part.find(':') >= equals;
}

/// `text` without blanks at its ends.
std::string without_blanks(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

std::vector<std::string> split_policies(const std::string& text, const std::string& where) {
  std::vector<std::string> policies;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = without_blanks(text.substr(at, end - at));
    at = end + 1;
    if (part.empty()) {
      throw InputError(where, fmt::format("'{}' has an empty part; give NAME[:key=value,...], or "
                                          "several with commas between them",
                                          text));
    }
    if (!is_parameter(part)) {
      policies.push_back(part);
    } else if (policies.empty() || policies.back().find(':') == std::string::npos) {
      throw InputError(where,
                       policies.empty()
                           ? fmt::format("'{}' has no name; write NAME:{}", text, part)
                           : fmt::format("'{0}' stands behind '{1}', which has no colon; write "
                                         "{1}:{0} for a parameter of {1}",
                                         part, policies.back()));
    } else {
      policies.back() += "," + part;
    }
  }
  return policies;
}

}  // namespace equipoise
