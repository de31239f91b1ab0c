// A kernel and a problem size: the number of items, and the bytes and operations of each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// Where the resident data of a workload lie when a run starts.
enum class Distribution : std::uint8_t {
  master,     ///< on the master, which sends them to each unit before its first block
  replicated  ///< on every unit already; one that joins or comes back during the run has none
};

constexpr auto words(DescriptionOf<Distribution> /*of*/) {
  return std::array{Word{Distribution::master, "master"},
                    Word{Distribution::replicated, "replicated"}};
}

/// "master" or "replicated".
[[nodiscard]] constexpr const char* to_string(Distribution distribution) {
  return word_of(distribution);
}

/// The work of one phase of a run. Items are numbered 0 .. items-1 in every iteration.
struct Workload {
  std::string kernel;
  Items items = 0;
  Items grain_items = 1;  ///< block sizes are multiples of it; only the last block may be smaller
  int iterations = 1;     ///< every iteration processes all items again, after a barrier
  double in_bytes_per_item = 0.0;
  double out_bytes_per_item = 0.0;
  double resident_bytes = 0.0;  ///< that every unit needs and keeps, whatever its blocks
  Distribution distribution = Distribution::master;  ///< where these lie at the start
  double iteration_bytes = 0.0;  ///< resident data that change between two iterations: sent
                                 ///< again before a unit's first block of the later one
  /// Unit memory that the resident data occupy; nothing: as many bytes as there are of them. Of
  /// what does not fit, see `streamed_data`.
  std::optional<double> resident_memory_bytes;
  double memory_bytes_per_item = 0.0;  ///< unit memory that an item occupies while its block is on
                                       ///< the unit
  double flop_per_item = 0.0;          ///< 0 if unknown
  /// The parameters as the user may type them (`n=4096`), for file headers.
  std::map<std::string, double> parameters;
  /// Those of them on which the cost per item depends. Traces and experience hold for one value.
  std::map<std::string, double> problem;

  /// The bytes sent to a unit that was there from the start before its first block of the phase, if
  /// that block is of `iteration`: all resident data or, if these are replicated, those that an
  /// iteration changed.
  [[nodiscard]] double first_bytes(int iteration) const;

  /// The bytes sent to a unit in a typical iteration: before its first block, if there is one
  /// iteration, or else those that the iteration before changed.
  [[nodiscard]] double bytes_of_an_iteration() const {
    return iterations == 1 ? first_bytes(0) : iteration_bytes;
  }

  /// Unit memory that the resident data occupy.
  [[nodiscard]] double bytes_kept() const { return resident_memory_bytes.value_or(resident_bytes); }

  /// Throws InputError (at `where`) for items < 1, grain < 1, iterations < 1, for negative or
  /// non-finite sizes, for totals that do not fit in 63 bits, and for more iteration bytes than
  /// resident bytes.
  void validate(const std::string& where) const;

  bool operator==(const Workload&) const = default;
};

constexpr auto describe(DescriptionOf<Workload> /*of*/) {
  return std::tuple(
      member("kernel", &Workload::kernel, "the computation").not_empty(),
      member("items", &Workload::items, "the number of items").in("items").at_least(1),
      member("grain_items", &Workload::grain_items,
             "block sizes are multiples of it; only the last block may be smaller")
          .in("items")
          .at_least(1),
      member("iterations", &Workload::iterations,
             "how often all items are processed, each time after a barrier")
          .at_least(1),
      member("in_bytes_per_item", &Workload::in_bytes_per_item, "input of an item")
          .in("bytes")
          .at_least(0),
      member("out_bytes_per_item", &Workload::out_bytes_per_item, "results of an item")
          .in("bytes")
          .at_least(0),
      member("resident_bytes", &Workload::resident_bytes,
             "data that every unit needs and keeps, whatever its blocks")
          .in("bytes")
          .at_least(0),
      member("distribution", &Workload::distribution, "where the resident data lie at the start")
          .since(1),
      member("iteration_bytes", &Workload::iteration_bytes,
             "resident data that change between two iterations")
          .in("bytes")
          .at_least(0)
          .since(1),
      computed(
          "resident_memory_bytes", +[](const Workload& workload) { return workload.bytes_kept(); },
          "unit memory that the resident data occupy",
          [](Workload& workload, double bytes) { workload.resident_memory_bytes = bytes; })
          .in("bytes")
          .at_least(0)
          .since(1),
      member("memory_bytes_per_item", &Workload::memory_bytes_per_item,
             "unit memory that an item occupies while its block is on the unit")
          .in("bytes")
          .at_least(0),
      member("flop_per_item", &Workload::flop_per_item,
             "floating-point operations of an item; 0 if unknown")
          .in("FLOP")
          .at_least(0),
      member("parameters", &Workload::parameters, "the parameters as typed"),
      unwritten(&Workload::resident_memory_bytes, &Workload::problem));
}

}  // namespace equipoise
