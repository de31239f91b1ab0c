// A machine of three units and two kernels, as files, for tests of the program.
#pragma once

#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace equipoise {

/// Units a, b and c, each behind a private link, and all behind a shared one. c does an item of
/// kernel k twice as fast as a, and an item of kernel l four times as fast.
struct SmallMachine {
  explicit SmallMachine(const TemporaryFolder& folder)
      : platform(folder.write(
            "p.xml",
            "<?xml version='1.0'?>\n"
            "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
            "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n"
            "<host id=\"ram\" speed=\"1Gf\"><prop id=\"master\" value=\"true\"/></host>\n"
            "<host id=\"a\" speed=\"1Gf\"/>\n<host id=\"b\" speed=\"1Gf\"/>\n"
            "<host id=\"c\" speed=\"1Gf\"><prop id=\"kind\" value=\"gpu\"/></host>\n"
            "<link id=\"bus\" bandwidth=\"4MBps\" latency=\"1us\"/>\n"
            "<link id=\"la\" bandwidth=\"2MBps\" latency=\"1us\"/>\n"
            "<link id=\"lb\" bandwidth=\"2MBps\" latency=\"1us\"/>\n"
            "<link id=\"lc\" bandwidth=\"3MBps\" latency=\"5us\"/>\n"
            "<route src=\"ram\" dst=\"a\"><link_ctn id=\"bus\"/><link_ctn id=\"la\"/></route>\n"
            "<route src=\"ram\" dst=\"b\"><link_ctn id=\"bus\"/><link_ctn id=\"lb\"/></route>\n"
            "<route src=\"ram\" dst=\"c\"><link_ctn id=\"bus\"/><link_ctn id=\"lc\"/></route>\n"
            "</zone>\n</platform>\n")),
        trace_k(folder.write("k.jsonl", trace("k", 1e-3, 1e-3, 5e-4, 1e-5, 0.002))),
        trace_l(folder.write("l.jsonl", trace("l", 2e-3, 1e-3, 5e-4, 3e-5, 0.001))) {}

  /// The command line arguments for the platform and both traces.
  [[nodiscard]] std::vector<std::string> words() const {
    return {"--platform", platform, "--trace", trace_k, "--trace", trace_l};
  }

  std::string platform;
  std::string trace_k;
  std::string trace_l;

 private:
  static std::string trace(const std::string& kernel, double a_s, double b_s, double c_s,
                           double dispatch_s, double first_use_s) {
    std::string text = "{\"schema\":\"equipoise.trace/1\",\"source\":\"recorded\",\"kernel\":\"" +
                       kernel + "\",\"item\":\"thing\",\"provenance\":\"a test\",\"machine\":{}," +
                       "\"dispatch_s\":" + std::to_string(dispatch_s) +
                       ",\"first_use_s\":" + std::to_string(first_use_s) +
                       ",\"units\":[{\"id\":\"a\",\"kind\":\"cpu\"},{\"id\":\"b\",\"kind\":\"cpu\"}"
                       ",{\"id\":\"c\",\"kind\":\"gpu\"}]}\n";
    const std::vector<std::pair<std::string, double>> units = {{"a", a_s}, {"b", b_s}, {"c", c_s}};
    for (const auto& [unit, item_s] : units) {
      for (const double items : {1.0, 100.0, 1000.0}) {
        text += "{\"unit\":\"" + unit + "\",\"items\":" + std::to_string(items) +
                ",\"compute_s\":" + std::to_string(item_s * items + 1e-4) + "}\n";
      }
    }
    return text;
  }
};

}  // namespace equipoise
