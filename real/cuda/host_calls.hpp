// Functions of the host that take their turn in the queues of a CUDA device.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "real/devices/device.hpp"
#include "real/threads/host_gate.hpp"

namespace equipoise {

/// Functions that a thread of CUDA calls when the work before them has ended. Work behind them
/// waits for them. One thread uses it.
class HostCalls {
 public:
  HostCalls() = default;

  /// Puts `function`, which does not throw and does not use CUDA, into `stream`, which is `queue`
  /// or follows it. Throws as check_cuda does. A device that has failed for good may not call it.
  void put(Queue queue, cudaStream_t stream, std::function<void()> function);
  /// To be called for a device that has failed for good. Waits for functions that are being called;
  /// no other one is called later. Keeps `calls` until the program ends, because CUDA may still
  /// try.
  static void give_up(std::unique_ptr<HostCalls> calls);

 private:
  struct Call {
    Call(HostGate& closed_by, std::function<void()> called)
        : gate(closed_by), function(std::move(called)) {}

    HostGate& gate;
    std::function<void()> function;
    std::atomic<bool> is_over = false;
  };

  static void perform(void* call) noexcept;

  HostGate gate_;
  std::array<std::deque<Call>, 3> calls_;  ///< of each queue, in order
};

}  // namespace equipoise
