// The seeds of tests that try what they draw, and how much they draw.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string_view>

namespace equipoise {

/// A new seed each time, or the one that was typed: a test that fails prints
/// `--gtest_random_seed=N`, and run with that it draws the same again.
[[nodiscard]] inline unsigned random_seed() {
  const auto typed = static_cast<unsigned>(GTEST_FLAG_GET(random_seed));
  return typed != 0 ? typed : std::random_device{}() >> 1U;  // the flag is signed
}

/// Of so many rounds, those that this run takes: all where EQUIPOISE_ROUNDS=all
/// (`tools/test --thorough`), else a fifth, but at least 20.
[[nodiscard]] inline int rounds_of(int all) {
  const char* const asked = std::getenv("EQUIPOISE_ROUNDS");
  if (asked != nullptr && std::string_view(asked) == "all") return all;
  return std::min(all, std::max(20, all / 5));
}

}  // namespace equipoise
