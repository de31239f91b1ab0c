// A kernel that computes nothing, to measure all other costs of a run.
#include "real/kernels/catalog.hpp"

namespace equipoise {
namespace {

class EmptySide final : public UnitKernel {
 public:
  void copy_resident() override {}
  void copy_in(const Block& /*block*/) override {}
  void compute(const Block& /*block*/, ThreadTeam& /*team*/) override {}
  void copy_out(const Block& /*block*/) override {}
};

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
  std::unique_ptr<UnitKernel> make_cpu_side(Items /*items_max*/) override {
    return std::make_unique<EmptySide>();
  }
  Verification verify() const override { return {true, "there is nothing to check"}; }

 private:
  Workload workload_;
};

}  // namespace

std::unique_ptr<Kernel> make_empty(const Parameters& parameters) {
  return std::make_unique<Empty>(parameters.items("items", 0), iterations_of(parameters));
}

}  // namespace equipoise
