// A kernel that computes nothing, to measure all other costs of a run.
#include "real/kernels/catalog.hpp"

namespace equipoise {
namespace {

class Empty final : public Kernel {
 public:
  Empty(Items items, int iterations) {
    workload_.kernel = "empty";
    workload_.items = items;
    workload_.iterations = iterations;
    workload_.parameters = {{"items", static_cast<double>(items)}};
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "item"; }
  std::map<std::string, double> problem() const override { return {}; }
  double host_bytes() const override { return 0.0; }
  void allocate(std::uint64_t /*seed*/) override {}
  void clear_results() override {}
  const KernelData& data() const override { return data_; }
  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of([](const StagedBlock&, Items /*first*/, Items /*items*/) {});
  }
  Verification verify() const override { return {true, "there is nothing to check"}; }

 private:
  Workload workload_;
  KernelData data_;
};

}  // namespace

std::unique_ptr<Kernel> make_empty(const Parameters& parameters) {
  return std::make_unique<Empty>(parameters.items("items", 0), iterations_of(parameters));
}

}  // namespace equipoise
