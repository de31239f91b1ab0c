// Machines on which plb-hac is tested.
#pragma once

#include "tests/support/policy_schedule.hpp"

namespace equipoise {

/// Units of 10, 5, 1 and 0.5 items per second.
inline PolicyTest four_speeds(Items items) {
  PolicyTest test;
  test.policy = "plb-hac";
  test.parameters = {{"initial_block_items", "10"}};
  test.items = items;
  for (const double speed : {10.0, 5.0, 1.0, 0.5}) {
    add_affine(test, 0.0, 1.0 / speed);
  }
  return test;
}

/// Two units of 10 items per second.
inline PolicyTest two_alike(Items items) {
  PolicyTest test;
  test.policy = "plb-hac";
  test.parameters = {{"initial_block_items", "10"}, {"step_fraction", "0.1"}};
  test.items = items;
  add_affine(test, 0.0, 0.1);
  add_affine(test, 0.0, 0.1);
  return test;
}

}  // namespace equipoise
