// Reads the times that machine specs name.
#include "tools/worlds/unit_timings_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/console/console.hpp"
#include "traces/csv_import.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> text_or_nothing(const JsonObject& object, const char* name) {
  if (object.find(name) == nullptr) return std::nullopt;
  return object.text(name);
}

CsvImportOptions csv_options(const JsonObject& object, const std::string& kernel) {
  CsvImportOptions options;
  options.kernel = kernel;
  options.unit_column = text_or_nothing(object, "unit_column");
  if (!options.unit_column) options.units = {"the unit"};
  options.items_column = object.text("items_column");
  options.compute_column = object.text("compute_column");
  options.time_unit = text_or_nothing(object, "time_unit").value_or("s");
  options.items_pattern = text_or_nothing(object, "items_pattern");
  options.sd_column = text_or_nothing(object, "sd_column");
  options.min_column = text_or_nothing(object, "min_column");
  options.max_column = text_or_nothing(object, "max_column");
  options.count_column = text_or_nothing(object, "count_column");
  options.in_column = text_or_nothing(object, "in_column");
  options.out_column = text_or_nothing(object, "out_column");
  options.in_bytes_column = text_or_nothing(object, "in_bytes_column");
  options.out_bytes_column = text_or_nothing(object, "out_bytes_column");
  if (const JsonValue* where = object.find("where")) {
    const bool is_list = where->kind == JsonValue::Kind::list;
    if (!is_list) options.where = {object.text("where")};
    for (const JsonValue& condition : where->list) options.where.push_back(condition.text);
  }
  return options;
}

/// The samples of the unit called `name`, or of the only one if no name is given.
UnitTimings timings_of(const Trace& trace, const std::optional<std::string>& name,
                       const std::string& where, const std::string& model) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < trace.units.size(); ++i) {
    if (has_samples(trace, i)) names.push_back(trace.units[i].name);
  }
  if (!name && names.size() != 1) {
    throw InputError(where, fmt::format("the file has times of {}; say which with \"unit\"",
                                        fmt::join(names, ", ")));
  }
  const std::string unit = name.value_or(names.empty() ? "" : names.front());
  if (std::ranges::find(names, unit) == names.end()) {
    throw InputError(where, unknown_name("unit of the file", unit, names));
  }
  const auto found = std::ranges::find(trace.units, unit, &Unit::name);
  if (!model.empty() && !found->model.empty() && model != found->model) {
    warn(fmt::format("{}: the unit is a '{}', and its times were taken on a '{}'", where, model,
                     found->model));
  }
  UnitTimings timings;
  for (const TraceSample& sample : trace.samples) {
    if (sample.unit == static_cast<std::uint32_t>(found - trace.units.begin())) {
      timings.samples.push_back(sample);
    }
  }
  const auto limit = found->max_block_items.find(trace.kernel);
  if (limit != found->max_block_items.end()) timings.max_block_items = limit->second;
  return timings;
}

Trace read_measured(const std::string& file, const JsonObject* columns, const std::string& where,
                    const std::string& kernel) {
  std::error_code error;
  if (!fs::exists(file, error) && !error) {
    throw InputError(
        file, fmt::format("no such file; {} names it, and paths begin in its folder", where));
  }
  if (fs::path(file).extension() == ".csv") {
    if (columns == nullptr) {
      throw InputError(where,
                       "a CSV file needs the names of its columns; write {\"file\": ..., "
                       "\"items_column\": ..., \"compute_column\": ...}");
    }
    const CsvImport import = import_csv({file}, csv_options(*columns, kernel));
    for (const std::string& warning : import.warnings) warn(warning);
    return import.trace;
  }
  std::vector<std::string> warnings;
  Trace trace = read_trace(file, &warnings);
  for (const std::string& warning : warnings) warn(warning);
  if (trace.kernel == kernel) return trace;
  throw InputError(where,
                   fmt::format("{} has times of {}, not of {}; give the trace of that kernel", file,
                               trace.kernel, kernel));
}

}  // namespace

UnitTimings read_unit_timings(const JsonValue& value, const std::string& path,
                              const std::string& kernel, const std::string& model) {
  const std::string where = fmt::format("{}:{}", path, value.line);
  const fs::path folder = fs::path(path).parent_path();
  if (value.kind == JsonValue::Kind::text) {
    const std::string file = (folder / value.text).string();
    UnitTimings timings = timings_of(read_measured(file, nullptr, where, kernel), {}, where, model);
    timings.file = fs::path(file).filename().string();
    return timings;
  }
  const JsonObject object(
      value, path, "measured times",
      {"file", "unit", "unit_column", "items_column", "compute_column", "items_pattern",
       "time_unit", "sd_column", "min_column", "max_column", "count_column", "in_column",
       "out_column", "in_bytes_column", "out_bytes_column", "where", "max_block_items"});
  const std::string file = (folder / object.text("file")).string();
  UnitTimings timings = timings_of(read_measured(file, &object, where, kernel),
                                   text_or_nothing(object, "unit"), where, model);
  timings.file = fs::path(file).filename().string();
  if (object.find("max_block_items") != nullptr) {
    timings.max_block_items = object.whole("max_block_items", 1, std::numeric_limits<Items>::max());
  }
  return timings;
}

}  // namespace equipoise
