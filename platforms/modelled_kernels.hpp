// What one item of a known kernel costs, in operations and bytes, for modelled traces.
#pragma once

#include <map>
#include <string>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// The cost of one item, and of what comes with every block or unit.
struct ItemCost {
  std::string item = "item";              ///< what an item is, in words
  double flop = 0.0;                      ///< operations
  double traffic_bytes = 0.0;             ///< to and from the unit's memory while it is computed
  double in_bytes = 0.0;                  ///< moved to the unit
  double out_bytes = 0.0;                 ///< moved back
  double resident_bytes = 0.0;            ///< moved to a unit once, kept there
  double memory_bytes = 0.0;              ///< of unit memory, while the block is there
  double streamed_bytes_per_block = 0.0;  ///< read by an accelerator over its bus while it computes
  double threads = 1.0;                   ///< that an item gives to an accelerator
  /// Share of peak and of bandwidth that is reached.
  std::map<UnitKind, double> efficiency = {
      {UnitKind::cpu, 0.3}, {UnitKind::gpu, 0.3}, {UnitKind::mic, 0.3}};
};

/// A kernel whose items this program knows the cost of.
struct ModelledKernel {
  std::string name;
  std::map<std::string, double> problem;  ///< its parameters and their defaults
  /// The cost for parameters (all of `problem`'s) and bytes of an element (4 or 8).
  ItemCost (*cost)(const std::map<std::string, double>& problem, double element_bytes);
  /// How many items a problem has; 0 where its parameters do not say.
  double (*items)(const std::map<std::string, double>& problem);
};

/// The kernel called `name`, or null.
[[nodiscard]] const ModelledKernel* find_modelled_kernel(const std::string& name);

}  // namespace equipoise
