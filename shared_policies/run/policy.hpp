// The interface that every policy implements.
#pragma once

#include "shared_policies/model/decision.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Decides which unit gets which work. What it does must follow from the events that it was given
/// alone, so that a recorded run can be checked and repeated: no clock, no chance, no threads.
class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  /// Reacts to `event`, which `view` already includes, through `decisions`. Each call on
  /// `decisions` takes effect before it returns, and `view` shows the effect. Called once per
  /// event, in order, never concurrently; the first event is RunStarted. A policy that wants to
  /// wait calls nothing; if it then gives out nothing although no block is outstanding and it waits
  /// for no timer or probe, the run loop does the rest of the work without it.
  ///
  /// With `backup=on` (policies/backup_tasks.hpp), copies of its blocks are given around it. It
  /// hears of its own blocks only; the View shows the copies among the outstanding blocks.
  virtual void decide(const View& view, const Event& event, Decisions& decisions) = 0;
};

}  // namespace equipoise
