// What a shared library with a policy exports, so that `--policy ./mine.so` can load it. The only
// header of ours that a policy outside of this tree has to include.
#pragma once

#include <string>
#include <vector>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/policies/interface_id.hpp"  // written by the build

/// The value of a macro as text; the macro's name if it is not defined.
#define EQUIPOISE_AS_TEXT(macro) EQUIPOISE_QUOTED(macro)
#define EQUIPOISE_QUOTED(text) #text

/// With what a library was compiled: the headers of Equipoise and the C++ library. It stands in the
/// library's file as text between this beginning and a zero, so that it can be read without running
/// the library.
#define EQUIPOISE_POLICY_STAMP_BEGIN "equipoise policy library, built for "
#define EQUIPOISE_POLICY_STAMP \
  EQUIPOISE_INTERFACE ", libstdc++ " EQUIPOISE_AS_TEXT(_GLIBCXX_RELEASE)

namespace equipoise {

static_assert(sizeof(std::string) == 4 * sizeof(void*) &&
                  sizeof(std::vector<int>) == 3 * sizeof(void*),
              "compile policies without _GLIBCXX_DEBUG and with _GLIBCXX_USE_CXX11_ABI=1");

/// What the exported function returns. A constant, so that nothing runs before the stamp is known:
///
///     const equipoise::PolicyLibrary* equipoise_policy() {
///       static constexpr equipoise::PolicyLibrary library{.info = mine_info};
///       return &library;
///     }
struct PolicyLibrary {
  const char* stamp = EQUIPOISE_POLICY_STAMP_BEGIN EQUIPOISE_POLICY_STAMP;
  PolicyInfo (*info)() = nullptr;  ///< the policy, as a row of the catalog
};

}  // namespace equipoise

/// The one function that a policy library exports. The program calls it once, after the stamp was
/// found to be its own; the result must live as long as the library.
extern "C" [[gnu::visibility("default")]] const equipoise::PolicyLibrary* equipoise_policy();
