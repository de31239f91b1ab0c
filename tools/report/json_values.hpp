// Values of JSON output beside those of described records (traces/json_record.hpp).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "traces/json_document.hpp"

namespace equipoise {

/// `read` as a value that can be written again, with the same text for every number that the program
/// wrote.
[[nodiscard]] nlohmann::ordered_json json_from(const JsonValue& read);

/// null if it is empty.
[[nodiscard]] nlohmann::ordered_json text_or_null(const std::string& text);

/// The files that a command wrote, `equipoise.files/1`: each has a `file`, and what is said of it.
[[nodiscard]] nlohmann::ordered_json files_json(nlohmann::ordered_json files);

}  // namespace equipoise
