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

TEST(Glossary, FindsHeadingsAsTablesPrintThem) {
  EXPECT_EQ(find_terms("idle %").at(0).word, "idle");
  EXPECT_EQ(find_terms("± ms").at(0).word, "±");
  EXPECT_EQ(find_terms("last end us").at(0).word, "last end");
  EXPECT_EQ(find_terms("size (items)").at(0).word, "size");
  EXPECT_EQ(find_terms("idle W").at(0).word, "idle W");
  EXPECT_EQ(find_terms("training blocks").at(0).word, "training block");
  EXPECT_EQ(find_terms("kendall tau").at(0).word, "Kendall's tau");
  EXPECT_EQ(find_terms("95 % interval").at(0).word, "interval");
  const std::vector<Term> two = find_terms("verified (coverage alone)");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].word, "verified");
  EXPECT_EQ(two[1].word, "coverage alone");
}

TEST(Glossary, ExplainsTheWordsOfTakeBacksCopiesAndProbes) {
  for (const char* const word : {"probe", "backup", "best_known_by", "late_end"}) {
    EXPECT_EQ(find_terms(word).size(), 1u) << word;
  }
}

TEST(Glossary, SaysTheSameOfAMemberOnce) {
  const std::vector<Term> terms = find_terms("block_timeout_s");
  std::set<std::string> meanings;
  for (const Term& term : terms) {
    EXPECT_TRUE(meanings.insert(term.sentence.substr(term.sentence.find(": "))).second)
        << term.sentence;
  }
  EXPECT_EQ(find_terms("block_timeout_s").at(0).word, "block_timeout_s");
}

TEST(Glossary, SuggestsTheNearestWordsAndNeverListsAll) {
  EXPECT_EQ(refusal_of([] { (void)find_terms("idel"); }),
            "explain: unknown word 'idel'; did you mean 'ideal' or 'idle'?");
  EXPECT_EQ(refusal_of([] { (void)find_terms("quuxblah"); }),
            "explain: unknown word 'quuxblah'; 'equipoise explain' lists all words");
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
