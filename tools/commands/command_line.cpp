// Parses the arguments, runs the command, and turns failures into messages and exit codes.
#include "tools/commands/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "real/nodes/nodes.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/commands/command_options.hpp"
#include "tools/commands/failures.hpp"
#include "tools/console/console.hpp"
#include "tools/console/terminal.hpp"
#include "tools/runs/version.hpp"
#include "tools/worlds/experiment_facts.hpp"
#include "tools/worlds/node_program.hpp"

namespace equipoise {
namespace {

constexpr int unusable_input = 2;

/// The name of a command as it is typed: "equipoise trace import csv".
std::string full_name(const CLI::App& command) {
  const CLI::App* const above = command.get_parent();
  return above == nullptr ? command.get_name() : full_name(*above) + " " + command.get_name();
}

std::vector<std::string> commands_below(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* const below : command.get_subcommands({})) {
    names.push_back(below->get_name());
  }
  return names;
}

/// The command below `app` that `words` name one after the other; words behind a command that has
/// none below it, such as `list policies`, are its arguments. Throws InputError, which suggests the
/// nearest name, if there is none.
const CLI::App& command_called(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> below = command->get_subcommands({});
    if (below.empty()) break;
    const auto found = std::ranges::find(below, word, &CLI::App::get_name);
    if (found == below.end()) {
      throw InputError("help", unknown_name("command", word, commands_below(*command)));
    }
    command = *found;
  }
  return *command;
}

void add_help_command(CLI::App& app, TypedCommand& typed) {
  CLI::App* c = app.add_subcommand("help", "Shows the help of a command, like --help after it");
  const auto words = std::make_shared<std::vector<std::string>>();
  c->add_option("COMMAND", *words, "e.g. compare, or trace import csv; none: all commands");
  c->footer("Example:\n  equipoise help compare");
  c->callback([&app, &typed, words] {
    typed.run = [&app, words] {
      const CLI::App& command = command_called(app, *words);
      // App::help would print the help of this command, which was typed.
      return print_out("{}", command.get_formatter()->make_help(&command, full_name(command),
                                                                CLI::AppFormatMode::Normal));
    };
  });
}

