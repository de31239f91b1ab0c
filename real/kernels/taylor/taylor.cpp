// The Taylor series of a function of two variables at many points: only multiplications and
// additions.
//
// The function is f(x, y) = ln sqrt((1 + x)^2 + y^2). Its series about (0, 0) converges so slowly
// that a thousand terms make sense. One item is one point: x and y are copied to the unit, the
// value is copied back. Each unit computes the coefficients itself.
//
// Source: the energy paper (Euro-Par 2017) computes "a bidimensional Taylor approximation for a set
// of points", a mesh of 1000 by 1000. It states neither the function nor the number of terms. Our
// points are random.
#include <span>

#include "real/kernels/catalog.hpp"
#include "real/kernels/columns.hpp"
#include "real/kernels/seeded.hpp"
#include "real/kernels/taylor/taylor_check.hpp"
#include "real/kernels/taylor/taylor_series.hpp"

namespace equipoise {
namespace {

constexpr std::size_t inputs = 2;  ///< x, y
/// Points lie in the square from -half_width to half_width, at most 0.95 from its centre.
constexpr double half_width = 0.67;

class Taylor final : public Kernel {
 public:
  Taylor(Items points, std::size_t terms, int iterations) : terms_(terms) {
    workload_.kernel = "taylor";
    workload_.items = points;
    workload_.iterations = iterations;
    workload_.in_bytes_per_item = inputs * sizeof(double);
    workload_.out_bytes_per_item = sizeof(double);
    workload_.memory_bytes_per_item = (inputs + 1) * sizeof(double);
    // Two multiplications and two additions per term, and 9 operations before and after them.
    workload_.flop_per_item = 4.0 * static_cast<double>(terms) + 9.0;
    workload_.parameters = {{"points", static_cast<double>(points)},
                            {"terms", static_cast<double>(terms)}};
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "point"; }
  std::map<std::string, double> problem() const override {
    return {{"terms", static_cast<double>(terms_)}};
  }
  double host_bytes() const override {
    return workload_.memory_bytes_per_item * static_cast<double>(workload_.items);
  }

  void allocate(std::uint64_t seed) override {
    columns_ = make_columns(inputs + 1, workload_.items);
    for (std::size_t i = 0; i < inputs; ++i) {
      std::uint64_t position = std::uint64_t{i} << 60;
      for (double& value : columns_[i].span()) {
        value = seeded_number(seed, position++, -half_width, half_width);
      }
    }
    data_ = data_of_columns(columns_, inputs);
    clear_results();
  }

  void clear_results() override { fill_with_nan(std::span(columns_).subspan(inputs)); }

  const KernelData& data() const override { return data_; }

  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of([coefficients = logarithm_series(terms_)](const StagedBlock& block,
                                                                         Items first, Items items) {
      evaluate_series(block.input<double>(0), block.input<double>(1), block.result<double>(0),
                      static_cast<std::size_t>(first), static_cast<std::size_t>(items),
                      coefficients);
    });
  }

  Verification verify() const override {
    return check_series(columns_[0].span(), columns_[1].span(), columns_[2].span(), terms_);
  }

 private:
  std::size_t terms_;
  Workload workload_;
  Columns columns_;
  KernelData data_;
};

}  // namespace

std::unique_ptr<Kernel> make_taylor(const Parameters& parameters) {
  constexpr Items terms_max = 1'000'000;
  return std::make_unique<Taylor>(parameters.items("points", 0),
                                  static_cast<std::size_t>(parameters.items("terms", 1, terms_max)),
                                  iterations_of(parameters));
}

}  // namespace equipoise
