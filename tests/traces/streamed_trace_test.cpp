// Tests of traces that are written to disk during recording, and of files of lines.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <stdexcept>

#include "tests/support/full_disk.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "traces/line_file.hpp"
#include "traces/trace_file.hpp"

namespace equipoise::streamed_trace_test {
namespace {

/// The message of the std::runtime_error that `act` throws, marked if it is an InputError.
std::string failure_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& refusal) {
    return std::string("refused: ") + refusal.what();
  } catch (const std::runtime_error& failure) {
    return failure.what();
  }
  return "no failure";
}

Trace header_of_one_unit() {
  Trace trace;
  trace.source = "recorded";
  trace.kernel = "k";
  trace.item = "thing";
  trace.units.resize(1);
  trace.units[0].name = "cpu0";
  return trace;
}

/// Samples of blocks with 1, 2, ... items.
std::vector<TraceSample> samples_of(int count) {
  std::vector<TraceSample> samples(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    samples[static_cast<std::size_t>(i)].items = i + 1.0;
    samples[static_cast<std::size_t>(i)].compute_mean_s = 0.5;
  }
  return samples;
}

TEST(LineFile, TakesBackTheLineThatAFullDiskCutAndWritesNothingBehindTheGap) {
  const TemporaryFolder folder;
  LineFile file(folder.path("f"));
  file.append("12345\n");
  std::string why;
  {
    const FullDisk disk(14);
    why = failure_of([&] { file.append("789\n12345\n"); });
  }
  EXPECT_TRUE(why.starts_with(folder.path("f") + ": cannot be written any further: ")) << why;
  EXPECT_EQ(folder.read("f"), "12345\n789\n");
  EXPECT_EQ(file.lines(), 2u);
  EXPECT_EQ(failure_of([&] { file.append("9\n"); }), why);
  EXPECT_EQ(folder.read("f"), "12345\n789\n");
}

TEST(LineFile, RefusesAPathThatCannotBeWritten) {
  EXPECT_TRUE(
      refusal_of([] { LineFile("/nowhere/f"); }).starts_with("/nowhere/f: cannot be written: "));
}

TEST(StreamedTrace, CanBeReadAfterEveryAppend) {
  const TemporaryFolder folder;
  StreamedTrace trace(folder.path("t"), header_of_one_unit());
  EXPECT_TRUE(trace.is_empty());
  trace.append(samples_of(2));
  EXPECT_FALSE(trace.is_empty());
  EXPECT_EQ(read_trace(folder.path("t"), nullptr).samples.size(), 2u);
  trace.append(samples_of(1));
  const Trace read = read_trace(folder.path("t"), nullptr);
  EXPECT_EQ(read.kernel, "k");
  ASSERT_EQ(read.samples.size(), 3u);
  EXPECT_EQ(read.samples[1].items, 2.0);
  EXPECT_EQ(read.samples[2].items, 1.0);
}

TEST(StreamedTrace, StaysWithSamplesAndGoesWithoutOrWhenDiscarded) {
  const TemporaryFolder folder;
  {
    // No sample is appended.
    const StreamedTrace trace(folder.path("none"), header_of_one_unit());
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("none")));
  {
    StreamedTrace trace(folder.path("some"), header_of_one_unit());
    trace.append(samples_of(1));
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path("some")));
  {
    StreamedTrace trace(folder.path("done"), header_of_one_unit());
    trace.append(samples_of(1));
    trace.discard();
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("done")));
}

TEST(StreamedTrace, KeepsWhatAFullDiskTook) {
  const TemporaryFolder folder;
  std::string why;
  {
    StreamedTrace trace(folder.path("t"), header_of_one_unit());
    const FullDisk disk(1000);
    why = failure_of([&] { trace.append(samples_of(100)); });
    EXPECT_FALSE(trace.is_empty());
  }
  EXPECT_TRUE(why.starts_with(folder.path("t") + ": cannot be written any further: ")) << why;
  std::vector<std::string> warnings;
  const Trace read = read_trace(folder.path("t"), &warnings);
  EXPECT_TRUE(warnings.empty());
  EXPECT_GT(read.samples.size(), 5u);
  EXPECT_LT(read.samples.size(), 100u);
}

TEST(StreamedTrace, LeavesNothingWhereNotEvenTheHeaderFits) {
  const TemporaryFolder folder;
  {
    StreamedTrace trace(folder.path("t"), header_of_one_unit());
    const FullDisk disk(10);
    EXPECT_NE(failure_of([&] { trace.append(samples_of(1)); }), "no failure");
    EXPECT_TRUE(trace.is_empty());
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("t")));
}

}  // namespace
}  // namespace equipoise::streamed_trace_test
