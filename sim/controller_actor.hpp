// The actor of the controller, and the timer that interrupts its sleep.
#pragma once

#include <functional>
#include <memory>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// The present time of SimGrid's clock.
[[nodiscard]] Seconds simgrid_clock();

/// The controller sleeps, and is woken from SimGrid's kernel context.
class ControllerActor {
 public:
  ControllerActor() = default;
  ControllerActor(const ControllerActor&) = delete;
  ControllerActor& operator=(const ControllerActor&) = delete;
  virtual ~ControllerActor() = default;

  /// The calling actor is the controller.
  virtual void begin() = 0;
  /// Suspends the controller, which calls it, until `wake`.
  virtual void sleep() = 0;
  /// Called in kernel context.
  virtual void wake() = 0;
  /// Sets the time of the one timer, or of the next instant if `at` is past; infinity: none.
  virtual void call_at(Seconds at) = 0;
};

/// `on_time` is called in kernel context when the timer's time has come.
[[nodiscard]] std::unique_ptr<ControllerActor> make_controller_actor(std::function<void()> on_time);

}  // namespace equipoise
