// The makers of all policies, for the catalog. Parameters are complete and known by name here.
#pragma once

#include <memory>

#include "shared_policies/policies/catalog.hpp"

namespace equipoise {

[[nodiscard]] std::unique_ptr<Policy> make_greedy(const PolicyInputs& inputs);
[[nodiscard]] std::unique_ptr<Policy> make_static(const PolicyInputs& inputs);
[[nodiscard]] std::unique_ptr<Policy> make_plb_hec(const PolicyInputs& inputs);
[[nodiscard]] std::unique_ptr<Policy> make_optimum(const PolicyInputs& inputs);

}  // namespace equipoise
