// Option pricing by the closed formula: a kernel that streams data through memory and computes
// little for every item.
#include <span>

#include "real/kernels/blackscholes/option_check.hpp"
#include "real/kernels/blackscholes/option_price.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/columns.hpp"
#include "real/kernels/option_inputs.hpp"

namespace equipoise {
namespace {

constexpr std::size_t results = 2;  ///< call, put

class Blackscholes final : public Kernel {
 public:
  Blackscholes(Items options, int iterations) {
    workload_.kernel = "blackscholes";
    workload_.items = options;
    workload_.iterations = iterations;
    workload_.in_bytes_per_item = option_inputs * sizeof(double);
    workload_.out_bytes_per_item = results * sizeof(double);
    workload_.memory_bytes_per_item = (option_inputs + results) * sizeof(double);
    // Additions, multiplications, divisions and square roots in option_price.cpp for one option.
    workload_.flop_per_item = 205.0;
    workload_.parameters = {{"options", static_cast<double>(options)}};
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "option"; }
  std::map<std::string, double> problem() const override { return {}; }
  double host_bytes() const override {
    return workload_.memory_bytes_per_item * static_cast<double>(workload_.items);
  }

  void allocate(std::uint64_t seed) override {
    columns_ = make_columns(option_inputs + results, workload_.items);
    make_options(seed, std::span(columns_).first(option_inputs));
    data_ = data_of_columns(columns_, option_inputs);
    clear_results();
  }

  void clear_results() override { fill_with_nan(std::span(columns_).subspan(option_inputs)); }

  const KernelData& data() const override { return data_; }

  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of([](const StagedBlock& block, Items first, Items items) {
      price_options({block.input<double>(0), block.input<double>(1), block.input<double>(2),
                     block.input<double>(3), block.result<double>(0), block.result<double>(1)},
                    static_cast<std::size_t>(first), static_cast<std::size_t>(items), option_rate);
    });
  }

  Verification verify() const override {
    return check_options({columns_[0].data(), columns_[1].data(), columns_[2].data(),
                          columns_[3].data(), columns_[4].data(), columns_[5].data()},
                         static_cast<std::size_t>(workload_.items), option_rate);
  }

 private:
  Workload workload_;
  Columns columns_;
  KernelData data_;
};

}  // namespace

std::unique_ptr<Kernel> make_blackscholes(const Parameters& parameters) {
  return std::make_unique<Blackscholes>(parameters.items("options", 0), iterations_of(parameters));
}

}  // namespace equipoise
