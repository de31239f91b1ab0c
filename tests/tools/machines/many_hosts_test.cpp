// Tests of generated platforms with so many hosts that they are divided among zones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::many_hosts_test {
namespace {

using Json = nlohmann::json;

/// Generates a platform of a machine with the input and `machines` others of two units each, and
/// returns what `platform check` says of it. `xml` is set to the file's text.
Json checked(int machines, std::string& xml) {
  const TemporaryFolder folder;
  const std::string spec =
      folder.write("spec.json", fmt::format(R"({{"schema":"equipoise.machines/1","source":"a test",
          "network":{{"bytes_per_s":1e9,"latency_s":1e-5}},
          "machines":[{{"id":"first","units":[{{"id":"cpu","kind":"cpu","peak_flop_per_s":1e9}}]}},
            {{"id":"n","count":{},"units":[
              {{"id":"cpu","kind":"cpu","peak_flop_per_s":1e9}},
              {{"id":"gpu","kind":"gpu","peak_flop_per_s":1e10,
               "bus":{{"in_bytes_per_s":1e10,"out_bytes_per_s":1e10,"latency_s":1e-6}}}}]}}],
          "platforms":[{{"name":"p","machines":["first","n"]}}]}})",
                                            machines));
  const std::string out = folder.path("out");
  const ProgramRun made = run_equipoise({"platform", "generate", "--spec", spec, "--out", out});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  xml = read_text(out + "/p.xml");
  const ProgramRun run = run_equipoise({"platform", "check", out + "/p.xml", "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return Json::parse(run.out);
}

TEST(ManyHosts, AreReachedOverTheSameLinksAsFew) {
  std::string flat;
  std::string grouped;
  const Json few = checked(499, flat);      // a thousand hosts: RAM, one unit and 998 others
  const Json many = checked(601, grouped);  // groups of 400, 400, 400 and 2 units
  EXPECT_EQ(flat.find("<router"), std::string::npos);
  EXPECT_NE(grouped.find("<router id=\"p/4/edge\"/>"), std::string::npos);
  EXPECT_EQ(grouped.find("<router id=\"p/5/edge\"/>"), std::string::npos);
  EXPECT_EQ(many.at("master"), "RAM");
  ASSERT_EQ(few.at("hosts").size(), 1000u);
  ASSERT_EQ(many.at("hosts").size(), 1204u);
  for (std::size_t i = 0; i < few.at("hosts").size(); ++i) {
    ASSERT_EQ(many.at("hosts").at(i), few.at("hosts").at(i));
  }
  const Json& last = many.at("hosts").back();
  EXPECT_EQ(last.at("host"), "n600.gpu");
  EXPECT_EQ(last.at("in").at("links"),
            Json::parse(R"(["first.network.out","n600.network.in","n600.gpu.bus.in"])"));
  EXPECT_EQ(last.at("out").at("links"),
            Json::parse(R"(["n600.gpu.bus.out","n600.network.out","first.network.in"])"));
}

}  // namespace
}  // namespace equipoise::many_hosts_test
