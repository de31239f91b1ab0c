// Solves packing programs with Clp, which is in a module.
#include "shared_policies/solve/packing_program.hpp"

#include <optional>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/modules/run_time_module.hpp"
#include "shared_policies/solve/clp_module.hpp"

namespace equipoise {
namespace {

constexpr RunTimeModule clp_module{
    .name = "equipoise_clp",
    .folder = "shared_policies",
    .refusal = "cannot compute a lower bound",
    .remedy = "install Clp (Debian, Ubuntu: apt install coinor-libclp-dev) and build again"};

}  // namespace

PackingSolver::PackingSolver() = default;
PackingSolver::~PackingSolver() = default;

Packing PackingSolver::solve(const PackingProblem& problem) {
  if (model_ == nullptr) model_ = open_module<ClpModule>(clp_module).make_model();
  std::optional<Packing> packing = model_->solve(problem);
  EQ_CHECK(packing.has_value(), "a packing program has an optimum");
  return std::move(*packing);
}

}  // namespace equipoise
