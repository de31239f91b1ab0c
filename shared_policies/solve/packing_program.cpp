// Opens the Clp module.
#include "shared_policies/solve/packing_program.hpp"

#include "shared_policies/modules/run_time_module.hpp"

namespace equipoise {
namespace {

constexpr RunTimeModule clp_module{
    .name = "equipoise_clp",
    .folder = "shared_policies",
    .refusal = "cannot compute a lower bound",
    .remedy = "install Clp (Debian, Ubuntu: apt install coinor-libclp-dev) and build again"};

}  // namespace

std::unique_ptr<PackingSolver> make_packing_solver() {
  return open_module<ClpModule>(clp_module).make_solver();
}

}  // namespace equipoise
