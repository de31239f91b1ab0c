// What is known of a device beyond what policies may know.
#pragma once

#include "real/link_rates.hpp"

namespace equipoise {

/// What computes on a GPU or a part of one.
struct Processors {
  int sms = 0;            ///< streaming multiprocessors
  double clock_hz = 0.0;  ///< the highest of their clock; 0: unknown
};

/// How fast a device copies.
///
/// A block's copy to a CUDA device takes two steps: the host gathers its input in pinned memory, and
/// the device fetches it from there. Recorded copy times (`in_s`, `out_s`) contain both. So a
/// platform that comes with a trace must not add the time of the second step again:
/// `recorded_platform` takes latency and speed of a copy from the recorded times alone, and `pinned`
/// and `staged` only limit what several copies reach together.
struct DeviceLink {
  LinkRates pinned;  ///< between the device and pinned memory of the host
  LinkRates staged;  ///< the same with the host's step, as blocks are copied
};

}  // namespace equipoise
