// Policies in shared libraries outside of the program: `--policy ./mine.so:k=v`.
#pragma once

#include <memory>
#include <string>

#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// A policy from a library.
struct LoadedPolicy {
  PolicyInfo info;   ///< like a row of the catalog
  std::string hash;  ///< of the file's contents, 16 hexadecimal digits
};

/// Whether the NAME of `--policy NAME[:k=v,...]` is the path of a library: it has a slash, or ends
/// in ".so".
[[nodiscard]] bool is_policy_library(const std::string& name);

/// Opens the library at the path `file` and returns its policy. Each library is opened once in a
/// process and never closed.
///
/// Nothing of it runs unless it was compiled with the headers and the standard library of this
/// program. Throws InputError at `file`: if it is missing, no shared library, or none of a policy;
/// if it was compiled for another equipoise, naming both; if it cannot be opened, throws, or what
/// it says of its policy cannot be used.
[[nodiscard]] const LoadedPolicy& load_policy(const std::string& file);

/// Makes the policy `info` of the library `file`, as `make_policy` does one of the catalog. What
/// its functions throw becomes an InputError at `file`, now and whenever it decides; what the run
/// itself throws while it carries out the policy's decisions is passed on.
[[nodiscard]] std::unique_ptr<Policy> make_loaded_policy(const PolicyInfo& info,
                                                         const std::string& file,
                                                         const PolicyInputs& inputs);

}  // namespace equipoise
