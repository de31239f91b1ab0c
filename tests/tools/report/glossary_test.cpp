// Tests of the glossary and of the legends that are made from it.
#include "tools/report/glossary.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/refusal.hpp"
#include "tools/report/result_fields.hpp"

namespace equipoise::glossary_test {
namespace {

TEST(Glossary, HasEachWordAndNameOnceWithOneSentence) {
  std::set<std::string> words;
  for (const Term& term : glossary()) {
    EXPECT_TRUE(words.insert(term.word).second) << term.word;
    EXPECT_TRUE(term.name.empty() || words.insert(term.name).second) << term.name;
    EXPECT_TRUE(term.sentence.ends_with(".")) << term.word;
    EXPECT_EQ(term.sentence.find(". "), std::string::npos) << term.sentence;
  }
}

TEST(Glossary, ExplainsEveryFieldOfResultsByItsNameAndItsHeading) {
  for (const ResultField& field : result_fields()) {
    EXPECT_FALSE(term(field.name).sentence.empty());
    EXPECT_TRUE(*field.heading == '\0' || !term(field.heading).sentence.empty());
  }
}

TEST(Glossary, FindsWordsByTheirNamesInFilesAndByParts) {
  EXPECT_EQ(find_terms("Idle").at(0).word, "idle");
  EXPECT_EQ(find_terms("over_lower_bound").at(0).word, "times bound");
  ASSERT_EQ(find_terms("spread").size(), 1u);
  EXPECT_EQ(find_terms("spread").at(0).sentence,
            "The time from the first unit's end to the last's.");
}

TEST(Glossary, SuggestsTheNearestWord) {
  EXPECT_EQ(refusal_of([] { (void)find_terms("idel"); }),
            "explain: unknown word 'idel'; did you mean 'idle'?");
}

TEST(Legend, HasALineForEachWord) {
  EXPECT_EQ(legend({"informed", "finish_spread_s"}),
            "knows speeds  The policy knows unit speeds beforehand.\n"
            "ends apart    The time from the first unit's end to the last's.\n");
  EXPECT_EQ(legend_paragraph({"informed", "finish_spread_s"}),
            "knows speeds: The policy knows unit speeds beforehand. ends apart: The time from the "
            "first unit's end to the last's.");
}

}  // namespace
}  // namespace equipoise::glossary_test
