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
    clear_results();
  }

  void clear_results() override { fill_with_nan(std::span(columns_).subspan(option_inputs)); }

  std::unique_ptr<UnitKernel> make_cpu_side(Items items_max) override {
    return make_column_side(
        columns_, option_inputs, items_max, [](Columns& c, std::size_t first, std::size_t count) {
          price_options(
              {c[0].data(), c[1].data(), c[2].data(), c[3].data(), c[4].data(), c[5].data()}, first,
              count, option_rate);
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
};

}  // namespace

std::unique_ptr<Kernel> make_blackscholes(const Parameters& parameters) {
  return std::make_unique<Blackscholes>(parameters.items("options", 0), iterations_of(parameters));
}

}  // namespace equipoise
