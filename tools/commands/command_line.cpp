// Parses the arguments, runs the command, and turns failures into messages and exit codes.
#include "tools/commands/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/nearest_name.hpp"
#include "shared_policies/model/printable_text.hpp"
#include "tools/commands/command_line_options.hpp"
#include "tools/report/console.hpp"
#include "tools/report/version.hpp"

namespace equipoise {
namespace {

constexpr int unusable_input = 2;
constexpr int work_failed = 1;

void add_all(CLI::App& app, Request& r) {
  app.set_version_flag("--version", built_with_text());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  add_help(app, "equipoise list policies");
  add_run_commands(app, r);
  add_report_commands(app, r);
  add_file_commands(app, r);
  add_completion(app, r);
  add_policy_commands(app, r);
}

int say(const std::string& what, int exit_code) {
  say_error(what);
  return exit_code;
}

/// Refuses arguments that are not printable UTF-8, because names of files, kernels and units are
/// written to JSON and terminals.
void expect_readable(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (is_printable(argv[i])) continue;
    throw InputError(fmt::format("argument {}", i),
                     fmt::format("'{}' is not UTF-8, or has control characters; spell it in UTF-8, "
                                 "and rename the file if it is one",
                                 printable(argv[i])));
  }
}

/// The arguments as one line that a shell reads in the same way.
std::string as_typed(int argc, char** argv) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  std::string line;
  for (int i = 0; i < argc; ++i) {
    std::string word = argv[i];
    if (word.empty() || word.find_first_not_of(plain) != std::string::npos) {
      std::string quoted = "'";
      for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
      word = quoted + "'";
    }
    line += (i == 0 ? "" : " ") + word;
  }
  return line;
}

/// The command that was typed: "equipoise trace import csv" has three.
const CLI::App& typed_command(const CLI::App& app) {
  const std::vector<const CLI::App*> typed =
      app.get_subcommands([](const CLI::App* command) { return command->parsed(); });
  return typed.empty() ? app : typed_command(*typed.front());
}

/// The names of a command's options, or of the commands below it if `argument` is none of the first.
std::vector<std::string> names_like(const std::string& argument, const CLI::App& command) {
  std::vector<std::string> names;
  if (argument.starts_with('-')) {
    for (const CLI::Option* const option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* const below : command.get_subcommands({})) {
      names.push_back(below->get_name());
    }
  }
  return names;
}

/// What is wrong with the arguments. One that no command has comes first, because an option that is
/// said to be missing may be it, misspelled.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = typed_command(app);
  for (const std::string& argument : app.remaining(true)) {
    const std::vector<std::string> known = names_like(argument, command);
    if (known.empty()) continue;
    return unknown_name(argument.starts_with('-') ? "option" : "command",
                        argument.substr(0, argument.find('=')), known);
  }
  return error.what();
}

int run(int argc, char** argv) {
  CLI::App app("Compares load-balancing policies on SimGrid and on real workers.", "equipoise");
  Request request;
  try {
    expect_readable(argc, argv);
    request.options.command_line = as_typed(argc, argv);
    add_all(app, request);
    app.parse(argc, argv);
    finish_options(request);
    end_on_stop_signals();  // until the command catches them
    return request.command();
  } catch (const CLI::Success& help) {
    std::ostringstream text;
    const int exit_code = app.exit(help, text);
    std::printf("%s", text.str().c_str());
    return exit_code;
  } catch (const CLI::ParseError& error) {
    return say(fmt::format("{}; see equipoise --help", complaint(app, error)), unusable_input);
  } catch (const InputError& error) {
    return say(error.what(), unusable_input);
  } catch (const Interrupted& stop) {
    return say("interrupted", 128 + stop.signal());
  } catch (const std::exception& failure) {
    return say(failure.what(), work_failed);
  }
}

}  // namespace

int run_program(int argc, char** argv) {
  open_standard_files();
  ::signal(SIGXFSZ, SIG_IGN);  // makes a write beyond the file size limit fail
  ::signal(SIGPIPE, SIG_IGN);  // makes a write to a closed pipe fail
  return finish_printing(run(argc, argv));
}

}  // namespace equipoise