/// Adds --color to every command that does something.
void add_color(CLI::App& command, std::string& color) {
  const std::vector<CLI::App*> below = command.get_subcommands({});
  for (CLI::App* const one : below) add_color(*one, color);
  if (!below.empty()) return;
  command.add_option("--color", color, "auto: on terminals, unless NO_COLOR is set; always; never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
}

void add_all(CLI::App& app, TypedCommand& typed, std::string& color, const LoopProgram* loop,
             const std::shared_ptr<Nodes>& nodes) {
  app.formatter(wrapped_help());
  app.set_version_flag("--version", built_with_text());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.footer("Example:\n  equipoise list policies");
  add_commands(app, typed, loop, nodes);
  add_help_command(app, typed);
  add_color(app, color);
}

int say(const std::string& what, int exit_code) {
  say_error(what);
  return exit_code;
}

/// The command that was typed: "equipoise trace import csv" has three.
const CLI::App& typed_command(const CLI::App& app) {
  const std::vector<const CLI::App*> typed =
      app.get_subcommands([](const CLI::App* command) { return command->parsed(); });
  return typed.empty() ? app : typed_command(*typed.front());
}

/// The commands below `app` that have the option.
void collect_owners(const CLI::App& app, const std::string& option,
                    std::vector<std::string>& owners) {
  for (const CLI::App* const command : app.get_subcommands({})) {
    collect_owners(*command, option, owners);
    const std::vector<std::string> known = options_of(*command);
    if (std::ranges::find(known, option) != known.end()) owners.push_back(full_name(*command));
  }
}

std::string complaint_about_option(const CLI::App& app, const CLI::App& command,
                                   const std::string& option) {
  std::vector<std::string> owners;
  collect_owners(app, option, owners);
  if (owners.empty()) return unknown_name("option", option, options_of(command));
  return fmt::format("{} has no option {}; these have: {}", full_name(command), option,
                     fmt::join(owners, ", "));
}

/// What is wrong with the first argument; empty if it is an option or a command.
std::string complaint_about_command(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> known = commands_below(app);
  if (words.empty() || words.front().starts_with('-')) return {};
  if (std::ranges::find(known, words.front()) != known.end()) return {};
  const bool has_next = words.size() > 1 && std::ranges::find(known, words[1]) != known.end();
  if (!near_names(words.front(), {"--version"}).empty()) known = {"--version"};
  std::string text = unknown_name("command", words.front(), known);
  if (has_next) text += fmt::format("; 'equipoise help {}' shows what that does", words[1]);
  return text;
}

/// What is wrong with the arguments (`words`). A first word that is no command comes first; then an
/// option that no command has, because an option that is said to be missing may be it, misspelled.
std::string complaint(const CLI::App& app, const std::vector<std::string>& words,
                      const CLI::ParseError& error) {
  std::string about_command = complaint_about_command(app, words);
  if (!about_command.empty()) return about_command;
  const CLI::App& command = typed_command(app);
  const std::vector<std::string> below = commands_below(command);
  for (const std::string& argument : app.remaining(true)) {
    if (argument.starts_with('-')) {
      return complaint_about_option(app, command, argument.substr(0, argument.find('=')));
    }
    if (!below.empty()) return unknown_name("command", argument, below);
  }
  if (!below.empty()) return fmt::format("say what to do: {}", fmt::join(below, ", "));
  return error.what();
}

int run(int argc, char** argv, const LoopProgram* loop, const std::shared_ptr<Nodes>& nodes) {
  CLI::App app(
      "Compares policies that divide data-parallel work among CPUs and GPUs, simulated or really "
      "run.",
      loop == nullptr ? "equipoise" : loop->name);
  TypedCommand typed;
  std::string color = "auto";
  try {
    expect_readable({argv + 1, argv + argc});
    add_all(app, typed, color, loop, nodes);
    app.parse(argc, argv);
    choose_color(color == "auto"     ? ColorChoice::automatic
                 : color == "always" ? ColorChoice::always
                                     : ColorChoice::never);
    if (typed.refusal) throw InputError(*typed.refusal);
    end_on_stop_signals();  // until the command catches them
    return typed.run();
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    const int exit_code = app.exit(help, text);
    print_out("{}", text.str());
    return exit_code;
  } catch (const CLI::ParseError& error) {
    return say(fmt::format("{}; see {} --help", complaint(app, {argv + 1, argv + argc}, error),
                           full_name(typed_command(app))),
               unusable_input);
  } catch (...) {
    const CommandFailure failure = command_failure();
    return say(failure.text, failure.exit_code);
  }
}

/// Does the command on rank 0, for which all other ranks serve it.
int run_with_ranks(int argc, char** argv) {
  std::shared_ptr<Communicator> ranks;
  try {
    ranks = connect_ranks();
  } catch (const BackendError& failure) {
    return say(failure.what(), 1);
  }
  if (!ranks) return finish_printing(run(argc, argv, nullptr, nullptr));
  int exit_code = 0;
  if (ranks->rank() > 0) {
    catch_stop_signals();  // rank 0 says when it is over
    exit_code = be_node(*ranks, RunOptions());
  } else {
    const auto nodes = std::make_shared<Nodes>(ranks);
    exit_code = finish_printing(run(argc, argv, nullptr, nodes));
    nodes->end(exit_code > 128 ? exit_code : 0);
  }
  if (ranks->leave(true)) return exit_code;
  // MPI cannot be finalised without all ranks.
  std::fflush(nullptr);
  ::_exit(exit_code);
}

}  // namespace

int run_program(int argc, char** argv, const LoopProgram* loop) {
  open_standard_files();
  remember_command(argc, argv);
  ::signal(SIGXFSZ, SIG_IGN);  // makes a write beyond the file size limit fail
  ::signal(SIGPIPE, SIG_IGN);  // makes a write to a closed pipe fail
  if (loop != nullptr) return finish_printing(run(argc, argv, loop, loop->nodes));
  return run_with_ranks(argc, argv);
}

}  // namespace equipoise
