// Suspends and resumes an actor of SimGrid.
#include "sim/controller_actor.hpp"

#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>

#include <algorithm>
#include <utility>

namespace equipoise {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

class Actor final : public ControllerActor {
 public:
  explicit Actor(std::function<void()> on_time) : on_time_(std::move(on_time)) {}

  void begin() override { actor_ = s4u::Actor::self(); }
  void sleep() override { s4u::this_actor::suspend(); }
  void wake() override { actor_->resume(); }

  void call_at(Seconds at) override {
    if (timer_ != nullptr && timer_at_ == at) return;
    if (timer_ != nullptr) timer_->remove();
    timer_ = nullptr;
    if (at == Seconds::infinity()) return;
    timer_at_ = at;
    timer_ = Timer::set(std::max(at, simgrid_clock()).value, [this] {
      timer_ = nullptr;
      on_time_();
    });
  }

 private:
  std::function<void()> on_time_;
  s4u::ActorPtr actor_;
  Timer* timer_ = nullptr;
  Seconds timer_at_;
};

}  // namespace

Seconds simgrid_clock() { return {s4u::Engine::get_clock()}; }

std::unique_ptr<ControllerActor> make_controller_actor(std::function<void()> on_time) {
  return std::make_unique<Actor>(std::move(on_time));
}

}  // namespace equipoise
