// Tests of JSON documents: values with their lines, and error messages that name the line.
#include "traces/json_document.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace equipoise::json_document_test {
namespace {

std::string refused(const std::string& text) {
  return refusal_of([&] { static_cast<void>(parse_json(text, "f.json")); });
}

TEST(JsonDocument, KnowsTheLineOfEveryValue) {
  const JsonValue root = parse_json(
      "{\n"
      "  \"a\": 1,\n"
      "  \"b\": 25\n"
      "  ,\n"
      "  \"c\": [true,\n"
      "    \"x\", null]\n"
      "}\n",
      "f.json");
  ASSERT_EQ(root.kind, JsonValue::Kind::object);
  EXPECT_EQ(root.line, 1u);
  ASSERT_EQ(root.object.size(), 3u);
  EXPECT_EQ(root.object[0].value.line, 2u);
  EXPECT_EQ(root.object[1].name, "b");
  EXPECT_EQ(root.object[1].value.line, 3u);  // the newline comes after the digits
  const JsonValue& list = root.object[2].value;
  EXPECT_EQ(list.line, 5u);
  ASSERT_EQ(list.list.size(), 3u);
  EXPECT_TRUE(list.list[0].boolean);
  EXPECT_EQ(list.list[0].line, 5u);
  EXPECT_EQ(list.list[1].text, "x");
  EXPECT_EQ(list.list[1].line, 6u);
  EXPECT_EQ(list.list[2].kind, JsonValue::Kind::null);
}

TEST(JsonDocument, KeepsNumbersAsTheyWereSpelled) {
  const JsonValue root = parse_json("[2e6, -7, 0.1, 18446744073709551615]", "f.json");
  ASSERT_EQ(root.list.size(), 4u);
  EXPECT_EQ(root.list[0].text, "2e6");
  EXPECT_DOUBLE_EQ(root.list[0].number, 2e6);
  EXPECT_EQ(root.list[1].text, "-7");
  EXPECT_DOUBLE_EQ(root.list[2].number, 0.1);
  EXPECT_EQ(root.list[3].text, "18446744073709551615");
}

TEST(JsonDocument, KeepsValuesThatStandInListsInLists) {
  const JsonValue root = parse_json("[[1,2],[3,[4,5]],{\"a\":[6]}]", "f.json");
  EXPECT_DOUBLE_EQ(root.list[0].list[1].number, 2.0);
  EXPECT_DOUBLE_EQ(root.list[1].list[1].list[0].number, 4.0);
  EXPECT_DOUBLE_EQ(root.list[2].object[0].value.list[0].number, 6.0);
}

TEST(JsonDocument, ReadsWholeNumbersHoweverTheyAreWritten) {
  const JsonValue root = parse_json(R"({"a": 1e6, "b": 2.0, "c": 1.5, "d": 1e300})", "f.json");
  const JsonObject object(root, "f.json", "an object");
  EXPECT_EQ(object.whole("a", 0, 2'000'000), 1'000'000);
  EXPECT_EQ(object.whole("b", 0, 10), 2);
  for (const char* name : {"c", "d"}) {
    EXPECT_NE(refusal_of([&] { (void)object.whole(name, 0, 10); }).find("a whole number from 0"),
              std::string::npos);
  }
}

TEST(JsonDocument, ReadsQuantitiesWithUnits) {
  const JsonValue root = parse_json(
      R"({"bytes_per_s": "25 Gb/s", "latency_s": "30 us", "memory_bytes": "64 GiB",
          "clock_hz": "2.9 GHz", "busy_w": 250, "items_per_s": "5 GHz", "idle_w": "3 kg"})",
      "f.json");
  const JsonObject object(root, "f.json", "an object");
  EXPECT_DOUBLE_EQ(object.quantity("bytes_per_s", 0, 1e18), 25e9 / 8);
  EXPECT_DOUBLE_EQ(object.quantity("latency_s", 0, 1), 3e-5);
  EXPECT_DOUBLE_EQ(object.quantity("memory_bytes", 0, 1e18), 64.0 * 1024 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(object.quantity("clock_hz", 0, 1e18), 2.9e9);
  EXPECT_DOUBLE_EQ(object.quantity("busy_w", 0, 1e18), 250.0);
  const auto why = [&](const char* name) {
    return refusal_of([&] { (void)object.quantity(name, 1.0, 10.0); });
  };
  EXPECT_TRUE(why("items_per_s").starts_with("f.json:2: 'items_per_s': '5 GHz' is not a number"));
  EXPECT_TRUE(why("idle_w").starts_with("f.json:2: 'idle_w': '3 kg' is not a number of W"));
  EXPECT_TRUE(
      why("latency_s")
          .starts_with("f.json:1: 'latency_s' is '30 us', which is 3e-05; it must be from 1 to 10"))
      << why("latency_s");
}

