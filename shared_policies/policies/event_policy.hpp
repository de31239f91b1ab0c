// A policy as one function for each kind of event. All policies in this folder are written so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <variant>

#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// Calls, for each event, `on_event` and then the function for events of its kind; a policy
/// overrides those that it reacts to. While they run, `view()`, `decisions()` and `at()` are those
/// of the event, so that no function has to pass them on.
class EventPolicy : public Policy {
 public:
  void decide(const View& view, const Event& event, Decisions& decisions) final {
    view_ = &view;
    decisions_ = &decisions;
    at_ = event.at;
    on_event(event);
    std::visit([this](const auto& what) { on(what); }, event.what);
  }

 protected:
  [[nodiscard]] const View& view() const { return *view_; }
  [[nodiscard]] Decisions& decisions() const { return *decisions_; }
  /// The time of the event. `view().now()` is later if decisions took time since.
  [[nodiscard]] Seconds at() const { return at_; }
  /// Numbers to compute with: all items of an iteration, those not handed out, and a grain.
  [[nodiscard]] double all_items() const { return static_cast<double>(view().workload().items); }
  [[nodiscard]] double remaining() const { return static_cast<double>(view().remaining()); }
  [[nodiscard]] double grain() const { return static_cast<double>(view().workload().grain_items); }
  /// Whether no block is outstanding, work remains, and at least one unit is present: the end of a
  /// barrier. To be asked in `on_idle` and in `on_unit_lost`: the unit that all others wait for may
  /// be lost at the moment its last block comes back, and then no UnitIdle follows.
  [[nodiscard]] bool all_are_back() const {
    return view().outstanding() == 0 && view().remaining() > 0 &&
           std::ranges::any_of(view().units(), &UnitState::present);
  }

  /// Called with every event, before the function for its kind.
  virtual void on_event(const Event& /*event*/) {}
  virtual void on_run() {}
  virtual void on_phase() {}
  virtual void on_iteration() {}
  virtual void on_finished(const BlockFinished& /*finished*/) {}
  virtual void on_block_lost(const BlockLost& /*lost*/) {}
  virtual void on_unit_lost(UnitId /*unit*/) {}
  virtual void on_unit_joined(UnitId /*unit*/) {}
  virtual void on_idle(UnitId /*unit*/) {}
  virtual void on_timer(std::uint64_t /*timer*/) {}
  virtual void on_late_end(const LateEnd& /*late*/) {}
  virtual void on_probed(const Probed& /*probed*/) {}

 private:
  void on(const RunStarted& /*run*/) { on_run(); }
  void on(const PhaseStarted& /*phase*/) { on_phase(); }
  void on(const IterationStarted& /*iteration*/) { on_iteration(); }
  void on(const BlockFinished& finished) { on_finished(finished); }
  void on(const BlockLost& lost) { on_block_lost(lost); }
  void on(const UnitLost& lost) { on_unit_lost(lost.unit); }
  void on(const UnitJoined& joined) { on_unit_joined(joined.unit); }
  void on(const UnitIdle& idle) { on_idle(idle.unit); }
  void on(const TimerFired& fired) { on_timer(fired.timer); }
  void on(const LateEnd& late) { on_late_end(late); }
  void on(const Probed& probed) { on_probed(probed); }

  const View* view_ = nullptr;
  Decisions* decisions_ = nullptr;
  Seconds at_;
};

}  // namespace equipoise
