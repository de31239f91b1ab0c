// Reads one StarPU performance model file (version 45): the rows of every combination of devices.
#pragma once

#include <string>
#include <vector>

namespace equipoise {

/// What one row of a model file belongs to.
struct StarpuDevice {
  int type = 0;  ///< StarPU's number: 0 CPU, 1 CUDA, 2 OpenCL, 3 MIC
  int id = 0;
  int cores = 1;
};

/// One row: what was measured for one size of operands.
struct StarpuRow {
  int line = 0;
  std::string footprint;    ///< hash of the operands' shapes
  double size_bytes = 0.0;  ///< of all operands together
  double flop = 0.0;        ///< 0 where the program did not say
  double mean_us = 0.0;
  double deviation_us = 0.0;
  double sum_us = 0.0;
  double count = 0.0;
};

/// The rows of one implementation on one combination of devices.
struct StarpuTable {
  std::vector<StarpuDevice> devices;
  int implementation = 0;
  std::vector<StarpuRow> rows;
};

/// A model file.
struct StarpuModel {
  std::vector<StarpuTable> tables;  ///< in the file's order
  int unread_from_line = 0;         ///< behind the last announced combination; 0: nothing is there
};

/// Reads the model file at `path`. Lines that begin with # and empty ones are skipped, so only the
/// order of values counts. Numbers may be nan. Throws InputError with FILE:LINE for another
/// version, for a file that ends early, for what is not a number, and for multiple-regression
/// models.
[[nodiscard]] StarpuModel read_starpu_model(const std::string& path);

}  // namespace equipoise
