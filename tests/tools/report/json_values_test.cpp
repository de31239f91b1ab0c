// Tests of values that are printed or written as JSON.
#include "tools/report/json_values.hpp"

#include <gtest/gtest.h>

#include <string>

#include "traces/json_record.hpp"

namespace equipoise::json_values_test {
namespace {

TEST(LineOf, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(line_of({{"file", "a\xff.jsonl"}}), "{\"file\":\"a\xef\xbf\xbd.jsonl\"}");
}

TEST(JsonFrom, WritesWhatTheProgramWroteAsItWas) {
  const std::string text =
      R"({"b":[1,-2,3.0,0.1,1e-06,18446744073709551615],"a":{"x":null,"y":true},"t":"a\"b","l":[]})";
  EXPECT_EQ(line_of(json_from(parse_json(text, "t.json"))), text);
}

TEST(TextOrNull, IsNullWhereThereIsNothing) {
  EXPECT_EQ(text_or_null(""), Json());
  EXPECT_EQ(text_or_null("a"), Json("a"));
}

TEST(FilesJson, HasItsSchemaFirst) {
  EXPECT_EQ(line_of(files_json(Json::array({{{"file", "a.xml"}}}))),
            R"({"schema":"equipoise.files/1","files":[{"file":"a.xml"}]})");
}

}  // namespace
}  // namespace equipoise::json_values_test
