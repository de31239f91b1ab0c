// Tests of loops of a user's program, through the library's header alone.
#include <gtest/gtest.h>
#include <equipoise/loop.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/places.hpp"
#include "tests/support/run_lines.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise::loop_test {
namespace {

/// The squares of 0, 1, 2, ..., by a loop.
class Squares {
 public:
  explicit Squares(std::int64_t items = 10'000)
      : numbers_(static_cast<std::size_t>(items)),
        squares_(numbers_.size(), -1.0),
        loop_({.name = "squares", .items = items, .grain = 16, .item = "number"}) {
    std::iota(numbers_.begin(), numbers_.end(), 0.0);
    loop_.input(numbers_).output(squares_);
    loop_.on_cpu(&Squares::square);
  }

  Loop& loop() { return loop_; }
  [[nodiscard]] const std::vector<double>& squares() const { return squares_; }
  [[nodiscard]] std::vector<double>& numbers() { return numbers_; }

  static void square(const BlockView& block) {
    const double* number = block.in(0);
    double* result = block.out(0);
    for (std::int64_t i = 0; i < block.count; ++i) result[i] = number[i] * number[i];
  }

  void expect_all() const {
    for (std::size_t i = 0; i < squares_.size(); ++i) {
      ASSERT_EQ(squares_[i], static_cast<double>(i) * static_cast<double>(i)) << i;
    }
  }

 private:
  std::vector<double> numbers_;
  std::vector<double> squares_;
  Loop loop_;
};

/// What `body` throws.
template <class Body>
Error error_of(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {"", 0};
}

/// Arguments of a program.
class Arguments {
 public:
  explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
    for (std::string& word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
  }
  [[nodiscard]] int count() const { return static_cast<int>(words_.size()); }
  char** values() { return pointers_.data(); }

