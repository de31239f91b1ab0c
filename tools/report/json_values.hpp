// Finds values in JSON that was read, and makes values of JSON output that are no described records
// (those are in traces/json_record.hpp).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared_policies/run/results.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

/// The member of `object` at a path such as "idle_fraction.mean". A name may contain dots itself:
/// that of a unit, for example. nullptr if the member is missing or null.
[[nodiscard]] const JsonValue* member(const JsonValue& object, std::string_view path);
/// That member if it is a number.
[[nodiscard]] std::optional<double> number_at(const JsonValue& object, std::string_view path);
/// That number, or `otherwise`.
[[nodiscard]] double number_at(const JsonValue& object, std::string_view path, double otherwise);
/// That member if it is a text; else empty.
[[nodiscard]] std::string text_at(const JsonValue& object, std::string_view path);
/// The texts of that member if it is a list; else none.
[[nodiscard]] std::vector<std::string> texts_at(const JsonValue& object, std::string_view path);
/// Whether that member is true.
[[nodiscard]] bool is_true_at(const JsonValue& object, std::string_view path);
/// `verified` of a run or a result: null if nobody can check its numbers.
[[nodiscard]] nlohmann::ordered_json verified_json(bool verified, bool unchecked);
/// Whether nobody can check the numbers of a run or a result: its `verified` is null.
[[nodiscard]] bool is_unchecked(const JsonValue& object);
/// Whether a run or a result may be used: it is verified, or nobody can check its numbers.
[[nodiscard]] bool is_usable(const JsonValue& object);

/// The values at `path` of all repetitions of `result`, an entry of results.json; nullopt if a
/// repetition lacks it.
[[nodiscard]] std::optional<Samples> samples_at(const JsonValue& result, std::string_view path);

/// An object with a number for each of `units`; null where it is not known.
[[nodiscard]] nlohmann::ordered_json by_unit(const std::vector<std::string>& units,
                                             const std::vector<std::optional<double>>& values);
[[nodiscard]] nlohmann::ordered_json by_unit(const std::vector<std::string>& units,
                                             const std::vector<double>& values);

/// null if it is empty.
[[nodiscard]] nlohmann::ordered_json text_or_null(const std::string& text);

/// The files that a command wrote, `equipoise.files/1`: each has a `file`, and what is said of it.
[[nodiscard]] nlohmann::ordered_json files_json(nlohmann::ordered_json files);

}  // namespace equipoise
