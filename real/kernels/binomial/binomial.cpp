// Option pricing on a binomial lattice: a kernel with much computation and little data for every
// item.
//
// One item is one European call. Its spot, strike, years and volatility are copied to the unit, its
// price back. Source: Cox, Ross, Rubinstein (1979). The energy paper (Euro-Par 2017) prices
// 20,480,000 options with a sample of the AMD APP SDK; 254 steps are the default of that sample.
#include <span>

#include "real/kernels/binomial/lattice_check.hpp"
#include "real/kernels/binomial/lattice_price.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/columns.hpp"
#include "real/kernels/option_inputs.hpp"

namespace equipoise {
namespace {

class Binomial final : public Kernel {
 public:
  Binomial(Items options, std::size_t steps, int iterations) : steps_(steps) {
    const auto n = static_cast<double>(steps);
    workload_.kernel = "binomial";
    workload_.items = options;
    workload_.iterations = iterations;
    workload_.in_bytes_per_item = option_inputs * sizeof(double);
    workload_.out_bytes_per_item = sizeof(double);
    workload_.memory_bytes_per_item = (option_inputs + 1) * sizeof(double);
    // The steps (steps + 1) / 2 nodes before expiry need two multiplications and an addition each;
    // the steps + 1 nodes at expiry need a subtraction and a multiplication each.
    workload_.flop_per_item = 1.5 * n * (n + 1.0) + 2.0 * (n + 1.0);
    workload_.parameters = {{"options", static_cast<double>(options)}, {"steps", n}};
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "option"; }
  std::map<std::string, double> problem() const override {
    return {{"steps", static_cast<double>(steps_)}};
  }
  double host_bytes() const override {
    return workload_.memory_bytes_per_item * static_cast<double>(workload_.items);
  }

  void allocate(std::uint64_t seed) override {
    columns_ = make_columns(option_inputs + 1, workload_.items);
    make_options(seed, std::span(columns_).first(option_inputs));
    data_ = data_of_columns(columns_, option_inputs);
    clear_results();
  }

  void clear_results() override { fill_with_nan(std::span(columns_).subspan(option_inputs)); }

  const KernelData& data() const override { return data_; }

  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of(
        [steps = steps_](const StagedBlock& block, Items first, Items items) {
          price_on_lattice({block.input<double>(0), block.input<double>(1), block.input<double>(2),
                            block.input<double>(3), block.result<double>(0)},
                           static_cast<std::size_t>(first), static_cast<std::size_t>(items),
                           option_rate, steps);
        });
  }

  Verification verify() const override {
    return check_lattice_prices({columns_[0].data(), columns_[1].data(), columns_[2].data(),
                                 columns_[3].data(), columns_[4].data()},
                                static_cast<std::size_t>(workload_.items), option_rate, steps_);
  }

 private:
  std::size_t steps_;
  Workload workload_;
  Columns columns_;
  KernelData data_;
};

}  // namespace

std::unique_ptr<Kernel> make_binomial(const Parameters& parameters) {
  return std::make_unique<Binomial>(
      parameters.items("options", 0),
      static_cast<std::size_t>(parameters.items("steps", 1, lattice_steps_max)),
      iterations_of(parameters));
}

}  // namespace equipoise
