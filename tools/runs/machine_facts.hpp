// What files say of the machine on which the program runs.
#pragma once

#include "shared_policies/records/facts.hpp"

namespace equipoise {

/// Name, processor, hardware threads, bytes of memory.
[[nodiscard]] Facts machine_facts();

}  // namespace equipoise
