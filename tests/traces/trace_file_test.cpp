// Tests of trace files: reading, error messages with their lines, and writing.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/mutations.hpp"
#include "tests/support/places.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/trace_file.hpp"

namespace equipoise::trace_file_test {
namespace {

const std::string header =
    R"({"schema":"equipoise.trace/1","source":"recorded","kernel":"dgemm","item":"MFlop",)"
    R"("provenance":"by hand","machine":{"name":"here"},"units":[{"id":"cpu0","kind":"cpu"},)"
    R"({"id":"cuda0","kind":"gpu","model":"Tesla K40m","memory_bytes":12079136768,"node":"a",)"
    R"("device":"card"}]})"
    "\n";
const std::string sample = R"({"unit":"cpu0","items":5,"compute_s":0.25})"
                           "\n";

/// The message with which a file of `text` is refused, without the name of its folder.
std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.write("t.jsonl", text);
  std::string why = refusal_of([&] { (void)read_trace(path, nullptr); });
  if (why.starts_with(path)) why.replace(0, path.size(), "t.jsonl");
  return why;
}

/// The refusal of a sample line that follows a valid header and a valid sample.
std::string sample_refusal(const std::string& line) {
  return refusal(header + sample + line + "\n");
}

Trace read(const std::string& text, std::vector<std::string>* warnings = nullptr) {
  const TemporaryFolder folder;
  return read_trace(folder.write("t.jsonl", text), warnings);
}

bool begins(const std::string& text, const std::string& beginning) {
  return text.starts_with(beginning);
}

TEST(TraceFile, ReadsHeaderSamplesAndSummaries) {
  const Trace trace = read(
      R"({"schema":"equipoise.trace/1.4","source":"imported","kernel":"matmul","item":"line",)"
      R"("units":[{"id":"cpu0","kind":"cpu","colour":"red"},{"id":"mic0","kind":"mic","dispatch_s":3e-5}],)"
      R"("problem":{"n":4096},"grain_items":4,"dispatch_s":1e-5,"first_use_s":0,"merge_s":0.25,"new":[1],)"
      R"("resident_bytes":8e6,"resident_memory_bytes":5,"memory_bytes_per_item":16,)"
      R"("controller":{"report_s":2e-6,"block_s":1e-6,"byte_s":3e-10}})"
      "\n"
      R"({"unit":"mic0","items":65.536,"n":9174,"in_s":{"mean":0.5,"sd":0.1},"in_bytes":100,)"
      R"("compute_s":{"mean":0.002,"sd":0.0004,"min":null,"median":0.0019,"max":0.004}})"
      "\r\n\n"
      R"({"unit":"cpu0","items":8,"in_s":0.1,"compute_s":0.25,"out_s":0,"out_bytes":3,"x":1})");
  EXPECT_EQ(trace.source, "imported");
  EXPECT_EQ(trace.kernel, "matmul");
  EXPECT_EQ(trace.units.at(1).kind, UnitKind::mic);
  EXPECT_EQ(trace.problem.at("n"), 4096);
  EXPECT_EQ(trace.grain_items, 4);
  EXPECT_EQ(trace.dispatch->value, 1e-5);
  EXPECT_EQ(dispatch_of(trace, 0)->value, 1e-5);
  EXPECT_EQ(dispatch_of(trace, 1)->value, 3e-5);
  EXPECT_EQ(trace.first_use->value, 0.0);
  EXPECT_EQ(trace.merge->value, 0.25);
  EXPECT_EQ(trace.controller, (ControllerWork{Seconds{2e-6}, Seconds{1e-6}, 3e-10}));
  EXPECT_EQ(trace.resident_bytes, 8e6);
  EXPECT_EQ(trace.resident_memory_bytes, 5.0);
  EXPECT_EQ(trace.memory_bytes_per_item, 16.0);
  EXPECT_TRUE(trace.machine.empty());
  ASSERT_EQ(trace.samples.size(), 2U);
  const TraceSample& summary = trace.samples[0];
  EXPECT_EQ(summary.unit, 1U);
  EXPECT_EQ(summary.items, 65.536);
  EXPECT_EQ(summary.count, 9174U);
  EXPECT_TRUE(summary.is_summary);
  EXPECT_EQ(summary.compute_mean_s, 0.002);
  EXPECT_EQ(summary.compute_sd_s, 0.0004);
  EXPECT_EQ(summary.compute_min_s, std::nullopt);
  EXPECT_EQ(summary.compute_median_s, 0.0019);
  EXPECT_EQ(summary.compute_max_s, 0.004);
  EXPECT_EQ(summary.in_s, 0.5);
  EXPECT_EQ(summary.in_bytes, 100.0);
  EXPECT_EQ(summary.out_s, std::nullopt);
  EXPECT_FALSE(trace.samples[1].is_summary);
  EXPECT_EQ(trace.samples[1].out_s, 0.0);
  EXPECT_EQ(trace.samples[1].out_bytes, 3.0);
}

TEST(TraceFile, ComesBackAsItWasWritten) {
  Trace trace = read(header + sample +
                     R"({"unit":"cuda0","items":65.536,"n":7,"in_s":0.1,"compute_s":)"
                     R"({"mean":0.1,"sd":0.03},"out_s":0.2,"in_bytes":1e9,"out_bytes":0.5})"
                     "\n");
  trace.resident_bytes = 0.0;
  trace.resident_memory_bytes = 0.25;
  trace.memory_bytes_per_item = 0.5;
  trace.unit_dispatch[0] = Seconds{2e-6};
  trace.unit_copies[0] = {Seconds{7e-5}, 2e-10};
  trace.controller = ControllerWork{Seconds{2e-6}, Seconds{}, 3e-10};
  const TemporaryFolder folder;
  folder.write("a.jsonl", trace_text(trace));
  folder.write("b.jsonl", trace_text(read_trace(folder.path("a.jsonl"), nullptr)));
  EXPECT_EQ(folder.read("a.jsonl"), folder.read("b.jsonl"));
  EXPECT_NE(folder.read("a.jsonl").find(R"("memory_bytes":12079136768)"), std::string::npos);
  EXPECT_NE(folder.read("a.jsonl").find(R"("node":"a","device":"card"})"), std::string::npos);
  EXPECT_NE(folder.read("a.jsonl").find("{\"unit\":\"cpu0\",\"items\":5,\"compute_s\":0.25}\n"),
            std::string::npos);
  EXPECT_NE(folder.read("a.jsonl").find(R"("sd":0.03,"min":null)"), std::string::npos);
  EXPECT_EQ(read_trace(folder.path("b.jsonl"), nullptr).resident_bytes, 0.0);
  EXPECT_EQ(read_trace(folder.path("b.jsonl"), nullptr).resident_memory_bytes, 0.25);
  EXPECT_EQ(read_trace(folder.path("b.jsonl"), nullptr).unit_dispatch, trace.unit_dispatch);
  EXPECT_EQ(read_trace(folder.path("b.jsonl"), nullptr).unit_copies, trace.unit_copies);
  EXPECT_EQ(read_trace(folder.path("b.jsonl"), nullptr).memory_bytes_per_item, 0.5);
  EXPECT_EQ(read_trace(folder.path("b.jsonl"), nullptr).controller, trace.controller);
}

TEST(TraceFile, RefusesAMissingAnEmptyAndASamplelessFile) {
  EXPECT_TRUE(begins(refusal_of([] { (void)read_trace("/nowhere/t.jsonl", nullptr); }),
                     "/nowhere/t.jsonl: no such file"));
  EXPECT_TRUE(begins(refusal(""), "t.jsonl: the file is empty"));
  EXPECT_TRUE(begins(refusal("\n\n"), "t.jsonl: the file is empty"));
  EXPECT_EQ(refusal(header),
            "t.jsonl:1: the trace has no samples; record it again, or give another one");
}

TEST(TraceFile, RefusesMalformedJsonWithItsLine) {
  EXPECT_TRUE(begins(refusal("no json\n"), "t.jsonl:1: malformed JSON"));
  EXPECT_TRUE(begins(refusal("{\"schema\""), "t.jsonl:1: malformed JSON"));
  EXPECT_TRUE(begins(sample_refusal("{\"unit\":\"cpu0\","), "t.jsonl:3: malformed JSON"));
  EXPECT_TRUE(begins(sample_refusal(R"({"unit":"cpu0","items":1,"compute_s":NaN})"),
                     "t.jsonl:3: malformed JSON"));
  EXPECT_EQ(sample_refusal("[1]"),
            "t.jsonl:3: a sample must be an object, not a list; write {...}");
}

TEST(TraceFile, RefusesAbsurdNestingWithoutFollowingIt) {
  EXPECT_EQ(sample_refusal("{\"x\":" + std::string(5000000, '[')),
            "t.jsonl:3: nested more than 64 levels deep; is this the right file?");
  EXPECT_TRUE(begins(refusal(std::string(100000, '{') + "\n"), "t.jsonl:1: malformed JSON"));
  // Brackets inside a text are not nesting.
  EXPECT_EQ(read(header + R"({"unit":"cpu0","items":5,"compute_s":1,"x":"\")" +
                 std::string(100, '[') + "\"}\n")
                .samples.size(),
            1U);
}

TEST(TraceFile, RefusesTimesThatAreNotPositive) {
  for (const std::string time : {"0", "-1", "-0.0", "{\"mean\":0}", "{\"mean\":-2}"}) {
    const std::string why =
        sample_refusal(R"({"unit":"cpu0","n":2,"items":1,"compute_s":)" + time + "}");
    EXPECT_TRUE(begins(why, "t.jsonl:3: '")) << why;
    EXPECT_NE(why.find("must be more than 0"), std::string::npos) << why;
  }
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"compute_s":1e400})"),
            "t.jsonl:3: a number overflows; write a smaller one");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"compute_s":1,"in_s":-1})"),
            "t.jsonl:3: 'in_s' is -1; it must be at least 0 and at most 1e+09");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"n":3,"compute_s":{"mean":1,"sd":-1}})"),
            "t.jsonl:3: 'compute_s': 'sd' is -1; it must be at least 0");
}

