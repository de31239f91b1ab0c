// Variables of campaign files: `for` repeats an entry for every combination of values, and
// {variable} is replaced in its texts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "traces/json_document.hpp"

namespace equipoise {

/// The values of the variables in `for`, by name.
using Variables = std::map<std::string, std::string>;

/// All combinations of the variables in the member `for` of `own`; the last variable changes
/// fastest. A single combination without variables if there is no such member. Throws InputError if
/// the member is no object of lists, or makes more than 100,000 combinations.
[[nodiscard]] std::vector<Variables> choices_of(const JsonObject& own);

/// The text of `value`, which stands in `own`, with all {variable}s replaced; of a number, its
/// digits. Throws InputError at the value if it is neither, or names an unknown variable.
[[nodiscard]] std::string filled(const JsonObject& own, const JsonValue& value,
                                 const Variables& variables);

}  // namespace equipoise
