// What is known of a device beyond what policies may know.
#pragma once

namespace equipoise {

/// What computes on a GPU or a part of one.
struct Processors {
  int sms = 0;            ///< streaming multiprocessors
  double clock_hz = 0.0;  ///< the highest of their clock; 0: unknown
};

}  // namespace equipoise
