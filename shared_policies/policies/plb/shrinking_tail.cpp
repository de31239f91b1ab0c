// Counts the steps of the tail.
#include "shared_policies/policies/plb/shrinking_tail.hpp"

#include <algorithm>
#include <cmath>

namespace equipoise {

void ShrinkingTail::step(const View& view) {
  const Items all = view.workload().items;
  Items passed = all - view.remaining();
  if (options_.from == TailFrom::processed) {
    for (const UnitState& unit : view.units()) {
      for (const OutstandingBlock& out : unit.outstanding) passed -= out.block.items;
    }
  }
  if (static_cast<double>(passed) >= options_.start * static_cast<double>(all)) ++steps_;
}

double ShrinkingTail::factor() const {
  const int exponent = options_.rule == TailRule::compounding ? steps_ : std::min(steps_, 1);
  return std::pow(1.0 - options_.shrink, exponent);
}

}  // namespace equipoise
