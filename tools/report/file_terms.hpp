// What the members of files mean, from the descriptions of their records.
#pragma once

#include <string>
#include <vector>

#include "tools/report/glossary.hpp"

namespace equipoise {

/// A term for each record of files that has a member called `name`, such as "block_timeout_s"; none
/// if no record has.
[[nodiscard]] std::vector<Term> file_terms(const std::string& name);

}  // namespace equipoise
