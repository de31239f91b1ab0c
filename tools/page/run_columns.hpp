// A run as data of a report page: its blocks in packed columns.
#pragma once

#include <cstddef>
#include <string>

#include "traces/json_document.hpp"
#include "traces/run_file.hpp"

namespace equipoise {

/// The first and the last line of a run file.
struct RunEnds {
  JsonValue header;
  JsonValue summary;  ///< null if the run was interrupted
};

/// A run for a page, as text whose length is known: the same facts with its blocks, or with shares
/// of time alone.
struct RunData {
  std::string with_blocks;  ///< a JSON object
  std::string with_shares;  ///< a JSON object without single blocks; some 100 KB at most
};

/// The run of `file`, whose header and summary are `ends`.
///
/// Blocks are sorted by unit and begin. Times are whole multiples of `quantum_s`, a small part of
/// the mean time of a block. Each member of `columns` has a number for each block, 7 bits a byte,
/// the lowest first, deflated and in base64: `block` and `items` less those of the unit's block
/// before, `start` (begin less the end of the blocks before; these three have their sign in the
/// lowest bit), `held` (from that end, how long the unit waited for other units, an iteration or a
/// timer), then the stages and what lies between them: `setup`, `in_wait`, `in`, `compute_wait`,
/// `compute`, `out_wait`, `out`. `tag` has a byte for each block. `shares` has, for each unit and
/// kind, the share of time in equal parts of the run, 255 for all of it, deflated and in base64.
[[nodiscard]] RunData run_data(const RunFile& file, const RunEnds& ends);

}  // namespace equipoise