 private:
  std::vector<std::string> words_;
  std::vector<char*> pointers_;
};

TEST(Loop, DoesEveryItemOnUnitsOfEveryKindThatHasCores) {
  Squares squares;
  const Summary summary =
      squares.loop().run({.units = {"cpu", "cpu,slowdown=3", "emulated"}, .policy = "plb-hec"});
  squares.expect_all();
  std::int64_t items = 0;
  std::int64_t blocks = 0;
  for (const UnitShare& unit : summary.units) {
    items += unit.items;
    blocks += unit.blocks;
  }
  EXPECT_EQ(items, 10'000);
  EXPECT_EQ(blocks, summary.blocks);
  EXPECT_GT(summary.makespan_s, 0.0);
  EXPECT_TRUE(summary.lost.empty());
  EXPECT_FALSE(summary.is_verified);
  EXPECT_NE(summary.text.find("unverified"), std::string::npos) << summary.text;
}

TEST(Loop, HasUnitsWithoutBeingToldOfAny) {
  Squares squares;
  const Summary summary = squares.loop().run();
  squares.expect_all();
  EXPECT_GE(summary.units.size(), 1u);
  EXPECT_EQ(summary.units[0].name, "cpu0");
}

TEST(Loop, TakesTheOptionsOfTheProgram) {
  const TemporaryFolder folder;
  Squares squares;
  Arguments arguments({"squares", "--unit", "cpu", "--unit", "cpu,slowdown=2,id=slow", "--policy",
                       "gss", "--out", folder.path("run.jsonl"), "--report",
                       folder.path("run.html"), "--quiet"});
  const Summary summary = squares.loop().run(arguments.count(), arguments.values());
  squares.expect_all();
  EXPECT_EQ(summary.units[1].name, "slow");
  const std::vector<nlohmann::json> run = json_lines(folder.path("run.jsonl"));
  expect_covered(run, 10'000);
  EXPECT_EQ(run[0].at("policy"), "gss");
  EXPECT_TRUE(run.back().at("verified").is_null());
  EXPECT_NE(read_text(folder.path("run.html")).find("squares"), std::string::npos);
}

TEST(Loop, SaysWhatIsWrongWithOptions) {
  Squares squares;
  const auto error_with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "squares");
    Arguments arguments(std::move(words));
    return error_of([&] { squares.loop().run(arguments.count(), arguments.values()); });
  };
  const Error policy = error_with({"--policy", "gsss"});
  EXPECT_EQ(policy.exit_code(), 2);
  EXPECT_NE(std::string(policy.what()).find("gss"), std::string::npos) << policy.what();
  const Error option = error_with({"--polcy", "gss"});
  EXPECT_EQ(option.exit_code(), 2);
  EXPECT_NE(std::string(option.what()).find("did you mean '--policy'"), std::string::npos)
      << option.what();
  EXPECT_EQ(error_with({"--unit", "cpu,slowdwn=2"}).exit_code(), 2);
  EXPECT_EQ(error_with({"--out", "/no such folder/run.jsonl"}).exit_code(), 2);
  EXPECT_EQ(error_with({"--platform-out", "x.xml"}).exit_code(), 2);
  EXPECT_EQ(error_with({"words"}).exit_code(), 2);
  const Error help = error_with({"--help"});
  EXPECT_EQ(help.exit_code(), 0);
  EXPECT_NE(std::string(help.what()).find("--record"), std::string::npos) << help.what();
}

TEST(Loop, RefusesNamesAndSizesThatCannotBeUsed) {
  const auto code_of = [](LoopInfo info) {
    return error_of([&] { const Loop loop{std::move(info)}; }).exit_code();
  };
  EXPECT_EQ(code_of({.name = "", .items = 1}), 2);
  EXPECT_EQ(code_of({.name = "two words", .items = 1}), 2);
  EXPECT_EQ(code_of({.name = "matmul", .items = 1}), 2);
  EXPECT_EQ(code_of({.name = "none", .items = 0}), 2);
  EXPECT_EQ(code_of({.name = "grain", .items = 10, .grain = 0}), 2);
  std::vector<double> numbers(10);
  Loop loop{{.name = "three", .items = 3}};
  EXPECT_EQ(error_of([&] { loop.input(numbers); }).exit_code(), 2);
  EXPECT_EQ(error_of([&] { loop.run(); }).exit_code(), 2) << "it has no body";
  Loop in_place{{.name = "in-place", .items = 10}};
  in_place.input(numbers).output(numbers).on_cpu([](const BlockView& /*block*/) {});
  const auto refusal = [](Loop& told) { return std::string(error_of([&] { told.run(); }).what()); };
  Loop fewer{{.name = "fewer", .items = 10}};
  fewer.input(numbers.data(), 8, -1).on_cpu([](const BlockView& /*block*/) {});
  EXPECT_NE(refusal(fewer).find("input 0 needs fewer than no further items"), std::string::npos);
  Loop nothing{{.name = "nothing", .items = 10}};
  nothing.output(nullptr, 8).on_cpu([](const BlockView& /*block*/) {});
  EXPECT_NE(refusal(nothing).find("output 0 is a null pointer"), std::string::npos);
  Loop paced{{.name = "idle", .items = 10}};
  paced.on_cpu([](const BlockView& /*block*/) {});
  EXPECT_EQ(error_of([&] { paced.run({.units = {"paced,trace_unit=a"}}); }).exit_code(), 2);
  const Error overlap = error_of([&] { in_place.run(); });
  EXPECT_NE(std::string(overlap.what()).find("output 0 and input 0 overlap"), std::string::npos)
      << overlap.what();
}

TEST(Loop, IsRecordedBeforeItRuns) {
  const TemporaryFolder folder;
  Squares squares(100'000);
  squares.loop().run({.units = {"cpu", "cpu,slowdown=3"},
                      .record = folder.path("t.jsonl"),
                      .platform_out = folder.path("p.xml"),
                      .further = {"--seconds-max", "0.3", "--quiet"}});
  squares.expect_all();
  const ProgramRun simulated = run_equipoise({"simulate", "--trace", folder.path("t.jsonl"),
                                              "--platform", folder.path("p.xml"), "--workload",
                                              "squares:items=1e6", "--policy", "equipoise"});
  EXPECT_EQ(simulated.exit_code, 0) << simulated.err;
  EXPECT_NE(simulated.out.find("verified"), std::string::npos) << simulated.out;
}

TEST(Loop, ThrowsAwayATraceOfAnotherProblem) {
  const TemporaryFolder folder;
  std::vector<double> results(1000);
  const auto run = [&](double size, const LoopOptions& options) {
    Loop loop{{.name = "sized", .items = 1000, .problem = {{"size", size}}}};
    loop.output(results).on_cpu([](const BlockView& block) {
      double* result = block.out(0);
      for (std::int64_t i = 0; i < block.count; ++i) result[i] = 1.0;
    });
    loop.run(options);
  };
  run(7.0, {.units = {"cpu"},
            .record = folder.path("t.jsonl"),
            .further = {"--seconds-max", "0.1", "--quiet"}});
  run(7.0, {.units = {"cpu"}, .further = {"--trace", folder.path("t.jsonl")}});
  EXPECT_EQ(error_of([&] {
              run(8.0, {.units = {"cpu"}, .further = {"--trace", folder.path("t.jsonl")}});
            }).exit_code(),
            2);
}

TEST(Loop, GivesABlockWhoseBodyThrowsToAnotherCall) {
  const TemporaryFolder folder;
  std::vector<int> results(1000);
  std::atomic<int> calls = 0;
  Loop loop{{.name = "throws", .items = 1000, .grain = 10}};
  loop.output(results).on_cpu([&](const BlockView& block) {
    if (calls++ == 3) throw std::runtime_error("the fourth call fails");
    int* result = block.out(0);
    for (std::int64_t i = 0; i < block.count; ++i) result[i] = static_cast<int>(block.first + i);
  });
  const Summary summary =
      loop.run({.units = {"cpu", "cpu"}, .policy = "gss", .out = folder.path("run.jsonl")});
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(results[static_cast<std::size_t>(i)], i);
  EXPECT_GT(summary.items_redone, 0);
  expect_covered(json_lines(folder.path("run.jsonl")), 1000);
}

TEST(Loop, EndsWithTheMessageOfABodyThatAlwaysThrows) {
  Loop loop{{.name = "never", .items = 100}};
  loop.on_cpu([](const BlockView& /*block*/) { throw std::runtime_error("no licence"); });
  const Error error = error_of([&] { loop.run({.units = {"cpu"}, .further = {"--quiet"}}); });
  EXPECT_EQ(error.exit_code(), 1);
  EXPECT_NE(std::string(error.what()).find("no licence"), std::string::npos) << error.what();
}

TEST(Loop, RepeatsAllItemsWithWhatIterationsChange) {
  std::vector<double> factor = {1.0};
  std::vector<double> results(100);
  std::vector<int> steps;
  Loop loop{{.name = "iterated", .items = 100, .iterations = 3}};
  loop.output(results).resident(factor, Changes::between_iterations);
  loop.on_cpu([](const BlockView& block) {
    const double* by = block.resident(0);
    double* result = block.out(0);
    for (std::int64_t i = 0; i < block.count; ++i) {
      result[i] = *by * static_cast<double>(block.first + i);
    }
  });
  loop.between([&](int iteration) {
    steps.push_back(iteration);
    factor[0] *= 10.0;
  });
  loop.run({.units = {"cpu", "emulated"}, .policy = "gss"});
  EXPECT_EQ(steps, (std::vector<int>{1, 2}));
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(results[i], 100.0 * static_cast<double>(i));
}

TEST(Loop, IsVerifiedByItsOwnCheck) {
  Squares squares;
  squares.loop().verify([] { return std::string(); });
  const Summary summary = squares.loop().run({.units = {"cpu"}});
  EXPECT_TRUE(summary.is_verified);
  squares.loop().verify([] { return std::string("item 7 is odd"); });
  const Error error = error_of([&] { squares.loop().run({.units = {"cpu"}}); });
  EXPECT_EQ(error.exit_code(), 1);
  EXPECT_NE(std::string(error.what()).find("item 7 is odd"), std::string::npos) << error.what();
}

TEST(Loop, IsDividedByPoliciesInLibrariesAndThoseThatOpenModules) {
  for (const std::string& policy :
       {(folder_of_this_program() / "policies/weighted-greedy.so").string(),
        std::string("plb-hec:solver=ipopt")}) {
    Squares squares;
    squares.loop().run({.units = {"cpu", "cpu,slowdown=3"}, .policy = policy});
    squares.expect_all();
  }
}

TEST(Loop, IsTheWorkloadOfCommands) {
  const TemporaryFolder folder;
  Squares squares(50'000);
  const auto exit_code_of = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "squares");
    Arguments arguments(std::move(words));
    return error_of([&] { squares.loop().run(arguments.count(), arguments.values()); }).exit_code();
  };
  EXPECT_EQ(exit_code_of({"compare", "--on", "real", "--unit", "cpu", "--policy", "gss", "--reps",
                          "2", "--best-known", "off", "--out", folder.path("compared"), "--quiet"}),
            0);
  squares.expect_all();
  const auto results = nlohmann::json::parse(read_text(folder.path("compared/results.json")));
  EXPECT_EQ(results.at("experiment").at("workloads"), nlohmann::json({"squares:items=50000"}));
  // Simulations are made by the program beside the library.
  EXPECT_EQ(exit_code_of({"validate", "--unit", "cpu", "--unit", "cpu,slowdown=3", "--policy",
                          "gss", "--reps", "2", "--seconds-max", "0.3", "--out",
                          folder.path("validated"), "--quiet"}),
            0);
  EXPECT_EQ(exit_code_of({"compare", "--workload", "matmul"}), 2);
  // Its own run, and the same blocks again.
  const std::string run = folder.path("compared/runs/gss-real.jsonl");
  EXPECT_EQ(exit_code_of({"replay", run, "--decisions", "--out", folder.path("again.jsonl")}), 0);
  EXPECT_EQ(exit_code_of({"replay", run, "--check"}), 0);
}

TEST(Loop, IsSimulatedWithItsIterationsAndItsProblemOnly) {
  const TemporaryFolder folder;
  std::vector<double> results(2000);
  const auto exit_code_of = [&](double size, std::vector<std::string> words) {
    Loop loop{{.name = "sized", .items = 2000, .iterations = 5, .problem = {{"size", size}}}};
    loop.output(results).on_cpu([](const BlockView& block) {
      double* result = block.out(0);
      for (std::int64_t i = 0; i < block.count; ++i) result[i] = 1.0;
    });
    words.insert(words.begin(), "sized");
    Arguments arguments(std::move(words));
    return error_of([&] { loop.run(arguments.count(), arguments.values()); }).exit_code();
  };
  const std::string trace = folder.path("t.jsonl");
  const std::string xml = folder.path("p.xml");
  ASSERT_EQ(exit_code_of(7.0, {"record", "--unit", "cpu", "--seconds-max", "0.1", "--quiet",
                               "--out", trace, "--platform-out", xml}),
            0);
  const std::vector<std::string> simulate = {"simulate",   "--trace", trace,
                                             "--platform", xml,       "--policy",
                                             "static",     "--out",   folder.path("run.jsonl")};
  EXPECT_EQ(exit_code_of(7.0, simulate), 0);
  EXPECT_EQ(json_lines(folder.path("run.jsonl")).front().at("workloads")[0].at("iterations"), 5);
  EXPECT_EQ(exit_code_of(8.0, simulate), 2);
}

TEST(Loop, LearnsFromRunToRunByItsExperience) {
  const TemporaryFolder folder;
  const LoopOptions options{.units = {"cpu", "cpu,slowdown=4"},
                            .policy = "equipoise",
                            .out = folder.path("run.jsonl"),
                            .experience = folder.path("experience.json")};
  for (int run = 0; run < 2; ++run) {
    Squares squares(50'000);
    squares.loop().run(options);
    squares.expect_all();
    EXPECT_EQ(json_lines(options.out).front().at("experienced"), run == 1);
  }
}

TEST(Loop, KeepsThreadsOfABodyToTheCoresOfItsUnit) {
  std::mutex mutex;
  std::set<int> cores;
  Loop loop{{.name = "own-threads", .items = 64}};
  loop.on_cpu(
      [&](const BlockView& /*block*/) {
        std::thread([&] {
          cpu_set_t mask;
          CPU_ZERO(&mask);
          sched_getaffinity(0, sizeof mask, &mask);
          const std::lock_guard<std::mutex> lock(mutex);
          cores.insert(CPU_COUNT(&mask));
        }).join();
      },
      Threads::own);
  loop.run({.units = {"cpu,threads=1"}, .policy = "greedy"});
  EXPECT_EQ(cores, std::set<int>{1});
}

TEST(Loop, RefusesToRunWhileAnotherOneRuns) {
  Squares inner;
  std::string why;
  Loop outer{{.name = "outer", .items = 1}};
  outer.on_cpu([&](const BlockView& /*block*/) {
    why = error_of([&] { inner.loop().run({.units = {"cpu"}}); }).what();
  });
  outer.run({.units = {"cpu"}});
  EXPECT_NE(why.find("another one of this program runs"), std::string::npos) << why;
  inner.loop().run({.units = {"cpu"}});
  inner.expect_all();
}

TEST(Loop, WritesTheSameFilesAgain) {
  const TemporaryFolder folder;
  for (int run = 0; run < 2; ++run) {
    Squares squares;
    squares.loop().run({.units = {"cpu"},
                        .out = folder.path("run.jsonl"),
                        .further = {"--report", folder.path("run.html"), "--quiet"}});
  }
}

TEST(Loop, WaitsForBlocksThatAreDoneTwiceBeforeTheNextIteration) {
  std::atomic<int> inside = 0;
  std::vector<int> inside_between;
  Loop loop{{.name = "late", .items = 200, .iterations = 4}};
  loop.on_cpu([&](const BlockView& block) {
    ++inside;
    std::this_thread::sleep_for(std::chrono::microseconds(block.first % 7 == 0 ? 2000 : 50));
    --inside;
  });
  loop.between([&](int /*iteration*/) { inside_between.push_back(inside); });
  loop.run({.units = {"cpu", "cpu,slowdown=5"}, .policy = "greedy:backup=on"});
  EXPECT_EQ(inside_between, (std::vector<int>{0, 0, 0}));
}

TEST(Loop, LeavesSignalsAsTheyWere) {
  static std::atomic<int> seen = 0;
  std::signal(SIGINT, [](int) { ++seen; });
  std::vector<int> results(1000);
  Loop loop{{.name = "long", .items = 1000}};
  std::atomic<bool> is_raised = false;
  loop.output(results).on_cpu([&](const BlockView& /*block*/) {
    if (!is_raised.exchange(true)) std::raise(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  const Error error = error_of([&] { loop.run({.units = {"cpu"}, .policy = "ss"}); });
  EXPECT_EQ(error.exit_code(), 130);
  EXPECT_EQ(seen, 0);
  std::raise(SIGINT);
  EXPECT_EQ(seen, 1);
  std::signal(SIGINT, SIG_DFL);
  loop.run({.units = {"cpu"}, .policy = "gss"});  // the stop was for one run
}

TEST(Loop, ReadsNeighboursOfItsItems) {
  std::vector<int> numbers(1002);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<int> sums(1000);
  Loop loop{{.name = "stencil", .items = 1000}};
  loop.input(numbers.data(), sizeof(int), 2).output(sums);
  loop.on_cpu([](const BlockView& block) {
    const int* number = block.in<int>(0);
    int* sum = block.out<int>(0);
    for (std::int64_t i = 0; i < block.count; ++i)
      sum[i] = number[i] + number[i + 1] + number[i + 2];
  });
  EXPECT_EQ(loop.check(), "");
  loop.run({.units = {"cpu", "emulated"}, .policy = "fac2"});
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(sums[static_cast<std::size_t>(i)], 3 * i + 3);
}

TEST(LoopCheck, FindsNothingWrongWithABodyThatKeepsToItsItems) {
  Squares squares;
  EXPECT_EQ(squares.loop().check(), "");
  for (const double square : squares.squares()) ASSERT_EQ(square, -1.0) << "no result is changed";
}

TEST(LoopCheck, FindsWhatABodyMustNotDo) {
  std::vector<double> numbers(1000, 2.0);
  std::vector<double> results(1000, 0.0);
  std::vector<double> table(10, 1.0);
  const auto found = [&](std::function<void(const BlockView&)> body) {
    Loop loop{{.name = "bad", .items = 1000, .grain = 4}};
    loop.input(numbers).output(results).resident(table).on_cpu(std::move(body));
    return loop.check();
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(found([](const BlockView& block) {
           double* result = block.out(0);
           for (std::int64_t i = 0; i < block.count; ++i) result[i] += 1.0;
         }),
         "item 0 of output 0 is another one the second time");
  expect(found([](const BlockView& block) {
           double* result = block.out(0);
           for (std::int64_t i = 0; i <= block.count; ++i) result[i] = 1.0;
         }),
         "it writes beyond its items in output 0");
  expect(found([](const BlockView& block) {
           double* result = block.out(0);
           for (std::int64_t i = 0; i < block.count; ++i) {
             if ((block.first + i) % 4 != 3) result[i] = 1.0;
           }
         }),
         "it does not write all of item 3 of output 0");
  expect(found([](const BlockView& block) {
           double* result = block.out(0);
           for (std::int64_t i = 0; i < block.count; ++i) result[i] = 1.0;
           const double* number = block.in(0);
           const_cast<double*>(number)[0] = 5.0;
         }),
         "it changes its input 0");
  expect(found([](const BlockView& block) {
           double* result = block.out(0);
           for (std::int64_t i = 0; i < block.count; ++i) result[i] = 1.0;
           const double* kept = block.resident(0);
           const_cast<double*>(kept)[9] = 5.0;
         }),
         "it changes resident data 0");
  expect(found([&](const BlockView& block) {
           double* result = block.out(0);
           for (std::int64_t i = 0; i < block.count; ++i) {
             result[i] = 1.0;
             results[static_cast<std::size_t>(block.first + i)] = 1.0;
           }
         }),
         "it writes to the array of output 0 itself");
  for (const double result : results) ASSERT_EQ(result, 0.0);
  expect(found([](const BlockView& /*block*/) {}), "it writes nothing to output 0");
}

TEST(LoopCheck, LeavesGapsOfStructsOut) {
  struct Row {
    char letter;
    double number;
  };
  std::vector<Row> rows(100);
  Loop loop{{.name = "gaps", .items = 100}};
  loop.output(rows).on_cpu([](const BlockView& block) {
    Row* row = block.out(0);
    for (std::int64_t i = 0; i < block.count; ++i) {
      row[i].letter = 'a';
      row[i].number = static_cast<double>(block.first + i);
    }
  });
  EXPECT_EQ(loop.check(), "");
}

TEST(LoopCheck, SaysWhatTheBodyThrows) {
  Loop loop{{.name = "throws", .items = 10}};
  loop.on_cpu([](const BlockView& /*block*/) { throw std::runtime_error("no file"); });
  const Error error = error_of([&] { static_cast<void>(loop.check()); });
  EXPECT_NE(std::string(error.what()).find("no file"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace equipoise::loop_test