TEST(TraceFile, RefusesTimesThatCannotBeMeasured) {
  const std::string why = "; it is too short to be a time: at least 1e-15 s";
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"n":9,"compute_s":{"mean":1e-300,"sd":1}})"),
            "t.jsonl:3: 'compute_s': 'mean' is 1e-300" + why + "; correct it");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":7,"compute_s":5e-324})"),
            "t.jsonl:3: 'compute_s' is 5e-324" + why + "; correct it");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"n":2,"compute_s":{"mean":1,"min":1e-16}})"),
            "t.jsonl:3: 'compute_s': 'min' is 1e-16" + why + "; correct it");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"compute_s":1,"out_s":{"mean":1e-300}})"),
            "t.jsonl:3: 'out_s': 'mean' is 1e-300" + why + ", or 0; correct it");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"n":2,"compute_s":{"mean":1e-9,"sd":1}})"),
            "t.jsonl:3: 'sd' is more than a million times the mean; record the line again");
  std::string text = header;
  text.replace(text.find("\"units\""), 7, "\"dispatch_s\":1e-300,\"units\"");
  EXPECT_EQ(refusal(text + sample),
            "t.jsonl:1: 'dispatch_s' is 1e-300" + why + ", or 0; correct it");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"compute_s":1e-15,"in_s":0,"out_s":1e-15})"),
            "not refused");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"n":2,"compute_s":{"mean":1,"sd":1e6}})"),
            "not refused");
}

