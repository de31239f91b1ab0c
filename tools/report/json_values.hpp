// The values that JSON output of several commands consists of, and how JSON becomes text: once, where
// it is printed or written.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "shared_policies/model/unit.hpp"
#include "shared_policies/run/results.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

/// `value` as text in one line, without its end. Bytes of texts that are not valid UTF-8 become
/// U+FFFD.
[[nodiscard]] std::string json_line(const nlohmann::ordered_json& value);

/// `read` as a value that can be written again, with the same text for every number that the program
/// wrote.
[[nodiscard]] nlohmann::ordered_json json_from(const JsonValue& read);

/// null if there is none.
[[nodiscard]] nlohmann::ordered_json optional_json(const std::optional<double>& value);
/// null if it is empty.
[[nodiscard]] nlohmann::ordered_json text_or_null(const std::string& text);
/// The value of a parameter as it is meant: a number, true, false, or a text.
[[nodiscard]] nlohmann::ordered_json parameter_json(const std::string& text);
/// What policies may know of a unit.
[[nodiscard]] nlohmann::ordered_json unit_json(const Unit& unit);
[[nodiscard]] nlohmann::ordered_json statistics_json(const Statistics& s);
/// The files that a command wrote, `equipoise.files/1`: each has a `file`, and what is said of it.
[[nodiscard]] nlohmann::ordered_json files_json(nlohmann::ordered_json files);

}  // namespace equipoise
