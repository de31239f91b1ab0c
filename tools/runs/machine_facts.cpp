// Lists what is known of this machine.
#include "tools/runs/machine_facts.hpp"

#include <cstdint>

#include "real/machine.hpp"

namespace equipoise {

Facts machine_facts() {
  const Machine& machine = this_machine();
  return {{"name", {machine.name}},
          {"cpu", {machine.cpu_model}},
          {"hardware_threads", {static_cast<std::int64_t>(machine.threads.size())}},
          {"memory_bytes", {machine.memory_bytes}}};
}

}  // namespace equipoise
