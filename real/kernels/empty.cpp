// A kernel that computes nothing, to measure all other costs of a run.
#include "real/kernels/catalog.hpp"

namespace equipoise {
namespace {

class Empty final : public Kernel {
 public:
  explicit Empty(const Parameters& parameters)
      : Kernel("empty", "item", parameters.items("items", 0), parameters) {
    set_problem("items", {});
  }

  void allocate(std::uint64_t /*seed*/) override {}
  void clear_results() override {}
  CpuProgram make_cpu_program() const override {
    return [](const StagedBlock&, std::size_t /*first*/, std::size_t /*items*/) {};
  }
  Verification verify() const override { return {true, "there is nothing to check"}; }
};

}  // namespace

std::unique_ptr<Kernel> make_empty(const Parameters& parameters) {
  return std::make_unique<Empty>(parameters);
}

}  // namespace equipoise
