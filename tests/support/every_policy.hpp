// The names of all policies of the catalog, for tests that run with each of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"

namespace equipoise {

inline std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const PolicyInfo& info : policy_catalog()) names.push_back(info.name);
  return names;
}

/// A policy's name as part of a test's name, which has letters and digits only.
inline std::string in_test_name(std::string policy) {
  std::erase_if(policy, [](char c) { return c == '-'; });
  return policy;
}
inline std::string policy_in_test_name(const testing::TestParamInfo<std::string>& test) {
  return in_test_name(test.param);
}

}  // namespace equipoise
