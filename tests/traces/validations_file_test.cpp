// Tests of validations files: what is kept, and what is refused.
#include "traces/validations_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/json_record.hpp"

namespace equipoise::validations_file_test {
namespace {

ValidatedCase one_case() {
  ValidatedCase one;
  one.machine = "host, a CPU";
  one.date = "2026-11-27T03:00:00Z";
  one.workload = "matmul:n=64";
  one.units = {"cpu", "cpu,slowdown=3"};
  one.recorded_busy = 0.25;
  one.policies = {{"greedy", 1.5, 0.02, 0.001, {1.4, 1.6}}};
  return one;
}

TEST(ValidationsFile, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  folder.write("v.json", validations_text({one_case(), one_case()}));
  const std::vector<ValidatedCase> cases = read_validations(folder.path("v.json"));
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(
      line_of(json_of(cases[1])),
      R"({"machine":"host, a CPU","date":"2026-11-27T03:00:00Z","workload":"matmul:n=64",)"
      R"("units":["cpu","cpu,slowdown=3"],"recorded_busy":0.25,"policies":[{"policy":)"
      R"("greedy","predicted_s":1.5,"known_sd":0.02,"block_s":0.001,"measured_s":[1.4,1.6]}]})");
}

TEST(ValidationsFile, MayBeMissingOrEmpty) {
  const TemporaryFolder folder;
  EXPECT_TRUE(read_validations(folder.path("none.json")).empty());
  folder.write("empty.json", "");
  EXPECT_TRUE(read_validations(folder.path("empty.json")).empty());
}

TEST(ValidationsFile, IsRefusedWithItsLine) {
  const std::string text = validations_text({one_case()});
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string changed = text;
    changed.replace(changed.find(old), old.size(), now);
    return refusal_of([&] { static_cast<void>(parse_validations(changed, "v.json")); });
  };
  EXPECT_NE(with("[1.4,1.6]", "[]").find("v.json:2"), std::string::npos);
  EXPECT_NE(with("1.5", "-1.5").find("v.json:2"), std::string::npos);
  EXPECT_NE(with("0.25", "1.25").find("recorded_busy"), std::string::npos);
  EXPECT_NE(with("validations/1", "validations/2").find("v.json:1"), std::string::npos);
}

}  // namespace
}  // namespace equipoise::validations_file_test
