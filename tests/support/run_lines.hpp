// Reads run files and other JSON Lines in tests.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace equipoise {

inline std::vector<nlohmann::json> json_lines(const std::string& path) {
  std::vector<nlohmann::json> all;
  for (const std::string& line : lines_of(read_text(path))) {
    all.push_back(nlohmann::json::parse(line));
  }
  return all;
}

/// Expects that the blocks of a run file cover each of the items 0 .. items-1 once.
inline void expect_covered(const std::vector<nlohmann::json>& run, long items) {
  std::map<long, long> blocks;
  for (const nlohmann::json& line : run) {
    if (line.contains("first_item")) blocks[line.at("first_item")] += line.at("items").get<long>();
  }
  long at = 0;
  for (const auto& [first, count] : blocks) {
    ASSERT_EQ(first, at);
    at += count;
  }
  EXPECT_EQ(at, items);
}

}  // namespace equipoise
