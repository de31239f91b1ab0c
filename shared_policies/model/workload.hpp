// A kernel and a problem size: the number of items, and the bytes and operations of each.
#pragma once

#include <map>
#include <string>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// The work of one phase of a run. Items are numbered 0 .. items-1 in every iteration.
struct Workload {
  std::string kernel;
  Items items = 0;
  Items grain_items = 1;  ///< block sizes are multiples of it; only the last block may be smaller
  int iterations = 1;     ///< every iteration processes all items again, after a barrier
  double in_bytes_per_item = 0.0;
  double out_bytes_per_item = 0.0;
  double resident_bytes = 0.0;         ///< sent to a unit before its first block, then kept there
  double iteration_bytes = 0.0;        ///< resident data that change between two iterations: sent
                                       ///< again before a unit's first block of the later one
  double memory_bytes_per_item = 0.0;  ///< unit memory that an item occupies while its block is on
                                       ///< the unit
  double flop_per_item = 0.0;          ///< 0 if unknown
  /// The parameters as the user may type them (`n=4096`), for file headers and for comparison with
  /// a trace's `problem`.
  std::map<std::string, double> parameters;

  /// Throws InputError (at `where`) for items < 1, grain < 1, iterations < 1, for negative or
  /// non-finite sizes, for totals that do not fit in 63 bits, and for more iteration bytes than
  /// resident bytes.
  void validate(const std::string& where) const;
};

}  // namespace equipoise
