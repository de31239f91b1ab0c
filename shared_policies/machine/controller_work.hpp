// What the controller, which takes reports and hands out blocks one after another, has to do for
// each of them.
#pragma once

#include <algorithm>
#include <string>
#include <tuple>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/records/description.hpp"

namespace equipoise {

/// The time that the controller of a run is busy. While it is, further reports wait.
struct ControllerWork {
  Seconds report{};     ///< with the end of a block or probe, until it can hand out the next block
  Seconds block{};      ///< with handing out a block or probe
  double byte_s = 0.0;  ///< with a byte of a block's input and results
  /// The unit of the trace that computes on the controller's core, and stands still while the
  /// controller is busy. Empty: none.
  std::string shares_core_of{};

  bool operator==(const ControllerWork&) const = default;
};

constexpr auto describe(DescriptionOf<ControllerWork> /*of*/) {
  return std::tuple(
      member("report_s", &ControllerWork::report,
             "work for the report that a block has ended, from noticing it until the next block "
             "can be handed out")
          .cost(),
      member("block_s", &ControllerWork::block, "work for handing out one block").cost().may_lack(),
      member("byte_s", &ControllerWork::byte_s,
             "work for each byte of a block's input and results, in s")
          .in("s")
          .at_least(0)
          .at_most(1)
          .may_lack(),
      member("shares_core_of", &ControllerWork::shares_core_of,
             "the unit that computes on the controller's core and stands still while the "
             "controller is busy")
          .if_any());
}

/// How long a block that was handed out is under way to its unit and back if all of it takes
/// `dispatch`, which contains the work for handing it out.
[[nodiscard]] inline Seconds under_way(Seconds dispatch, const ControllerWork& work) {
  return std::max(Seconds{}, dispatch - work.block);
}

}  // namespace equipoise
