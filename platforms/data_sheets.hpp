// Published figures of known devices, for machine specs and `equipoise list devices`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/model/unit.hpp"

namespace equipoise {

/// The figures of one device, or, of a CPU, of one socket. Peaks of GPUs are as printed (at boost
/// clock, without tensor cores), those of CPUs are cores * base clock * operations per cycle.
struct DataSheet {
  std::string name;  ///< "a100-sxm4-80gb", as machine specs have it
  UnitKind kind = UnitKind::gpu;
  std::string model;  ///< "NVIDIA A100-SXM4-80GB"
  int cores = 0;      ///< of a GPU: its cores for single precision
  double single_flop_per_s = 0.0;
  std::optional<double> double_flop_per_s;  ///< none: not printed
  std::optional<double> memory_bytes;       ///< none: not limited (CPU)
  double memory_bytes_per_s = 0.0;
  int pci_generation = 0;                    ///< of its 16 lanes of PCI Express; 0: no such link
  std::optional<double> nvlink_bytes_per_s;  ///< of all its links in both directions; not used
  double tdp_w = 0.0;                        ///< of a GPU: of the board
  std::string source;

  /// The rate of its PCI Express link in each direction, after line coding: 8, 15.75, 31.5 and 63
  /// GB/s for generations 2 to 5; 0 without one. Copies reach some 80 to 90 % of it.
  [[nodiscard]] double bus_bytes_per_s() const;
};

/// All known devices: GPUs, then CPUs, by maker and age.
[[nodiscard]] const std::vector<DataSheet>& data_sheets();

/// The one called `name`. Throws InputError (at `where`), suggesting the nearest, if there is none.
[[nodiscard]] const DataSheet& find_data_sheet(const std::string& name, const std::string& where);

}  // namespace equipoise
