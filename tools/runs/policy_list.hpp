// Several policies in one option: "greedy,plb-hec:threshold=0.2,step_fraction=0.05,gss".
#pragma once

#include <string>
#include <vector>

namespace equipoise {

/// Takes a list of policies apart: {"greedy", "plb-hec:threshold=0.2,step_fraction=0.05", "gss"}.
/// What stands behind a comma is another parameter of the policy before it if it is key=value, and
/// else the next policy: its name, or the path of a library (which contains '/' or ends in ".so"),
/// perhaps with parameters after a colon. Throws InputError (at `where`) for an empty part, and for
/// a parameter of a policy that has no colon. Whether the policies exist is not checked.
[[nodiscard]] std::vector<std::string> split_policies(const std::string& text,
                                                      const std::string& where);

}  // namespace equipoise
