// Tests of specifications and numbers that users type, and of the messages when they cannot be
// read.
#include "shared_policies/specs/spec.hpp"

#include <gtest/gtest.h>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tests/support/refusal.hpp"

namespace equipoise::spec_test {
namespace {

TEST(Quantities, MayHaveTheUnitOfWhatTheyMeasure) {
  EXPECT_DOUBLE_EQ(parse_quantity("30 us", "s", "t"), 30e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("30\u00b5s", "s", "t"), 30e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("2 min", "s", "t"), 120.0);
  EXPECT_DOUBLE_EQ(parse_quantity("0.5", "s", "t"), 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("64 GiB", "bytes", "m"), 64.0 * 1073741824.0);
  EXPECT_DOUBLE_EQ(parse_quantity("64Mi", "bytes", "m"), 64.0 * 1048576.0);
  EXPECT_DOUBLE_EQ(parse_quantity("64GB", "bytes", "m"), 64e9);
  EXPECT_DOUBLE_EQ(parse_quantity("25 Gb/s", "bytes/s", "b"), 25e9 / 8.0);
  EXPECT_DOUBLE_EQ(parse_quantity("3 GB/s", "bytes/s", "b"), 3e9);
  EXPECT_DOUBLE_EQ(parse_quantity("2.9 GHz", "Hz", "f"), 2.9e9);
  EXPECT_DOUBLE_EQ(parse_quantity("5 TFLOP/s", "FLOP/s", "p"), 5e12);
  EXPECT_DOUBLE_EQ(parse_quantity("1.2 kW", "W", "w"), 1200.0);
  EXPECT_DOUBLE_EQ(parse_quantity("7", "x slack", "x"), 7.0);
}

TEST(Quantities, AreRefusedWithAnotherUnit) {
  EXPECT_EQ(refusal_of([] { (void)parse_quantity("25 Gb", "bytes/s", "b"); }),
            "b: '25 Gb' is not a number of bytes/s; write 3e9, 3 GB/s or, in bits, 25 Gb/s");
  for (const char* text : {"", "s", "3 m", "3 KB", "3 s s", "1e999 s", "nan s"}) {
    EXPECT_THROW((void)parse_quantity(text, "s", "t"), InputError) << text;
  }
  // mega, not milli
  EXPECT_THROW((void)parse_quantity("25 mb/s", "bytes/s", "b"), InputError);
  EXPECT_THROW((void)parse_quantity("3 us", "x slack", "x"), InputError);
}

TEST(Spec, SplitsANameAndItsParameters) {
  const Spec spec = parse_spec("plb-hec:threshold=0.1,solver=ipopt", ':', "--policy");
  EXPECT_EQ(spec.name, "plb-hec");
  EXPECT_EQ(spec.parameters.at("threshold"), "0.1");
  EXPECT_EQ(spec.parameters.at("solver"), "ipopt");
  EXPECT_TRUE(parse_spec("greedy", ':', "--policy").parameters.empty());
  EXPECT_EQ(parse_spec("cpu,threads=2", ',', "--unit").parameters.at("threads"), "2");
}

TEST(Spec, RefusesWhatIsNotKeyEqualsValue) {
  for (const char* text : {"", ":a=1", "x:a", "x:=1", "x:a=1,", "x:a=1,a=2", "x:"}) {
    EXPECT_THROW((void)parse_spec(text, ':', "--policy"), InputError) << text;
  }
}

TEST(Number, AcceptsExponentsAndBinaryPrefixes) {
  EXPECT_DOUBLE_EQ(parse_number("5e6", "n"), 5e6);
  EXPECT_DOUBLE_EQ(parse_number("64Ki", "n"), 65536.0);
  EXPECT_DOUBLE_EQ(parse_number("1.5Gi", "n"), 1.5 * 1073741824.0);
  EXPECT_EQ(parse_items("2e6", "n"), 2'000'000);
}

TEST(Number, RefusesWhatIsNotFiniteOrNotANumber) {
  for (const char* text : {"", "x", "1x", "nan", "inf", "1e999", "5 ", "Ki", "1K"}) {
    EXPECT_THROW((void)parse_number(text, "n"), InputError) << text;
  }
  EXPECT_THROW((void)parse_items("0.5", "n"), InputError);
  EXPECT_THROW((void)parse_items("1e300", "n"), InputError);
}

TEST(Number, IsAShareInPercentOrNot) {
  EXPECT_DOUBLE_EQ(parse_share("5%", "n"), 0.05);
  EXPECT_DOUBLE_EQ(parse_share("0.05", "n"), 0.05);
  EXPECT_DOUBLE_EQ(parse_share("0", "n"), 0.0);
  for (const char* text : {"5", "-1%", "100%", "%", "x%", "5%%"}) {
    EXPECT_THROW((void)parse_share(text, "n"), InputError) << text;
  }
}

TEST(Number, IsARatioInPercentOrBelowOne) {
  EXPECT_DOUBLE_EQ(parse_ratio("10%", "n"), 0.1);
  EXPECT_DOUBLE_EQ(parse_ratio("0.1", "n"), 0.1);
  EXPECT_DOUBLE_EQ(parse_ratio("250%", "n"), 2.5);
  EXPECT_EQ(refusal_of([] { (void)parse_ratio("10", "--max-error"); }),
            "--max-error: '10' may mean percent or not; write 10% or 0.1");
}

TEST(UnknownName, NamesTheNearestKnownOneOrAll) {
  const std::vector<std::string> known = {"greedy", "static", "plb-hec"};
  EXPECT_EQ(unknown_name("policy", "plb-hek", known),
            "unknown policy 'plb-hek'; did you mean 'plb-hec'?");
  EXPECT_EQ(unknown_name("policy", "zzzzzz", known),
            "unknown policy 'zzzzzz'; known are: greedy, static, plb-hec");
  EXPECT_EQ(unknown_name("policy", "zzzzzz", {}), "unknown policy 'zzzzzz'; no names are known");
}

TEST(UnknownName, NamesThoseThatBeginLikeItIfTheyAreFew) {
  const std::vector<std::string> known = {"h100-pcie-80gb", "h100-sxm5-80gb", "h200-sxm-141gb"};
  EXPECT_EQ(unknown_name("device", "H100", known),
            "unknown device 'H100'; did you mean 'h100-pcie-80gb' or 'h100-sxm5-80gb'?");
  EXPECT_EQ(unknown_name("device", "h", known),
            "unknown device 'h'; known are: h100-pcie-80gb, h100-sxm5-80gb, h200-sxm-141gb");
}

TEST(NearNames, BeginWithTheNearest) {
  const std::vector<std::string> known = {"idle", "ideal", "item", "share"};
  EXPECT_EQ(near_names("idel", known), (std::vector<std::string>{"idle", "ideal"}));
  EXPECT_TRUE(near_names("quux", known).empty());
}

}  // namespace
}  // namespace equipoise::spec_test
