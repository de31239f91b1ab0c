// Reads one StarPU performance model file (version 45): the rows of every combination of devices.
#pragma once

#include <string>
#include <vector>

namespace equipoise {

/// The device to which the rows of a model file belong.
struct StarpuDevice {
  int type = 0;  ///< StarPU's number: 0 CPU, 1 CUDA, 2 OpenCL, 3 MIC
  int id = 0;
  int cores = 1;
};

/// One row: the measurements for one size of operands.
struct StarpuRow {
  int line = 0;
  double size_bytes = 0.0;  ///< of all operands
  double flop = 0.0;        ///< 0 if the program did not report it
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

/// The contents of a model file.
struct StarpuModel {
  std::vector<StarpuTable> tables;  ///< in the file's order
  int unread_from_line = 0;         ///< first line after the announced combinations; 0: none
};

/// Reads the model file at `path`. Empty lines and lines that begin with # are skipped, so only the
/// order of the values matters. Numbers may be nan. Throws InputError with FILE:LINE for another
/// version, a file that ends early, a value that is not a number, and multiple-regression models.
[[nodiscard]] StarpuModel read_starpu_model(const std::string& path);

}  // namespace equipoise
