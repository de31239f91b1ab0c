// Names of all policies of the catalog, for tests that take one after another.
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

/// The part of a test's name that is the policy's: letters and digits only.
inline std::string policy_in_test_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  std::erase_if(name, [](char c) { return c == '-'; });
  return name;
}

}  // namespace equipoise
