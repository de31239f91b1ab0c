// What the files of the command line, which alone use CLI11, share.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "shared_policies/model/failure.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}  // namespace CLI

namespace equipoise {

/// What was typed.
struct TypedCommand {
  std::function<int()> run;           ///< the command, with its options
  std::optional<InputError> refusal;  ///< of the first value that cannot be used
};

/// Adds all commands to `app` but `help`. When it has parsed the arguments,
/// `typed` holds the chosen one.
void add_commands(CLI::App& app, TypedCommand& typed);

/// Adds the command `completion`, which knows all commands of `app`.
void add_completion(CLI::App& app, TypedCommand& typed);

}  // namespace equipoise
