// The seeds of tests with random inputs, and the number of their rounds.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string_view>

namespace equipoise {

/// Returns a new random seed, or the one that was given on the command line. A test that fails
/// prints `--gtest_random_seed=N`; run with that option, it draws the same inputs again.
[[nodiscard]] inline unsigned random_seed() {
  const auto typed = static_cast<unsigned>(GTEST_FLAG_GET(random_seed));
  return typed != 0 ? typed : std::random_device{}() >> 1U;  // the flag is signed
}

/// The number of rounds for this run: `all` with EQUIPOISE_ROUNDS=all (`tools/test --thorough`),
/// otherwise a fifth of them, but at least 20.
[[nodiscard]] inline int rounds_of(int all) {
  const char* const asked = std::getenv("EQUIPOISE_ROUNDS");
  if (asked != nullptr && std::string_view(asked) == "all") return all;
  return std::min(all, std::max(20, all / 5));
}

}  // namespace equipoise
