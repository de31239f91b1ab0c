// Matrix multiplication C = A B. Every item is one row of C; B stays on the unit.
#include <utility>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/matmul/blas_module.hpp"
#include "real/kernels/matmul/product_check.hpp"
#include "real/kernels/seeded.hpp"
#include "shared_policies/modules/run_time_module.hpp"

namespace equipoise {
namespace {

constexpr RunTimeModule blas_module{
    .name = "equipoise_blas",
    .folder = "real",
    .refusal = "cannot multiply matrices",
    .remedy = "install OpenBLAS (Debian, Ubuntu: apt install libopenblas-dev) and build again",
    .instead = "choose another kernel"};

/// The three matrices on the host, row by row.
struct Matrices {
  Buffer a;
  Buffer b;
  Buffer c;
};

class Matmul final : public Kernel {
 public:
  Matmul(Items n, int iterations, Distribution distribution) : n_(n) {
    const auto size = static_cast<double>(n);
    workload_.kernel = "matmul";
    workload_.items = n;
    workload_.iterations = iterations;
    workload_.distribution = distribution;
    workload_.in_bytes_per_item = size * sizeof(double);
    workload_.out_bytes_per_item = size * sizeof(double);
    workload_.resident_bytes = size * size * sizeof(double);
    workload_.memory_bytes_per_item = 2.0 * size * sizeof(double);
    workload_.flop_per_item = 2.0 * size * size;
    workload_.parameters = {{"n", size}};
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "row"; }
  std::map<std::string, double> problem() const override { return workload_.parameters; }
  double host_bytes() const override { return 3.0 * workload_.resident_bytes; }

  void allocate(std::uint64_t seed) override {
    // A unit computes with its own pinned threads.
    open_module<BlasModule>(blas_module).use_one_thread();
    const auto elements = static_cast<std::size_t>(n_ * n_);
    matrices_ = {Buffer(elements), Buffer(elements), Buffer(elements)};
    std::uint64_t position = 0;
    for (double& value : matrices_.a.span()) value = seeded_number(seed, position++, -1.0, 1.0);
    for (double& value : matrices_.b.span()) value = seeded_number(seed, position++, -1.0, 1.0);
    const auto row = static_cast<std::size_t>(n_);
    data_ = {{input_rows(matrices_.a.data(), row)},
             {result_rows(matrices_.c.data(), row)},
             {resident_array(std::as_const(matrices_.b).span())},
             {matrices_.a.fixed(), matrices_.b.fixed()}};
    clear_results();
  }

  void clear_results() override { fill_with_nan(matrices_.c); }

  const KernelData& data() const override { return data_; }

  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of([n = n_, multiply = open_module<BlasModule>(blas_module).multiply](
                                   const StagedBlock& block, Items first, Items rows) {
      multiply(block.input<double>(0) + first * n, block.kept<double>(0),
               block.result<double>(0) + first * n, static_cast<int>(rows), static_cast<int>(n));
    });
  }

  Verification verify() const override {
    return check_product(matrices_.a.data(), matrices_.b.data(), matrices_.c.data(),
                         static_cast<std::size_t>(n_));
  }

 private:
  Items n_;
  Workload workload_;
  Matrices matrices_;
  KernelData data_;
};

}  // namespace

std::unique_ptr<Kernel> make_matmul(const Parameters& parameters) {
  // The limit keeps n^2 below 2^63 and n within OpenBLAS's int.
  return std::make_unique<Matmul>(parameters.items("n", 0, Items{1} << 30),
                                  iterations_of(parameters), distribution_of(parameters));
}

}  // namespace equipoise
