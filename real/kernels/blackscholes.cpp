// Option pricing: a kernel that streams through memory and computes a little for every item.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/option_check.hpp"
#include "real/kernels/option_price.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

constexpr double rate = 0.03;
constexpr std::size_t inputs = 4;   ///< spot, strike, years, volatility
constexpr std::size_t results = 2;  ///< call, put

/// Columns of options, inputs first, then results.
using Columns = std::array<Buffer, inputs + results>;

Columns make_columns(Items count) {
  Columns columns;
  for (Buffer& column : columns) column = Buffer(static_cast<std::size_t>(count));
  return columns;
}

OptionColumns pointers(Columns& c) {
  return {c[0].data(), c[1].data(), c[2].data(), c[3].data(), c[4].data(), c[5].data()};
}

class BlackscholesSide final : public UnitKernel {
 public:
  BlackscholesSide(Columns& host, Items items_max) : host_(host), own_(make_columns(items_max)) {}

  void copy_resident() override {}

  void copy_in(const Block& block) override {
    for (std::size_t i = 0; i < inputs; ++i) {
      std::copy_n(host_[i].data() + block.first, block.items, own_[i].data());
    }
  }

  void compute(const Block& block, ThreadTeam& team) override {
    const OptionColumns columns = pointers(own_);
    team.run(block.items, [&](Items first, Items items) {
      price_options(columns, static_cast<std::size_t>(first), static_cast<std::size_t>(items),
                    rate);
    });
  }

  void copy_out(const Block& block) override {
    for (std::size_t i = inputs; i < inputs + results; ++i) {
      std::copy_n(own_[i].data(), block.items, host_[i].data() + block.first);
    }
  }

 private:
  Columns& host_;
  Columns own_;
};

class Blackscholes final : public Kernel {
 public:
  Blackscholes(Items options, int iterations) {
    workload_.kernel = "blackscholes";
    workload_.items = options;
    workload_.iterations = iterations;
    workload_.in_bytes_per_item = inputs * sizeof(double);
    workload_.out_bytes_per_item = results * sizeof(double);
    workload_.memory_bytes_per_item = (inputs + results) * sizeof(double);
    // Additions, multiplications, divisions and roots of option_price.cpp, for one option.
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
    columns_ = make_columns(workload_.items);
    constexpr double low[inputs] = {10.0, 10.0, 0.1, 0.1};
    constexpr double high[inputs] = {100.0, 100.0, 5.0, 0.6};
    for (std::size_t i = 0; i < inputs; ++i) {
      std::uint64_t position = i << 60;
      for (double& value : columns_[i].span()) {
        value = seeded_number(seed, position++, low[i], high[i]);
      }
    }
    clear_results();
  }

  void clear_results() override {
    for (std::size_t i = inputs; i < inputs + results; ++i) {
      std::ranges::fill(columns_[i].span(), std::numeric_limits<double>::quiet_NaN());
    }
  }

  std::unique_ptr<UnitKernel> make_cpu_side(Items items_max) override {
    return std::make_unique<BlackscholesSide>(columns_, items_max);
  }

  Verification verify() const override {
    return check_options({columns_[0].data(), columns_[1].data(), columns_[2].data(),
                          columns_[3].data(), columns_[4].data(), columns_[5].data()},
                         static_cast<std::size_t>(workload_.items), rate);
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
