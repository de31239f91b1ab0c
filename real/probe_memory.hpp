// The memory between which probes copy: bytes that belong to no kernel.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "real/devices/device.hpp"
#include "real/kernels/buffer.hpp"
#include "shared_policies/model/event.hpp"

namespace equipoise {

/// What is to be copied for a probe.
struct ProbeCopies {
  std::vector<CopyPart> there;
  std::vector<CopyPart> back;        ///< empty: there is no copy back
  std::shared_ptr<const void> host;  ///< the memory of the host in these
};

/// The memory of one unit's probes, there and on the host, apart for each direction. It grows to
/// the largest probe, but not above 64 MiB: larger probes are copied through the same memory again
/// and again. A probe of 0 bytes copies one.
class ProbeMemory {
 public:
  /// Gets memory of the unit, which lives as long as this. Throws std::bad_alloc.
  using Allocate = std::function<std::byte*(std::size_t bytes)>;

  explicit ProbeMemory(Allocate allocate) : allocate_(std::move(allocate)) {}

  /// Memory of earlier probes, which may still be copied, stays. If there is too little for the
  /// probe, it makes do with a part, down to 4 MiB. Throws BlockFailure if that is not there.
  [[nodiscard]] ProbeCopies copies_of(const Probe& probe);

 private:
  using HostMemory = std::shared_ptr<BufferOf<std::byte>>;
  /// The memory of one direction.
  struct Area {
    std::size_t bytes = 0;
    std::byte* on_unit = nullptr;
    HostMemory on_host;
    bool can_grow = true;  ///< there was enough memory so far
  };

  void grow(Area& area, double probe_bytes);

  Allocate allocate_;
  Area there_;
  Area back_;
};

}  // namespace equipoise
