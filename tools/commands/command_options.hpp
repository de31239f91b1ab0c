// The ways in which options fill the requests of commands, and options that several files of
// commands have. Only files of the command line include it, because CLI11 takes long to compile.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"
#include "shared_policies/specs/spec.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/typed_values.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {

/// The option for the member `name` of a described struct: "--time-unit" for "time_unit".
inline std::string option_called(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

/// A command, and the ways in which options fill its request.
struct CommandOptions {
  CLI::App& app;
  TypedCommand& typed;
  const LoopProgram* loop = nullptr;  ///< null: the program `equipoise`
  std::shared_ptr<Nodes> nodes{};     ///< the other ranks; null: there are none

  /// An option that CLI11 reads by itself: a text, or a list of them.
  template <class T>
  CLI::Option* text(const std::string& name, T& into, const std::string& meaning) const {
    return app.add_option(name, into, meaning);
  }
  /// A file, or several, which no output may replace, even if it is not read.
  template <class T>
  CLI::Option* input(const std::string& name, T& into, const std::string& meaning) const {
    return app.add_option(name, into, meaning)->each(remember_input);
  }
  /// One of `choices`.
  CLI::Option* word(const std::string& name, std::string& into, const std::string& meaning,
                    const std::vector<std::string>& choices) const {
    return app.add_option(name, into, meaning)
        ->check(CLI::IsMember(choices))
        ->capture_default_str();
  }
  template <Worded Enum>
  CLI::Option* word(const std::string& name, Enum& into, const std::string& meaning) const {
    std::vector<std::string> choices;
    for (const Word<Enum>& one : words(DescriptionOf<Enum>{})) choices.emplace_back(one.word);
    const auto take = [&into](const std::string& word) { into = *called<Enum>(word); };
    return app.add_option_function<std::string>(name, take, meaning)
        ->check(CLI::IsMember(choices))
        ->default_str(word_of(into));
  }
  /// One of two `words`, of which `yes` means true.
  CLI::Option* either(const std::string& name, bool& into, const std::string& meaning,
                      const std::vector<std::string>& words = {"on", "off"},
                      const std::string& yes = "on") const {
    const auto take = [&into, yes](const std::string& word) { into = word == yes; };
    return app.add_option_function<std::string>(name, take, meaning)
        ->check(CLI::IsMember(words))
        ->default_str((words.front() == yes) == into ? words.front() : words.back());
  }
  /// Something that `read(text, name)` reads. Complaints wait until all is parsed, so that help
  /// comes first.
  template <class Typed = std::string, class T, class Read>
  CLI::Option* value(const std::string& name, T& into, const std::string& meaning,
                     const Read& read) const {
    const auto take = [&into, name, read, &refusal = typed.refusal](const Typed& text) {
      try {
        into = static_cast<T>(read(text, name));
      } catch (const InputError& why) {
        if (!refusal) refusal = why;
      }
    };
    return app.add_option_function<Typed>(name, take, meaning);
  }
  /// The same for an option that a script may give an empty text, which leaves `into` as it is.
  template <class T, class Read>
  CLI::Option* value_or_empty(const std::string& name, T& into, const std::string& meaning,
                              const Read& read) const {
    return value(name, into, meaning,
                 [&into, read](const std::string& text, const std::string& at) {
                   return text.empty() ? into : T(read(text, at));
                 });
  }
  /// An option for each member of `into`, a struct of texts and lists of texts with a description,
  /// and of its parts.
  template <Described Options>
  void described(Options& into) const {
    for_each_member<Options>([&](const auto& one) {
      auto& value = into.*one.at;
      if constexpr (Described<std::remove_reference_t<decltype(value)>>) {
        return described(value);
      } else {
        CLI::Option* const option = text(option_called(one.facts.name), value, one.facts.meaning);
        option->required(one.facts.writing == Writing::always);
        if (one.facts.writing == Writing::usual) option->capture_default_str();
        if constexpr (requires { value.front().size(); }) option->allow_extra_args(false);
      }
    });
  }
  CLI::Option* flag(const std::string& name, bool& into, const std::string& meaning) const {
    return app.add_flag(name, into, meaning);
  }
  /// `notes`: what else there is to know, whole lines. Examples are of the program `equipoise`.
  void example(const std::string& command, const std::string& notes = {}) const {
    app.footer(loop == nullptr ? notes + "Example:\n  " + command : notes);
  }
};

/// Adds a command and returns it with its request, with which `run` is called.
template <class Request>
std::pair<CommandOptions, Request&> add(const CommandOptions& above, const std::string& name,
                                        const std::string& meaning, int (*run)(const Request&)) {
  CLI::App* const app = above.app.add_subcommand(name, meaning);
  const auto request = std::make_shared<Request>();
  app->callback([run, request, &typed = above.typed] {
    typed.run = [run, request] { return run(*request); };
  });
  return {CommandOptions{*app, above.typed, above.loop, above.nodes}, *request};
}

/// Adds a command that only has commands below it.
inline CommandOptions add_group(const CommandOptions& above, const std::string& name,
                                const std::string& meaning, const std::string& example) {
  CLI::App* const app = above.app.add_subcommand(name, meaning);
  app->require_subcommand(1);
  CommandOptions group{*app, above.typed, above.loop, above.nodes};
  group.example(example);
  return group;
}

// Values. Each reads `text`, the value of the option `name`.

/// A reader of what `parse` reads, from `least` to `most`; `advice`: what to do about another
/// value.
template <class Number>
auto within(Number (*parse)(const std::string& text, const std::string& name), Number least,
            Number most, const char* advice) {
  return [=](const std::string& text, const std::string& name) {
    const Number number = parse(text, name);
    if (number >= least && number <= most) return number;
    throw InputError(name, advice);
  };
}

inline constexpr double any_number = std::numeric_limits<double>::infinity();
inline constexpr double above_0 = std::numeric_limits<double>::denorm_min();

inline double parse_seconds(const std::string& text, const std::string& name) {
  return parse_quantity(text, "s", name);
}

/// The path without slashes at its end.
inline std::string output_of(std::string path, const std::string& /*name*/) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

inline CLI::Option* add_out(const CommandOptions& c, std::string& out, const std::string& meaning) {
  return c.value("--out", out, meaning, output_of);
}

inline void add_json(const CommandOptions& c, bool& json) {
  c.flag("--json", json, "print JSON instead of tables");
}

/// --json and --quiet. Without `quiet` there is nothing to leave out.
inline void add_output(const CommandOptions& c, bool& json, bool* quiet = nullptr) {
  const std::string meaning =
      "show neither progress nor notes, and tables without definitions; warnings stay";
  add_json(c, json);
  if (quiet != nullptr) {
    c.flag("--quiet", *quiet, meaning);
  } else {
    c.app.add_flag("--quiet", meaning);
  }
}

inline void add_seed(const CommandOptions& c, std::uint64_t& seed, const std::string& meaning) {
  c.value("--seed", seed, meaning,
          within(parse_items, Items{0}, Items{1} << 53,
                 "a seed is not negative; give a whole number from 0 on"))
      ->default_str(fmt::format("{}", seed));
}

/// Help whose explanations are broken into lines that fit the terminal.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> wrapped_help();

/// Refuses arguments that are not printable UTF-8, because names of files, kernels and units are
/// written to JSON and terminals.
void expect_readable(const std::vector<std::string>& arguments);

/// The long names of the options of a command: "--unit".
[[nodiscard]] std::vector<std::string> options_of(const CLI::App& command);

/// The options of a loop of the user's program: those of `run` and `record` without --workload.
/// What both need is in `run`.
void add_loop_options(const CommandOptions& c, RunRequest& run, RecordRequest& record);

/// Adds the commands that begin or test something of the user's own.
void add_own_commands(const CommandOptions& program);

}  // namespace equipoise
