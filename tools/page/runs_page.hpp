// What a report page says of single runs, from their files.
#pragma once

#include <string>
#include <vector>

#include "traces/json_document.hpp"

namespace equipoise {

/// A run file that was read for a page. Its data are JSON objects as text, whose length is known:
/// the same facts with its blocks, or with shares of time alone.
///
/// Blocks are sorted by unit and begin. Times are whole multiples of `quantum_s`, a small part of
/// the mean time of a block. Each member of `columns` has a number for each block, 7 bits a byte,
/// the lowest first, deflated and in base64: `block` and `items` less those of the unit's block
/// before, `start` (begin less the end of the blocks before; these three have their sign in the
/// lowest bit), `held` (from that end, how long the unit waited for other units, an iteration or a
/// timer), then the stages and what lies between them: `setup`, `in_wait`, `in`, `compute_wait`,
/// `compute`, `out_wait`, `out`. `tag` has a byte for each block. `shares` has, for each unit and
/// kind, the share of time in equal parts of the run, 255 for all of it, deflated and in base64.
struct PageRun {
  JsonValue header;   ///< the first line of the file
  JsonValue summary;  ///< the last line; null if the run was interrupted
  std::string with_blocks;
  std::string with_shares;  ///< some 100 KB at most
};

/// Reads a run file. Throws InputError like `read_run_file`.
[[nodiscard]] PageRun read_page_run(const std::string& path);

/// The runs as a table, the fastest first, and under it the units of each: HTML.
[[nodiscard]] std::string runs_html(const std::vector<PageRun>& runs);

}  // namespace equipoise
