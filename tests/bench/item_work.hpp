// What an item of each kernel must cost a GPU at least, and what bounds it.
#pragma once

#include <string>

#include "real/kernels/kernel.hpp"

namespace equipoise {

/// How fast a GPU is at what its programs do, per second.
struct GpuRates {
  double bytes = 0.0;                  ///< of its memory, read and written
  double multiply_adds = 0.0;          ///< fused, in double precision; also additions and products
  double integer_multiply_adds = 0.0;  ///< of 32 bits
  double product_flop = 0.0;           ///< of cuBLAS, which may use other units
  double roots = 0.0;                  ///< 1 / sqrt(x)
  double quotients = 0.0;
  double exponentials = 0.0;
  double logarithms = 0.0;
  double look_ups = 0.0;  ///< pairs of regulators, see `launch_look_ups`
};

/// What a program must do for an item, whatever it does besides. Numbers as in GpuRates.
struct ItemDemand {
  double bytes = 0.0;
  double multiply_adds = 0.0;
  double integer_multiply_adds = 0.0;
  double product_flop = 0.0;
  double roots = 0.0;
  double quotients = 0.0;
  double exponentials = 0.0;
  double logarithms = 0.0;
  double look_ups = 0.0;

  /// The time of an item: that of its bytes, or that of its operations, which use the same units
  /// one after another, whichever is longer.
  [[nodiscard]] double least_s(const GpuRates& rates) const;
  /// What bounds an item: "bytes/bandwidth", "fma/fma_rate", ...; without spaces.
  [[nodiscard]] std::string bound(const GpuRates& rates) const;
};

/// The work of an item of `kernel`. The counts are in item_work.cpp.
[[nodiscard]] ItemDemand item_work(const Kernel& kernel);

}  // namespace equipoise
