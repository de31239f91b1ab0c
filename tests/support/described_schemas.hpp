// The parts of traces/schemas/ that follow from descriptions of records and from the fields of
// results.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace equipoise {

/// A part of a schema file.
struct DescribedSchema {
  std::string file;     ///< in traces/schemas/
  std::string pointer;  ///< JSON pointer to the part
  nlohmann::ordered_json schema;
};

/// All of them.
[[nodiscard]] std::vector<DescribedSchema> described_schemas();

}  // namespace equipoise
