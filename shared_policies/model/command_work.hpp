// Work that a command of the user's does, block by block: what stands in a work file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// How a command gets its blocks.
enum class CommandMode : std::uint8_t {
  exec,  ///< a process for each block
  serve  ///< one process for each unit, which is told its blocks one after another
};

constexpr auto words(DescriptionOf<CommandMode> /*of*/) {
  return std::array{Word{CommandMode::exec, "exec"}, Word{CommandMode::serve, "serve"}};
}

[[nodiscard]] constexpr const char* to_string(CommandMode mode) { return word_of(mode); }

/// What is started: a program with its arguments, without a shell, and what is added to its
/// environment. Both may have placeholders, see `command_placeholders`.
struct CommandLine {
  std::vector<std::string> words;  ///< empty: there is no command
  std::map<std::string, std::string> environment;
};

/// The command of the units whose names match a pattern, in place of that for all.
struct CommandOfUnits {
  std::string pattern;  ///< of the shell: "gpu*"
  CommandLine line;     ///< without words: those for all units, with this environment, too
};

/// Work that commands do.
struct CommandWork {
  std::string name;
  std::string item = "item";  ///< one item in words
  Items items = 0;
  Items grain_items = 1;
  CommandMode mode = CommandMode::exec;
  bool says_ready = false;  ///< `serve`: it writes `ready` when it can take its first block
  CommandLine all;          ///< the command of units that match no pattern
  std::vector<CommandOfUnits> units;
  double in_bytes_per_item = 0.0;
  double out_bytes_per_item = 0.0;
  std::vector<std::string> check;         ///< the command that judges all results; may be empty
  Seconds timeout = Seconds::infinity();  ///< of a block, and of the check
  std::string folder = ".";               ///< in which commands are started

  /// The command of the unit called `unit`: that of the first pattern that matches; without words
  /// if there is none.
  [[nodiscard]] CommandLine line_of(const std::string& unit) const;
  /// A whole number below 2^48 that differs if what computes blocks does: the mode or a command.
  /// The check, sizes and the folder do not matter.
  [[nodiscard]] double fingerprint() const;
};

/// One placeholder of commands.
struct CommandPlaceholder {
  const char* name;
  const char* meaning;
  bool of_block;  ///< of one block, so that a process that serves many cannot be given it
};

/// All placeholders, each written in braces: `{first}`.
inline constexpr std::array command_placeholders = {
    CommandPlaceholder{"first", "number of the block's first item, from 0", true},
    CommandPlaceholder{"last", "number of its last item", true},
    CommandPlaceholder{"count", "how many items it has", true},
    CommandPlaceholder{"out",
                       "a path for the block's output, where there is nothing yet: the "
                       "command makes a file or a folder there. Where a command says "
                       "{out}/NAME, it is a folder that is there",
                       false},
    CommandPlaceholder{"results", "the folder into which outputs are moved when blocks count",
                       false},
    CommandPlaceholder{"unit", "name of the unit", false},
    CommandPlaceholder{"index", "number of the unit among those of its kind, from 0", false}};

/// `text` with each placeholder replaced by its value. What else stands in braces stays.
[[nodiscard]] std::string with_values(const std::string& text,
                                      const std::map<std::string, std::string>& values);

/// The names in braces in `text` that are words of letters: placeholders, and what may be meant to
/// be one.
[[nodiscard]] std::vector<std::string> names_in_braces(const std::string& text);

}  // namespace equipoise