TEST(TraceFile, RefusesCostsThatHideAllTimes) {
  const auto with_merge = [](const std::string& seconds) {
    return "{\"merge_s\":" + seconds + "," + header.substr(1) + sample;
  };
  EXPECT_EQ(refusal(with_merge("1e9")), "not refused");
  EXPECT_EQ(refusal(with_merge("1e18")),
            "t.jsonl:1: 'merge_s' is 1e18; it must be at least 0 and at most 1e+09");
}

TEST(TraceFile, RefusesWhatIsNotUtf8AndControlCharactersWithTheirLine) {
  EXPECT_EQ(sample_refusal("{\"unit\":\"caf\xE9\",\"items\":1,\"compute_s\":1}"),
            "t.jsonl:3: not UTF-8; save the file as UTF-8");
  EXPECT_EQ(sample_refusal(R"({"unit":"a\u001b[31m","items":1,"compute_s":1})"),
            "t.jsonl:3: 'a\\x1b[31m' has control characters; leave them out");
  std::string text = header;
  text.replace(text.find("cuda0"), 5, "cud\\u0007");
  EXPECT_EQ(refusal(text + sample), "t.jsonl:1: 'cud\\x07' has control characters; leave them out");
}

TEST(TraceFile, RefusesSizesAndCountsThatCannotBe) {
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1e19,"compute_s":1})"),
            "t.jsonl:3: 'items' is 1e19; it must be more than 0 and at most 9.2e+18");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":0,"compute_s":1})"),
            "t.jsonl:3: 'items' is 0; it must be more than 0 and at most 9.2e+18");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"compute_s":1,"in_bytes":1e30})"),
            "t.jsonl:3: 'in_bytes' is 1e30; it must be at least 0 and at most 9.2e+18");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"n":0,"compute_s":{"mean":1}})"),
            "t.jsonl:3: 'n' is 0; it must be a whole number from 1 to 9223372036854775807");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"n":1.5,"compute_s":{"mean":1}})"),
            "t.jsonl:3: 'n' is 1.5; it must be a whole number from 1 to 9223372036854775807");
  EXPECT_TRUE(begins(sample_refusal(R"({"unit":"cpu0","items":1,"compute_s":{"mean":1}})"),
                     "t.jsonl:3: a summary must say in 'n'"));
}

