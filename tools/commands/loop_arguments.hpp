// The arguments of a loop of the user's program.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "tools/commands/commands.hpp"

namespace equipoise {

/// What was typed for a loop.
struct LoopRequest {
  RunRequest run;
  RecordRequest record;  ///< `out` is empty: nothing is recorded; without options: those of `run`
};

/// Help was asked for.
class HelpAsked : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;  ///< the text
};

/// Reads `--unit KIND`, `--policy NAME` and so on: the options of `equipoise run`, and --record.
/// Without --policy it is `equipoise`. Throws InputError, and HelpAsked. `program`: the name of the
/// user's program; `loop`: that of its loop.
[[nodiscard]] LoopRequest parse_loop_arguments(const std::string& program, const std::string& loop,
                                               const std::vector<std::string>& arguments);

}  // namespace equipoise
