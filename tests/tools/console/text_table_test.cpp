// Tests of text tables: alignment, what becomes of wide ones, and folded rows.
#include "tools/console/text_table.hpp"

#include <gtest/gtest.h>

namespace equipoise::text_table_test {
namespace {

TEST(TextTable, SetsNumbersToTheRightAndCountsCharacters) {
  TextTable table({"policy", "± s"});
  table.add({"greedy", "0.5"});
  table.add({"plb-hec", "12"});
  EXPECT_EQ(table.text(),
            "policy   ± s\n"
            "-------  ---\n"
            "greedy   0.5\n"
            "plb-hec   12\n");
}

TEST(TextTable, BreaksTextsWhereTheTerminalIsNarrow) {
  TextTable table({"policy", "s", "remarks"});
  table.add({"greedy", "1", "knows unit speeds beforehand"});
  EXPECT_EQ(table.text(29),
            "policy  s  remarks\n"
            "------  -  ------------------\n"
            "greedy  1  knows unit speeds\n"
            "           beforehand\n");
  EXPECT_EQ(table.text(39), table.text(std::nullopt)) << "it fits";
}

TEST(TextTable, GoesOnBelowWithColumnsThatDoNotFit) {
  TextTable table({"unit", "items", "share", "blocks"});
  table.add({"cpu0", "12345", "10.0", "7"});
  EXPECT_EQ(table.text(18),
            "unit  items  share\n"
            "----  -----  -----\n"
            "cpu0  12345   10.0\n"
            "\n"
            "unit  blocks\n"
            "----  ------\n"
            "cpu0       7\n");
}

TEST(TextTable, FoldsRowsThatDifferOnlyInCountedNames) {
  TextTable table({"host", "items", "links"});
  table.add({"cpu8", "5", "up8 net"});
  table.add({"cpu9", "5", "up9 net"});
  table.add({"cpu10", "5", "up10 net"});
  table.add({"cpu11", "6", "up11 net"});  // other items
  table.add({"cpu13", "6", "up13 net"});  // not the next one
  EXPECT_TRUE(table.fold());
  EXPECT_EQ(table.text(std::nullopt),
            "host         items  links\n"
            "-----------  -----  -------------\n"
            "cpu8..cpu10      5  up8..up10 net\n"
            "cpu11            6  up11 net\n"
            "cpu13            6  up13 net\n");
  EXPECT_FALSE(table.fold()) << "nothing is left to fold";
}

TEST(TextTable, DoesNotFoldNumbersThatCountUp) {
  TextTable table({"size", "s"});
  table.add({"cpu0", "1"});
  table.add({"cpu1", "2"});
  EXPECT_FALSE(table.fold());
}

TEST(FoldedNames, StandForNamesThatAreCountedOn) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(folded_names({"cpu0", "cpu1", "cpu2", "gpu", "mic7"}),
            (Names{"cpu0..cpu2", "gpu", "mic7"}));
  EXPECT_EQ(folded_names({"n01", "n02"}), (Names{"n01", "n02"})) << "n01..n02 would be n1 to n2";
  EXPECT_TRUE(folded_names({}).empty());
}

TEST(InOneLine, HasTheFirstThreeAndSaysHowManyMore) {
  EXPECT_EQ(in_one_line({}), "");
  EXPECT_EQ(in_one_line({"a", "b", "c"}), "a; b; c");
  EXPECT_EQ(in_one_line({"a", "b", "c", "d", "e"}), "a; b; c; and 2 more");
}

}  // namespace
}  // namespace equipoise::text_table_test
