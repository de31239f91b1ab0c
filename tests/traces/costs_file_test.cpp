// Tests of files with the costs of items: both formats, and what is refused.
#include "traces/costs_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

class CostsFile : public testing::Test {
 protected:
  /// The costs of `items` items in a file with `text`.
  ItemCosts read(const std::string& text, Items items) {
    folder_.write("costs", text);
    return read_costs(folder_.path("costs"), items);
  }
  /// Why they are refused, without the folder.
  std::string refusal(const std::string& text, Items items = 3) {
    std::string why = refusal_of([&] { (void)read(text, items); });
    const std::size_t at = why.find(folder_.path("costs"));
    return at == std::string::npos ? why : why.substr(at + folder_.path("costs").size());
  }

  TemporaryFolder folder_;
};

TEST_F(CostsFile, HasRangesOrOneCostInEachLine) {
  const std::string json = R"({"schema":"equipoise.costs/1","items":3,"ranges":[
    {"first":0,"items":2,"cost":0.5},{"first":2,"items":1,"cost":2}]})";
  EXPECT_DOUBLE_EQ(read(json, 3).sum(0, 2), 1.0);
  EXPECT_DOUBLE_EQ(read("0.5\n0.5\n2\n", 3).sum(0, 2), 1.0);
  EXPECT_DOUBLE_EQ(read("seconds\n1\n1\n4\n", 3).sum(2, 1), 2.0);  // scaled to mean 1
  EXPECT_EQ(read("seconds\n1\n1\n4\n", 3).ranges().size(), 2u);
}

TEST_F(CostsFile, SaysWhereItIsWrong) {
  EXPECT_EQ(refusal("1\n2\n"),
            ": has the costs of 2 items, and the workload has 3; give a cost "
            "for each");
  EXPECT_EQ(refusal("1\nmany\n3\n").substr(0, 2), ":2");
  EXPECT_EQ(refusal("1\n-2\n3\n"), ":2: the cost of an item is -2; give numbers from 0 to 1e+15");
  EXPECT_EQ(refusal("1,2\n"), ":1: has 2 columns; give one, with the cost of an item in each line");
  EXPECT_EQ(refusal("cost\n"), ": has no costs; give one in each line");
  EXPECT_EQ(refusal("0\n0\n0\n"), ": no item costs anything; give one a cost above 0");
  const auto json = [](const std::string& ranges) {
    return R"({"schema":"equipoise.costs/1","items":3,"ranges":[)" + ranges + "]}";
  };
  EXPECT_EQ(
      refusal(json(R"({"first":0,"items":1,"cost":1},
    {"first":2,"items":1,"cost":1})")),
      ":2: this range begins at item 2, and the one before ends before item 1; leave no gaps");
  EXPECT_EQ(refusal(json(R"({"first":0,"items":2,"cost":1},
    {"first":2,"items":9000000000000000000,"cost":1})")),
            ":2: this range ends after the last of 3 items; correct it, or `items`");
  EXPECT_EQ(refusal(json(R"({"first":0,"items":2,"cost":1})")),
            ":1: the ranges have 2 items, and `items` says 3; correct one of them");
  EXPECT_EQ(refusal(json(R"({"first":0,"items":3,"cost":-1})")).substr(0, 2), ":1");
  EXPECT_NE(
      refusal(R"({"schema":"equipoise.costs/2","items":3,"ranges":[]})").find("equipoise.costs"),
      std::string::npos);
}

TEST_F(CostsFile, OfATraceStandsInItsHeader) {
  const std::string head =
      R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"k","item":"i",)"
      R"("units":[{"id":"u","kind":"cpu"}],"costs":)";
  const std::string sample = "}\n{\"unit\":\"u\",\"items\":1,\"compute_s\":1}\n";
  folder_.write("t.jsonl",
                head + R"({"items":3,"ranges":[{"first":0,"items":3,"cost":1}]})" + sample);
  const Trace trace = read_trace(folder_.path("t.jsonl"), nullptr);
  EXPECT_EQ(trace.costs, (CostsRecord{3, {{0, 3, 1.0}}}));
  folder_.write("t.jsonl",
                head + R"({"items":4,"ranges":[{"first":0,"items":3,"cost":1}]})" + sample);
  EXPECT_NE(refusal_of([&] {
              (void)read_trace(folder_.path("t.jsonl"), nullptr);
            }).find("t.jsonl:1: the ranges have 3 items, and `items` says 4"),
            std::string::npos);
}

}  // namespace
}  // namespace equipoise
