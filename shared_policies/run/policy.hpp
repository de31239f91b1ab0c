// The interface that every policy implements.
#pragma once

#include "shared_policies/model/decision.hpp"
#include "shared_policies/model/event.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Decides where work goes: a deterministic function of the events it has been given.
class Policy {
 public:
  Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;
  virtual ~Policy() = default;

  /// Reacts to `event`, which `view` already includes, through `decisions`: what is asked for
  /// there has happened when the call returns, and `view` shows it.
  /// Called once per event, in order, never concurrently; the first event is RunStarted.
  /// To ask for nothing is to wait.
  virtual void decide(const View& view, const Event& event, Decisions& decisions) = 0;
};

}  // namespace equipoise
