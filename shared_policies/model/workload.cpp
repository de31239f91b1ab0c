// What is sent of a workload's resident data, and checks that it is valid.
#include "shared_policies/model/workload.hpp"

#include <cmath>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

double Workload::first_bytes(int iteration) const {
  if (distribution == Distribution::master) return resident_bytes;
  return iteration == 0 ? 0.0 : iteration_bytes;
}

void Workload::validate(const std::string& where) const {
  if (items < 1) throw InputError(where, "a workload needs at least one item; give a larger size");
  if (grain_items < 1)
    throw InputError(where, "the grain must be at least one item; give a larger one");
  if (iterations < 1)
    throw InputError(where, "a workload needs at least one iteration; give iterations=1 or more");
  const std::pair<const char*, double> sizes[] = {
      {"in_bytes_per_item", in_bytes_per_item}, {"out_bytes_per_item", out_bytes_per_item},
      {"resident_bytes", resident_bytes},       {"iteration_bytes", iteration_bytes},
      {"resident_memory_bytes", bytes_kept()},  {"memory_bytes_per_item", memory_bytes_per_item},
      {"flop_per_item", flop_per_item}};
  for (const auto& [name, value] : sizes) {
    if (!std::isfinite(value) || value < 0.0) {
      throw InputError(where,
                       std::string(name) + " must be finite and not negative; give another number");
    }
    if (value * static_cast<double>(items) > 9e18) {
      throw InputError(where,
                       std::string(name) + " times the items overflows; give a smaller size");
    }
  }
  if (iteration_bytes > resident_bytes) {
    throw InputError(where,
                     "iteration_bytes are a part of resident_bytes; give no more than these");
  }
}

}  // namespace equipoise
