// Values of JSON output beside those of described records (traces/json_record.hpp).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace equipoise {

/// null if it is empty.
[[nodiscard]] nlohmann::ordered_json text_or_null(const std::string& text);

/// The files that a command wrote, `equipoise.files/1`: each has a `file`, and what is said of it.
[[nodiscard]] nlohmann::ordered_json files_json(nlohmann::ordered_json files);

}  // namespace equipoise
