// A policy in a library, called NAME, or, if that is empty, with a function that throws instead of
// telling of it; for tests of the program.
#include <stdexcept>
#include <string>

#include "shared_policies/policies/policy_library.hpp"

namespace {

equipoise::PolicyInfo info() {
  equipoise::PolicyInfo info;
  info.name = NAME;
  if (info.name.empty()) throw std::runtime_error("no name yet");
  return info;
}

}  // namespace

const equipoise::PolicyLibrary* equipoise_policy() {
  static constexpr equipoise::PolicyLibrary library{.info = info};
  return &library;
}
