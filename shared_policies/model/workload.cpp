// What makes a workload legal.
#include "shared_policies/model/workload.hpp"

#include <cmath>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

void Workload::validate(const std::string& where) const {
  if (items < 1) {
    throw InputError(where, "a workload needs at least one item; give a larger size");
  }
  if (grain_items < 1) throw InputError(where, "the grain must be at least one item");
  if (iterations < 1) throw InputError(where, "a workload needs at least one iteration");
  const std::pair<const char*, double> sizes[] = {{"in_bytes", in_bytes_per_item},
                                                  {"out_bytes", out_bytes_per_item},
                                                  {"resident_bytes", resident_bytes},
                                                  {"memory_bytes", memory_bytes_per_item},
                                                  {"flop", flop_per_item}};
  for (const auto& [name, value] : sizes) {
    if (!std::isfinite(value) || value < 0.0) {
      throw InputError(where, std::string(name) + " must be finite and not negative");
    }
    if (value * static_cast<double>(items) > 9e18) {
      throw InputError(where,
                       std::string(name) + " times the items overflows; give a smaller size");
    }
  }
}

}  // namespace equipoise
