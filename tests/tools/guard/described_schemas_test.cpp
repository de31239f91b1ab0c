// What traces/schemas/ says of described records is what their descriptions say. With
// EQUIPOISE_WRITE_SCHEMAS=1 the test writes it there instead.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/described_schemas.hpp"
#include "tests/support/places.hpp"

namespace equipoise::described_schemas_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(DescribedSchemas, AreThoseOfTheRepository) {
  const bool writes = std::getenv("EQUIPOISE_WRITE_SCHEMAS") != nullptr;
  for (const DescribedSchema& part : described_schemas()) {
    const std::string path = repository() / "traces/schemas" / part.file;
    Json document = Json::parse(std::ifstream(path));
    const Json::json_pointer place(part.pointer);
    if (writes) {
      document[place] = part.schema;
      std::ofstream(path) << document.dump(1) << "\n";
    } else {
      EXPECT_EQ(document.at(place), part.schema)
          << part.file << " differs from the descriptions at " << part.pointer
          << "; run this test with EQUIPOISE_WRITE_SCHEMAS=1";
    }
  }
}

}  // namespace
}  // namespace equipoise::described_schemas_test
