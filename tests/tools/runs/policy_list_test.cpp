// Tests of several policies in one option.
#include "tools/runs/policy_choice.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace equipoise::policy_list_test {
namespace {

using List = std::vector<std::string>;

List split(const std::string& text) { return split_policies(text, "--policy"); }

TEST(PolicyList, BeginsAPolicyAtEveryNameAndGoesOnAtEveryParameter) {
  EXPECT_EQ(split("greedy"), List{"greedy"});
  EXPECT_EQ(split("greedy,plb-hec:threshold=0.2,step_fraction=0.05,gss"),
            (List{"greedy", "plb-hec:threshold=0.2,step_fraction=0.05", "gss"}));
  EXPECT_EQ(split("plb-hec:preset=robust,hdss:preset=robust"),
            (List{"plb-hec:preset=robust", "hdss:preset=robust"}));
}

TEST(PolicyList, LeavesOutBlanksAroundCommas) {
  EXPECT_EQ(split_policies("greedy, plb-hec:min_r2=0.8 , solver=ipopt", "--policy"),
            (std::vector<std::string>{"greedy", "plb-hec:min_r2=0.8,solver=ipopt"}));
}

TEST(PolicyList, TakesPathsOfLibrariesForPolicies) {
  EXPECT_EQ(split("gss,./mine.so,other.so:k=1,j=2,/opt/x.so"),
            (List{"gss", "./mine.so", "other.so:k=1,j=2", "/opt/x.so"}));
}

TEST(PolicyList, LeavesColonsInValues) {
  EXPECT_EQ(split("plb-hec:initial_block_items=time:0.10,min_r2=0.5,ss"),
            (List{"plb-hec:initial_block_items=time:0.10,min_r2=0.5", "ss"}));
}

TEST(PolicyList, RefusesEmptyPartsAndParametersWithoutAPolicy) {
  for (const char* text : {"", "greedy,", ",greedy", "greedy,,gss"}) {
    EXPECT_NE(refusal_of([&] { (void)split(text); }).find("has an empty part"), std::string::npos)
        << text;
  }
  EXPECT_EQ(refusal_of([] { (void)split("plb-hec,threshold=0.2"); }),
            "--policy: 'threshold=0.2' stands behind 'plb-hec', which has no colon; write "
            "plb-hec:threshold=0.2 for a parameter of plb-hec");
  EXPECT_EQ(refusal_of([] { (void)split("threshold=0.2"); }),
            "--policy: 'threshold=0.2' has no name; write NAME:threshold=0.2");
}

}  // namespace
}  // namespace equipoise::policy_list_test
