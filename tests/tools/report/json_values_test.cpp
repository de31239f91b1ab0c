// Tests of values that are printed or written as JSON.
#include "tools/report/json_values.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace equipoise::json_values_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonLine, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(json_line({{"file", "a\xff.jsonl"}}), "{\"file\":\"a\xef\xbf\xbd.jsonl\"}");
}

TEST(JsonFrom, WritesWhatTheProgramWroteAsItWas) {
  const std::string text =
      R"({"b":[1,-2,3.0,0.1,1e-06,18446744073709551615],"a":{"x":null,"y":true},"t":"a\"b","l":[]})";
  EXPECT_EQ(json_line(json_from(parse_json(text, "t.json"))), text);
}

TEST(JsonValues, AreNullWhereThereIsNothing) {
  EXPECT_EQ(optional_json({}), Json());
  EXPECT_EQ(optional_json(5.0).dump(), "5.0");
  EXPECT_EQ(text_or_null(""), Json());
  EXPECT_EQ(text_or_null("a"), Json("a"));
}

TEST(ParameterJson, IsWhatTheTextMeans) {
  EXPECT_EQ(parameter_json("true").dump(), "true");
  EXPECT_EQ(parameter_json("4096").dump(), "4096");
  EXPECT_EQ(parameter_json("0.25").dump(), "0.25");
  EXPECT_EQ(parameter_json("item_range").dump(), "\"item_range\"");
}

TEST(FilesJson, HasItsSchemaFirst) {
  EXPECT_EQ(json_line(files_json(Json::array({{{"file", "a.xml"}}}))),
            R"({"schema":"equipoise.files/1","files":[{"file":"a.xml"}]})");
}

}  // namespace
}  // namespace equipoise::json_values_test
