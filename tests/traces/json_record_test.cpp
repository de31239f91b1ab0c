// Tests of descriptions: what they write, read and refuse, and the schemas that follow from them.
#include "traces/json_record.hpp"

#include <gtest/gtest.h>

#include "tests/support/json_schema.hpp"

namespace equipoise::json_record_test {
namespace {

enum class Colour : std::uint8_t { red, green };

constexpr auto words(DescriptionOf<Colour> /*of*/) {
  return std::array{Word<Colour>{Colour::red, "red"}, Word<Colour>{Colour::green, "green"}};
}

struct Point {
  double x = 0.0;
  double y = 0.0;
};

constexpr auto describe(DescriptionOf<Point> /*of*/) {
  return std::tuple(member("x", &Point::x, "to the right"), member("y", &Point::y, "upwards"));
}

struct Kite {
  std::string name;
  Colour colour = Colour::red;
  Point at;
  std::optional<Seconds> flown;
  std::vector<int> tails;
  std::int64_t knots = 0;
  bool is_new = false;
  double hidden = 0.0;
};

constexpr auto describe(DescriptionOf<Kite> /*of*/) {
  return std::tuple(
      member("name", &Kite::name, "what it is called").not_empty(),
      member("colour", &Kite::colour, "its colour"), member("at", &Kite::at, "where it is").flat(),
      member("flown_s", &Kite::flown, "how long it flew").cost().or_null(),
      member("tails", &Kite::tails, "lengths of its tails").in("cm").at_least(1).if_any(),
      member("line.knots", &Kite::knots, "knots in its line").at_least(0).since(1),
      member("new", &Kite::is_new, "whether it is new").if_any().only(in_runs),
      unwritten(&Kite::hidden));
}

Kite kite() { return {"a", Colour::green, {1.5, -2.0}, Seconds{3.0}, {4, 5}, 6, true, 7.0}; }

Kite read(const std::string& text, bool is_strict = false) {
  const JsonValue value = parse_json(text, "k.json");
  return record_of<Kite>(value, "k.json", "a kite", {.is_strict = is_strict});
}

std::string refusal(const std::string& text, bool is_strict = false) {
  try {
    static_cast<void>(read(text, is_strict));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonRecord, WritesMembersInTheOrderOfTheDescription) {
  EXPECT_EQ(line_of(json_of(kite())),
            R"({"name":"a","colour":"green","x":1.5,"y":-2.0,"flown_s":3.0,"tails":[4,5],)"
            R"("line":{"knots":6},"new":true})");
}

TEST(JsonRecord, WritesNothingAsNullOrLeavesItOut) {
  Kite plain;
  plain.name = "b";
  EXPECT_EQ(line_of(json_of(plain)),
            R"({"name":"b","colour":"red","x":0.0,"y":0.0,"flown_s":null,"line":{"knots":0}})");
}

TEST(JsonRecord, LeavesOutMembersOfOtherFiles) {
  EXPECT_EQ(json_of(kite(), in_traces).contains("new"), false);
  EXPECT_EQ(json_of(kite(), in_runs).contains("new"), true);
}

TEST(JsonRecord, ReadsWhatItWrote) {
  const Kite again = read(line_of(json_of(kite())));
  EXPECT_EQ(again.name, "a");
  EXPECT_EQ(again.colour, Colour::green);
  EXPECT_EQ(again.at.y, -2.0);
  EXPECT_EQ(again.flown, Seconds{3.0});
  EXPECT_EQ(again.tails, (std::vector<int>{4, 5}));
  EXPECT_EQ(again.knots, 6);
  EXPECT_TRUE(again.is_new);
  EXPECT_EQ(again.hidden, 0.0) << "no file has it";
}

TEST(JsonRecord, ReadsFilesOfOlderVersionsAndIgnoresWhatItDoesNotKnow) {
  const Kite old = read(R"({"name":"b","colour":"red","x":1,"y":2,"age":3})");
  EXPECT_EQ(old.at.x, 1.0);
  EXPECT_EQ(old.knots, 0);
  EXPECT_FALSE(old.flown);
}

TEST(JsonRecord, RefusesWithTheLineAndWhatIsWrong) {
  EXPECT_EQ(refusal("{\"name\":\"b\",\n\"colour\":\"red\",\"x\":1}"),
            "k.json:1: 'y' is missing; add it");
  EXPECT_EQ(refusal("{\"name\":\"\",\"colour\":\"red\",\"x\":1,\"y\":1}"),
            "k.json:1: 'name' is empty; fill it in");
  EXPECT_EQ(refusal("{\"name\":\"b\",\"colour\":\"rad\",\"x\":1,\"y\":1}"),
            "k.json:1: unknown colour 'rad'; did you mean 'red'?");
  const std::string begin = "{\"name\":\"b\",\"colour\":\"red\",\"x\":1,\"y\":1,\n";
  EXPECT_EQ(refusal(begin + "\"flown_s\":-1}"),
            "k.json:2: 'flown_s' is -1; it must be at least 0 and at most 1e+09");
  EXPECT_EQ(refusal(begin + "\"flown_s\":1e-300}"),
            "k.json:2: 'flown_s' is 1e-300; it is too short to be a time: at least 1e-15 s, or 0; "
            "correct it");
  EXPECT_EQ(refusal(begin + "\"tails\":[0]}"),
            "k.json:2: 'tails' is 0; it must be a whole number from 1 to 2147483647");
  EXPECT_EQ(
      refusal(begin + "\"age\":3,\"flown_s\":1}", true),
      "k.json:2: unknown member of a kite 'age'; known are: name, colour, x, y, flown_s, tails, "
      "line, new");
}

TEST(JsonRecord, HasSchemas) {
  EXPECT_EQ(schema_of<Kite>(in_traces).dump(),
            R"({"type":"object","properties":{)"
            R"("name":{"type":"string","minLength":1,"description":"what it is called"},)"
            R"("colour":{"enum":["red","green"],"description":"its colour"},)"
            R"("x":{"type":"number","description":"to the right"},)"
            R"("y":{"type":"number","description":"upwards"},)"
            R"("flown_s":{"type":["number","null"],"minimum":0,"maximum":1000000000,)"
            R"("description":"how long it flew, in s"},)"
            R"("tails":{"type":"array","items":{"type":"integer","minimum":1},)"
            R"("description":"lengths of its tails, in cm"},)"
            R"("line":{"type":"object","properties":{"knots":{"type":"integer","minimum":0,)"
            R"("description":"knots in its line"}},"additionalProperties":false}},)"
            R"("required":["name","colour","x","y"],"additionalProperties":false})");
}

TEST(JsonRecord, KeepsFactsOfEveryKindAsTheyAre) {
  const std::string text = R"({"a":1,"b":1.5,"c":[true,null,"x"],"d":{"e":-3}})";
  const JsonValue value = parse_json(text, "f.json");
  EXPECT_EQ(line_of(json_of(fact_of({value, "f.json", "facts"}))), text);
}

struct Inner {
  Seconds b;
  std::optional<double> c;
};

struct Outer {
  int a = 0;
  Inner inner;
};

constexpr bool is_row(DescriptionOf<Outer> /*of*/) { return true; }

TEST(JsonRecord, WritesRowsInTheOrderOfTheStruct) {
  const std::string text = line_of(json_of(Outer{1, {Seconds{2.0}, std::nullopt}}));
  EXPECT_EQ(text, "[1,2.0,null]");
  const JsonValue value = parse_json(text, "r.json");
  const auto again = value_of<Outer>({value, "r.json", "row"}, {"", ""}, {});
  EXPECT_EQ(again.inner.b, Seconds{2.0});
  const JsonValue cut = parse_json("[1,2.0]", "r.json");
  EXPECT_THROW(static_cast<void>(value_of<Outer>({cut, "r.json", "row"}, {"", ""}, {})),
               InputError);
}

struct Twice {
  int seen = 0;
  int forgotten = 0;
};

constexpr auto describe(DescriptionOf<Twice> /*of*/) {
  return std::tuple(member("seen", &Twice::seen, "a member").only(in_runs),
                    member("also", &Twice::seen, "the same").only(in_points));
}

TEST(StructMembers, AreCountedWhateverTheirTypes) {
  EXPECT_EQ(count_members<Point>(), 2U);
  EXPECT_EQ(count_members<Kite>(), 8U);
  EXPECT_EQ(count_described<Kite>(), 8U);
  EXPECT_EQ(count_described<Twice>(), 1U) << "the other one is forgotten";
}

}  // namespace
}  // namespace equipoise::json_record_test