TEST(JsonDocument, RefusesWithTheLine) {
  EXPECT_EQ(refused("{\n\"a\": 1,\n}\n").rfind("f.json:3: malformed JSON", 0), 0u)
      << refused("{\n\"a\": 1,\n}\n");
  EXPECT_EQ(refused("").rfind("f.json:1: malformed JSON", 0), 0u);
  EXPECT_EQ(refused("{} {}").rfind("f.json:1: malformed JSON", 0), 0u);
  EXPECT_EQ(refused("[1,\n1e999]").rfind("f.json:2: a number overflows", 0), 0u)
      << refused("[1,\n1e999]");
  EXPECT_EQ(refused("{\"a\":1,\n\"a\":2}"), "f.json:2: 'a' is given twice; keep one of them");
  EXPECT_NE(refused(std::string(100'000, '[')).find("levels deep"), std::string::npos);
}

TEST(JsonDocument, RefusesWhatIsNotUtf8AndControlCharacters) {
  const auto refusal = [](const std::string& text) {
    return refusal_of([&] { (void)parse_json(text, "f.json", 5); });
  };
  EXPECT_EQ(refusal("{\n\"a\": \"caf\xE9\"}"), "f.json:6: not UTF-8; save the file as UTF-8");
  EXPECT_EQ(refusal("{\n\"caf\xC3\xA9\": \"caf\xC3\xA9\"}"), "not refused");
  EXPECT_EQ(refusal("[\"a\\u001b[31m\"]"),
            "f.json:5: 'a\\x1b[31m' has control characters; leave them out");
  EXPECT_EQ(refusal("{\n\"a\\u0000\": 1}"),
            "f.json:6: 'a\\x00' has control characters; leave them out");
}

TEST(JsonDocument, RefusesAFileThatIsNotThere) {
  EXPECT_EQ(refusal_of([] {
              static_cast<void>(read_json_file("/no/such.json"));
            }).rfind("/no/such.json: no such file", 0),
            0u);
}

TEST(JsonObject, NamesTheMemberThatWasMeant) {
  const JsonValue root = parse_json("{\n\"policys\": 1}", "f.json");
  const std::vector<std::string> members = {"policies", "reps"};
  const std::string why = refusal_of([&] { JsonObject(root, "f.json", "a campaign", members); });
  EXPECT_EQ(why.rfind("f.json:2: ", 0), 0u) << why;
  EXPECT_NE(why.find("policies"), std::string::npos) << why;
}

TEST(JsonObject, ReadsMembersByKind) {
  const JsonValue root =
      parse_json("{\"n\": 3,\n \"t\": \"x\", \"f\": false,\n\"nothing\": null}", "f.json");
  const JsonObject object(root, "f.json", "a thing", {"n", "t", "f", "nothing"});
  EXPECT_DOUBLE_EQ(object.number("n", 0.0, 5.0), 3.0);
  EXPECT_EQ(object.text("t"), "x");
  EXPECT_FALSE(object.flag("f"));
  EXPECT_EQ(object.find("nothing"), nullptr);
  EXPECT_EQ(refusal_of([&] { static_cast<void>(object.number("t", 0.0, 1.0)); }),
            "f.json:2: 't' is a text; it must be a number");
  EXPECT_EQ(refusal_of([&] { static_cast<void>(object.number("n", 0.0, 2.0)); }),
            "f.json:1: 'n' is 3; it must be from 0 to 2");
  EXPECT_EQ(refusal_of([&] { static_cast<void>(object.text("nothing")); }),
            "f.json:1: 'nothing' is missing; add it");
}

}  // namespace
}  // namespace equipoise::json_document_test
