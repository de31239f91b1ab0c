// Tests of work files: what is read, and what is refused at which line.
#include "traces/work_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/refusal.hpp"

namespace equipoise::work_file_test {
namespace {

/// A work file with these members behind schema, name and items. The first is on line 2.
std::string file_with(const std::string& members) {
  return "{\"schema\": \"equipoise.work/1\", \"name\": \"w\", \"items\": 10,\n" + members + "}";
}

std::string refusal(const std::string& text) {
  return refusal_of([&] { static_cast<void>(parse_work(text, "dir/w.json")); });
}

TEST(WorkFile, HasDefaultsForMostMembers) {
  const CommandWork work = parse_work(file_with(R"("run": ["p", "{first}"])"), "dir/w.json");
  EXPECT_EQ(work.name, "w");
  EXPECT_EQ(work.item, "item");
  EXPECT_EQ(work.items, 10);
  EXPECT_EQ(work.grain_items, 1);
  EXPECT_EQ(work.mode, CommandMode::exec);
  EXPECT_EQ(work.folder, "dir");
  EXPECT_EQ(work.timeout, Seconds::infinity());
  EXPECT_TRUE(work.check.empty());
}

TEST(WorkFile, IsReadAsItWasWritten) {
  CommandWork work;
  work.name = "a-b.c_1";
  work.items = 7;
  work.item = "\"frame\"";
  work.grain_items = 2;
  work.mode = CommandMode::serve;
  work.says_ready = true;
  work.all = {{"./a b", "{out}", "{print $1}"}, {{"X", "{index}"}}};
  work.units = {{"gpu*", {{"q"}, {}}}, {"big", {{}, {{"Y", "1=2"}}}}};
  work.in_bytes_per_item = 8;
  work.out_bytes_per_item = 0.5;
  work.check = {"c", "{results}"};
  work.timeout = Seconds{2.5};
  const CommandWork read = parse_work(work_text(work), "w.json");
  EXPECT_EQ(work_text(read), work_text(work));
  EXPECT_EQ(read.fingerprint(), work.fingerprint());
  EXPECT_EQ(read.line_of("gpu3").words, (std::vector<std::string>{"q"}));
  EXPECT_EQ(read.line_of("gpu3").environment.at("X"), "{index}");
  EXPECT_EQ(read.line_of("big").words, work.all.words);
  EXPECT_EQ(read.line_of("big").environment.at("Y"), "1=2");
  EXPECT_EQ(read.folder, ".");
}

TEST(WorkFile, IsRefusedWithTheLineAndWhatToDo) {
  EXPECT_EQ(refusal("{\"schema\": \"equipoise.run/1\"}"),
            "dir/w.json:1: schema 'equipoise.run/1' is not 'equipoise.work/1'; is this the right "
            "file, and made for this version?");
  EXPECT_EQ(refusal(file_with("\"grain\": 1")),
            "dir/w.json:1: no command: add \"run\", a list of a program and its arguments");
  EXPECT_EQ(refusal(file_with("\"run\": []")),
            "dir/w.json:2: 'run' names no program; give a list of a program and its arguments, or "
            "leave it out");
  EXPECT_EQ(refusal(file_with("\"run\": [\"p\",\n\"{frist}\"]")),
            "dir/w.json:3: unknown placeholder {frist}; did you mean {first}?");
  EXPECT_EQ(refusal(file_with("\"mode\": \"serve\", \"run\": [\"p\", \"{first}\"]")),
            "dir/w.json:2: {first} is of one block, and with \"mode\": \"serve\" a process does "
            "many: it reads lines FIRST COUNT; leave it out");
  EXPECT_EQ(refusal(file_with("\"run\": [\"p\"], \"check\": [\"c\", \"{out}\"]")),
            "dir/w.json:2: {out} has no value in a check of all results; use {results}");
  EXPECT_EQ(refusal(file_with("\"run\": [\"p\"], \"says_ready\": true")),
            "dir/w.json:2: says_ready is for \"mode\": \"serve\"; leave it out");
  EXPECT_EQ(refusal(file_with("\"units\": {\"gpu*\": {\"env\": {}}}")),
            "dir/w.json:2: 'gpu*' of 'units' has no command, and there is none for all units; add "
            "\"run\"");
  EXPECT_EQ(refusal(file_with("\"run\": [\"p\"], \"env\": {\"A=B\": \"\"}")),
            "dir/w.json:2: 'A=B' cannot be the name of a variable; choose another");
  EXPECT_EQ(refusal("{\"schema\": \"equipoise.work/1\", \"name\": \"a b\", \"items\": 1}"),
            "dir/w.json:1: 'a b' is no name of a kernel; use letters, digits, '_', '-', '.'");
  EXPECT_NE(refusal(file_with("\"rum\": [\"p\"]")).find("did you mean 'run'?"), std::string::npos);
  EXPECT_NE(refusal(file_with("\"mode\": \"fork\", \"run\": [\"p\"]")).find("dir/w.json:2: "),
            std::string::npos);
  EXPECT_NE(refusal(file_with("\"run\": [\"p\"], \"timeout_s\": 0")).find("timeout_s"),
            std::string::npos);
  EXPECT_NE(refusal(file_with("\"run\": \"p\"")).find("dir/w.json:2: "), std::string::npos);
}

TEST(WorkFile, LeavesOtherWordsInBracesAlone) {
  const CommandWork work = parse_work(
      file_with(R"("run": ["awk", "{print}", "{\"a\":1}", "{}", "{x y}", "{{first}}"])"), "w.json");
  const std::map<std::string, std::string> values = {{"first", "7"}};
  std::string all;
  for (const std::string& word : work.all.words) all += with_values(word, values) + "|";
  EXPECT_EQ(all, "awk|{print}|{\"a\":1}|{}|{x y}|{7}|");
}

}  // namespace
}  // namespace equipoise::work_file_test
