// Reads the arguments of a loop of the user's program, and what the files of the command line
// share.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "tools/commands/command_options.hpp"
#include "tools/commands/loop_arguments.hpp"
#include "tools/console/console.hpp"
#include "tools/console/terminal.hpp"
#include "tools/console/text_table.hpp"

namespace equipoise {
namespace {

class WrappedHelp final : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr std::size_t readable = 100;
    const std::size_t widest = terminal_width(OutputStream::out).value_or(readable);
    const std::size_t left = get_column_width();
    const std::size_t room = std::max<std::size_t>(widest - std::min(widest, left), 40);
    return fmt::format("{}",
                       fmt::join(broken(CLI::Formatter::make_option_desc(option), room), "\n"));
  }
};

/// What is wrong with the arguments.
InputError refusal(const CLI::App& app, const CLI::ParseError& error) {
  for (const std::string& argument : app.remaining(true)) {
    if (!argument.starts_with('-')) {
      return {argument, "is not for the loop; give it the arguments that are: " +
                            fmt::format("{}", fmt::join(options_of(app), " "))};
    }
    const std::string option = argument.substr(0, argument.find('='));
    return {"the arguments", unknown_name("option", option, options_of(app))};
  }
  return {"the arguments", error.what()};
}

}  // namespace

std::shared_ptr<CLI::FormatterBase> wrapped_help() { return std::make_shared<WrappedHelp>(); }

void expect_readable(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_printable(arguments[i])) continue;
    throw InputError(fmt::format("argument {}", i + 1),
                     fmt::format("'{}' is not UTF-8, or has control characters; spell it in UTF-8, "
                                 "and rename the file if it is one",
                                 printable(arguments[i])));
  }
}

std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* const option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

LoopRequest parse_loop_arguments(const std::string& program, const std::string& loop,
                                 const std::vector<std::string>& arguments) {
  CLI::App app(fmt::format("Divides the loop {} among units.", loop), program);
  app.formatter(wrapped_help());
  TypedCommand typed;
  LoopRequest request;
  const CommandOptions c{app, typed};
  add_loop_options(c, request.run, request.record);
  c.example(
      fmt::format("{} --unit cpu --unit cpu,slowdown=3 --policy plb-hec --out run.jsonl", program),
      "Without --unit, the loop has a cpu for each core that the program may use, and each GPU\n"
      "if it has a body for GPUs; without --policy it is divided by equipoise.\n"
      "If the first argument is a command, such as compare, validate, record or replay, that is\n"
      "done with this loop: see '" +
          program + " compare --help'.\n");
  expect_readable(arguments);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    throw HelpAsked(app.help());
  } catch (const CLI::ParseError& error) {
    throw refusal(app, error);
  }
  if (typed.refusal) throw InputError(*typed.refusal);
  if (request.run.policies.empty()) request.run.policies = {"equipoise"};
  if (request.record.out.empty() && !request.record.platform_out.empty()) {
    throw InputError("--platform-out", "is written with a trace; give --record, too");
  }
  request.record.out_option = "--record";
  expect_different({{"--out", request.run.out},
                    {"--report", request.run.report_file},
                    {"--experience", request.run.options.experience_file},
                    {"--record", request.record.out},
                    {"--platform-out", request.record.platform_out}});
  return request;
}

}  // namespace equipoise
