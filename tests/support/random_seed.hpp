// The seeds of tests that try what they draw.
#pragma once

#include <gtest/gtest.h>

#include <random>

namespace equipoise {

/// A new seed each time, or the one that was typed: a test that fails prints
/// `--gtest_random_seed=N`, and run with that it draws the same again.
[[nodiscard]] inline unsigned random_seed() {
  const auto typed = static_cast<unsigned>(GTEST_FLAG_GET(random_seed));
  return typed != 0 ? typed : std::random_device{}() >> 1U;  // the flag is signed
}

}  // namespace equipoise
