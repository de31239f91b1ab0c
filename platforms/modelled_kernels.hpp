// The costs of one item of known kernels in operations and bytes, for modelled traces.
#pragma once

#include <map>
#include <string>

#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// The cost of one item, and the costs that every block or unit has.
struct ItemCost {
  std::string item = "item";           ///< the meaning of one item
  double flop = 0.0;                   ///< operations
  double traffic_bytes = 0.0;          ///< to and from the unit's memory during the computation
  double in_bytes = 0.0;               ///< copied to the unit
  double out_bytes = 0.0;              ///< copied back
  double resident_bytes = 0.0;         ///< that every unit needs and keeps
  double resident_memory_bytes = 0.0;  ///< unit memory that these occupy
  double memory_bytes = 0.0;           ///< unit memory in use while the block is there
  double threads = 1.0;                ///< number of accelerator threads for each item
  /// The share of peak speed and of memory bandwidth that is reached.
  std::map<UnitKind, double> efficiency = {
      {UnitKind::cpu, 0.3}, {UnitKind::gpu, 0.3}, {UnitKind::mic, 0.3}};
  /// Items of a whole round, by kind of unit: a block costs as much as the rounds that it needs. 1
  /// for kinds that are not there.
  std::map<UnitKind, double> round_items;
};

/// A kernel with known costs.
struct ModelledKernel {
  std::string name;
  std::map<std::string, double> problem;  ///< its parameters and their defaults
  /// The cost for given parameters (all of those in `problem`) and bytes of an element (4 or 8).
  ItemCost (*cost)(const std::map<std::string, double>& problem, double element_bytes);
  std::string items_parameter;  ///< the one that is the number of items; empty: none is
};

/// The kernel called `name`, or nullptr if unknown.
[[nodiscard]] const ModelledKernel* find_modelled_kernel(const std::string& name);

}  // namespace equipoise
