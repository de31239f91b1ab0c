// How many commands may be in a queue of a GPU.
#pragma once

#include <cstdint>

namespace equipoise {

/// CUDA is reported to make its caller wait while about 1,000 commands are in a queue. The driver
/// of a unit must not wait there: there may be a stop before them, whose end would come late.
inline constexpr std::uint64_t commands_max = 960;
/// What a program may put into a queue for one block.
inline constexpr std::uint64_t block_commands_max = 600;
/// What else a block may need in a queue: waits, records, calls, stops, and copies of arrays.
inline constexpr std::uint64_t other_commands_max = 60;
/// With more commands in a queue, there is no room for another block.
inline constexpr std::uint64_t commands_full =
    commands_max - block_commands_max - other_commands_max;

}  // namespace equipoise
