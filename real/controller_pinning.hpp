// Where the controller's thread runs during a real run.
#pragma once

#include <optional>
#include <vector>

#include "real/machine.hpp"
#include "real/threads/this_thread.hpp"

namespace equipoise {

/// Keeps the calling thread, the controller, on its cores. If units compute there, it also makes
/// the thread run as soon as it is woken.
class ControllerPinning {
 public:
  explicit ControllerPinning(const Placement& placement) : before_(cores_of_this_thread()) {
    pin_this_thread(placement.controller());
    if (placement.waiting_compute) prompt_.emplace();
  }
  ControllerPinning(const ControllerPinning&) = delete;
  ControllerPinning& operator=(const ControllerPinning&) = delete;
  ~ControllerPinning() { pin_this_thread(before_); }

 private:
  std::vector<int> before_;
  std::optional<PromptThread> prompt_;
};

}  // namespace equipoise
