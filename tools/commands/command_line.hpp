// The command line: its entry point, and what its files, which alone use CLI11, share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "shared_policies/model/failure.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}  // namespace CLI

namespace equipoise {

struct LoopWorkload;
class Nodes;

/// A program that uses the library, and whose loop is the workload of all commands.
struct LoopProgram {
  std::string name;      ///< as it is typed
  std::string workload;  ///< NAME:items=N
  std::shared_ptr<const LoopWorkload> work;
  std::shared_ptr<Nodes> nodes{};  ///< the other ranks of the program; null: there are none
};

/// The command that was typed, ready to run.
struct TypedCommand {
  std::function<int()> run;           ///< the command, with its options
  std::optional<InputError> refusal;  ///< of the first value that cannot be used
};

/// Adds all commands to `app` but `help`. When `app` has parsed the arguments, `typed` holds the
/// one that was typed. `loop`: the program whose loop is the workload; null for `equipoise`.
/// `nodes`: the other ranks that mpirun has started; null: there are none.
void add_commands(CLI::App& app, TypedCommand& typed, const LoopProgram* loop,
                  const std::shared_ptr<Nodes>& nodes);

/// Adds the command `completion`, which knows all commands of `app`.
void add_completion(CLI::App& app, TypedCommand& typed);

/// Parses the command line and runs the command. Returns the exit code: 0 success; 1 the work
/// failed or a check did not hold; 2 unusable arguments or input; 130 or 143 after Ctrl-C or
/// SIGTERM.
[[nodiscard]] int run_program(int argc, char** argv, const LoopProgram* loop = nullptr);

}  // namespace equipoise
