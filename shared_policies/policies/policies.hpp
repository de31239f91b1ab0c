// The makers of all policies, for the catalog. `known` may be null where a policy does not look
// ahead.
#pragma once

#include <memory>

#include "shared_policies/policies/catalog.hpp"

namespace equipoise {

[[nodiscard]] std::unique_ptr<Policy> make_greedy(const Parameters& parameters,
                                                  const KnownCosts* known);
[[nodiscard]] std::unique_ptr<Policy> make_static(const Parameters& parameters,
                                                  const KnownCosts* known);
[[nodiscard]] std::unique_ptr<Policy> make_plb_hec(const Parameters& parameters,
                                                   const KnownCosts* known);
[[nodiscard]] std::unique_ptr<Policy> make_optimum(const Parameters& parameters,
                                                   const KnownCosts* known);

}  // namespace equipoise
