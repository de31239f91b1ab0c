// What the controller of a real run does between the times in which it waits.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// How long the controller of a run was busy with each report and each block that it handed out.
struct ControllerTimes {
  std::vector<double> report_s;
  std::vector<double> block_s;

  /// Appends the times of another run.
  void add(const ControllerTimes& other) {
    report_s.insert(report_s.end(), other.report_s.begin(), other.report_s.end());
    block_s.insert(block_s.end(), other.block_s.begin(), other.block_s.end());
  }

  /// At `now` the executor tells that a unit has ended a block.
  void told(Seconds now) { told_ = now; }
  /// At `now` the executor is given the next block, or begins to wait.
  void asked(Seconds now) {
    if (told_) report_s.push_back((now - *std::exchange(told_, std::nullopt)).value);
  }

 private:
  std::optional<Seconds> told_;
};

}  // namespace equipoise