TEST(TraceFile, RefusesMissingFieldsAndWrongTypes) {
  EXPECT_EQ(sample_refusal(R"({"items":1,"compute_s":1})"), "t.jsonl:3: 'unit' is missing; add it");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","compute_s":1})"),
            "t.jsonl:3: 'items' is missing; add it");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1})"),
            "t.jsonl:3: 'compute_s' is missing; add it");
  EXPECT_EQ(sample_refusal(R"({"unit":7,"items":1,"compute_s":1})"),
            "t.jsonl:3: 'unit' is a number; it must be a text");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":"1","compute_s":1})"),
            "t.jsonl:3: 'items' is a text; it must be a number");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"compute_s":"1"})"),
            "t.jsonl:3: 'compute_s' is a text; it must be a number");
  EXPECT_EQ(sample_refusal(R"({"unit":"cpu0","items":1,"compute_s":true})"),
            "t.jsonl:3: 'compute_s' is true or false; it must be a number");
}

TEST(TraceFile, RefusesASummaryThatContradictsItself) {
  EXPECT_TRUE(
      begins(sample_refusal(R"({"unit":"cpu0","items":1,"n":3,"compute_s":{"mean":1,"min":2}})"),
             "t.jsonl:3: 'compute_s' contradicts itself"));
  EXPECT_TRUE(
      begins(sample_refusal(
                 R"({"unit":"cpu0","items":1,"n":3,"compute_s":{"mean":1,"median":3,"max":2}})"),
             "t.jsonl:3: 'compute_s' contradicts itself"));
}

TEST(TraceFile, RefusesUnknownUnitsAndNamesTheNearest) {
  EXPECT_EQ(sample_refusal(R"({"unit":"cuda1","items":1,"compute_s":1})"),
            "t.jsonl:3: unknown member of the header's 'units' 'cuda1'; did you mean 'cuda0'?");
}

TEST(TraceFile, RefusesHeadersThatAreNotOurs) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = header;
    text.replace(text.find(from), from.size(), to);
    return refusal(text + sample);
  };
  EXPECT_TRUE(begins(with("trace/1", "trace/2"), "t.jsonl:1: schema 'equipoise.trace/2' is not"));
  EXPECT_TRUE(begins(with("trace/1", "trace/11"), "t.jsonl:1: schema"));
  EXPECT_TRUE(begins(with("trace/1", "run/1"), "t.jsonl:1: schema"));
  EXPECT_EQ(with("\"schema\"", "\"scheme\""), "t.jsonl:1: 'schema' is missing; add it");
  EXPECT_TRUE(begins(with("recorded", "guessed"), "t.jsonl:1: unknown source 'guessed'"));
  EXPECT_TRUE(
      begins(with("\"gpu\"", "\"fpga\""), "t.jsonl:1: entry 2 of 'units': unknown kind 'fpga'"));
  EXPECT_EQ(with("cuda0", "cpu0"), "t.jsonl:1: unit cpu0 is listed twice; name each unit once");
  EXPECT_EQ(with("12079136768", "-1"),
            "t.jsonl:1: entry 2 of 'units': 'memory_bytes' is -1; it must be at least 0");
  EXPECT_EQ(with("\"units\"", "\"unit\""), "t.jsonl:1: 'units' is missing; add it");
  EXPECT_EQ(with("{\"name\":\"here\"}", "\"here\""),
            "t.jsonl:1: 'machine' is a text; it must be an object");
  EXPECT_EQ(with("\"units\"", "\"resident_bytes\":-1,\"units\""),
            "t.jsonl:1: 'resident_bytes' is -1; it must be at least 0 and at most 9.2e+18");
  EXPECT_EQ(refusal("7\n"),
            "t.jsonl:1: the header of a trace must be an object, not a number; write {...}");
}

