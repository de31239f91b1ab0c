// The commands that begin or test something of the user's own, with their options.
#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "shared_policies/model/command_work.hpp"
#include "shared_policies/text/words.hpp"
#include "tools/commands/command_options.hpp"
#include "tools/commands/commands.hpp"

namespace equipoise {
namespace {

/// A list of all placeholders of commands.
std::string placeholders_text() {
  std::string text = "Placeholders in the command's words and in \"env\":\n";
  constexpr std::size_t width = 85;
  for (const CommandPlaceholder& one : command_placeholders) {
    std::string line = fmt::format("  {:<11}", fmt::format("{{{}}}", one.name));
    for (const std::string& word : split_at_blanks(one.meaning)) {
      if (line.size() + 1 + word.size() > width) {
        text += line + "\n";
        line = std::string(13, ' ');
      }
      line += " " + word;
    }
    text += line + "\n";
  }
  return text;
}

void add_new_work(const CommandOptions& above) {
  auto [c, r] = add(above, "work",
                    "Tries a command on one item, and writes a work file, with which the command "
                    "does blocks of items",
                    new_work_command);
  CommandWork& work = r.work;
  c.text("NAME", work.name, "of the work, such as render")->required();
  c.text("COMMAND", work.all.words,
         "after --: a program and its arguments, with placeholders such as {first} and {count}")
      ->required();
  c.value("--items", work.items, "how many items there are",
          within(parse_items, Items{1}, Items{1} << 62, "give a number of items, 1 or more"))
      ->required();
  c.text("--item", work.item, "one item in a word")->default_str(work.item);
  c.word("--mode", work.mode, "a process for each block, or one process for each unit");
  add_out(c, r.out, "the work file; else NAME.json");
  c.example("equipoise new work count --items 100 -- sh -c 'seq {first} {last} >\"{out}\"'",
            placeholders_text());
}

void add_new(const CommandOptions& program) {
  const CommandOptions above =
      add_group(program, "new", "Starts a policy or work of your own", "equipoise new policy mine");
  auto [c, r] =
      add(above, "policy", "Writes a project with a working policy, its test and its build files",
          new_policy_command);
  c.text("NAME", r.name, "of the policy, such as my-policy")->required();
  add_out(c, r.out, "the folder for it; else one called NAME");
  c.example("equipoise new policy mine && cd mine && cmake --workflow --preset all");
  add_new_work(above);
}

void add_check(const CommandOptions& program) {
  const CommandOptions above =
      add_group(program, "check", "Tests a policy of your own on random machines",
                "equipoise check policy mine/build/mine.so");
  auto [c, r] = add(above, "policy",
                    "Tests on random machines what every policy must keep: each item done once, "
                    "losses, phases, ...",
                    check_policy_command);
  c.text("POLICY", r.policy, "NAME[:k=v,...] or ./LIBRARY.so[:k=v,...]")->required();
  add_seed(c, r.seed, "of the random machines");
  c.value("--seconds-max", r.seconds_max,
          "time for each test; a policy that takes longer counts as never ending, as does one "
          "whose answer takes longer than 10 s (its answer_limit_s)",
          within(parse_number, above_0, 1e5, "give a number of seconds above 0, up to 1e5"))
      ->default_str(fmt::format("{}", r.seconds_max));
  c.value_or_empty(
      "--machines", r.machines, "random machines for each test; by default 40 to 100",
      within(parse_items, Items{1}, Items{1'000'000}, "give a number of machines from 1 to 1e6"));
  add_output(c, r.json);
  c.example("equipoise check policy mine/build/mine.so:share=0.3");
}

}  // namespace

void add_own_commands(const CommandOptions& program) {
  add_new(program);
  add_check(program);
}

}  // namespace equipoise