TEST(TraceFile, TakesAUnitWithoutMemory) {
  std::string text = header;
  text.replace(text.find("12079136768"), 11, "0");
  EXPECT_EQ(read(text + sample).units.at(1).memory_bytes, 0.0);
}

TEST(TraceFile, HoldsTheWattsOfUnitsThatWereMeasured) {
  Trace trace = read(header + sample);
  trace.units[0].idle_w = 12.5;
  trace.units[1].idle_w = 0.0;
  trace.units[1].busy_w = 250.25;
  const Trace again = read(trace_text(trace));
  EXPECT_EQ(again.units[0].idle_w, 12.5);
  EXPECT_EQ(again.units[0].busy_w, std::nullopt);
  EXPECT_EQ(again.units[1].idle_w, 0.0);
  EXPECT_EQ(again.units[1].busy_w, 250.25);
  trace.units[1].idle_w = 251.0;
  EXPECT_EQ(refusal(trace_text(trace)),
            "t.jsonl:1: unit cuda0 has fewer watts busy than idle; correct it");
  trace.units[1].idle_w = -1.0;
  EXPECT_EQ(refusal(trace_text(trace)),
            "t.jsonl:1: entry 2 of 'units': 'idle_w' is -1.0; it must be at least 0");
}

TEST(TraceFile, IgnoresATruncatedLastLineAndSaysSo) {
  std::vector<std::string> warnings;
  const Trace trace = read(header + sample + R"({"unit":"cuda0","items":7,"comp)", &warnings);
  EXPECT_EQ(trace.samples.size(), 1U);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_NE(warnings[0].find(":3: the last line is truncated and was ignored"), std::string::npos);
  EXPECT_NE(warnings[1].find("unit cuda0 has no samples"), std::string::npos);
}

TEST(TraceFile, ReadsALastLineWithoutALineEnd) {
  std::vector<std::string> warnings;
  const Trace trace =
      read(header + sample + R"({"unit":"cuda0","items":7,"compute_s":1})", &warnings);
  EXPECT_EQ(trace.samples.size(), 2U);
  EXPECT_TRUE(warnings.empty());
}

TEST(TraceFile, ReadsOrRefusesDamagedFiles) {
  constexpr std::uint64_t seed = 20240607;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const TemporaryFolder folder;
  const std::string text =
      header + sample +
      R"({"unit":"cuda0","items":6,"n":7,"in_s":0.1,"compute_s":{"mean":0.2,"sd":0.1}})"
      "\n";
  for (int i = 0; i < 2000; ++i) {
    const std::string path = folder.write("t.jsonl", mutate(text, random));
    const std::string why = refusal_of([&] { (void)trace_text(read_trace(path, nullptr)); });
    EXPECT_TRUE(why == "not refused" || why.starts_with(path)) << why;
  }
}

TEST(TraceFile, ReadsEveryCommittedTrace) {
  int traces = 0;
  for (const auto& entry : std::filesystem::directory_iterator(repository() / "traces")) {
    if (entry.path().extension() != ".jsonl") continue;
    std::vector<std::string> warnings;
    const Trace trace = read_trace(entry.path().string(), &warnings);
    EXPECT_TRUE(warnings.empty()) << entry.path();
    EXPECT_FALSE(trace.provenance.empty()) << entry.path();
    ++traces;
  }
  EXPECT_GE(traces, 23);
}

}  // namespace
}  // namespace equipoise::trace_file_test
