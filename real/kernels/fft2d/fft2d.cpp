// Batches of 2-D Fourier transforms. Every item is one independent array, and the output is as
// large as the input.
//
// Source: the workload of the hierarchical scheduling paper (Ilic, Sousa), 1024 transforms of 512 x
// 512 complex doubles, forward and inverse, divided among units transform by transform. The arrays
// of a block are copied to the unit, and arrays of the same size back. See
// real/kernels/fft2d/fourier_transform.hpp for the computation.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/fft2d/fourier_check.hpp"
#include "real/kernels/fft2d/fourier_transform.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

/// Arrays on the host.
struct Arrays {
  Buffer in;
  Buffer out;
};

class Fft2d final : public Kernel {
 public:
  Fft2d(Items transforms, const FourierShape& shape, int iterations) : shape_(shape) {
    const auto points = static_cast<double>(shape.points());
    const double bytes = 2.0 * points * sizeof(double);
    workload_.kernel = "fft2d";
    workload_.items = transforms;
    workload_.iterations = iterations;
    workload_.in_bytes_per_item = bytes;
    workload_.out_bytes_per_item = bytes;
    workload_.memory_bytes_per_item = 2.0 * bytes;
    // Transforms are counted by the usual 5 N log2 N for each direction; the filter adds one
    // addition and two multiplications per number.
    const double one_way = 5.0 * points * std::log2(points);
    workload_.flop_per_item = shape.directions == 1 ? one_way : 2.0 * one_way + 3.0 * points;
    workload_.parameters = problem();
    workload_.parameters["transforms"] = static_cast<double>(transforms);
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "2-D FFT"; }
  std::map<std::string, double> problem() const override {
    return {{"rows", static_cast<double>(shape_.rows)},
            {"columns", static_cast<double>(shape_.columns)},
            {"directions", static_cast<double>(shape_.directions)}};
  }
  double host_bytes() const override {
    return workload_.memory_bytes_per_item * static_cast<double>(workload_.items) +
           static_cast<double>(shape_.rows + shape_.columns) * sizeof(double);
  }

  void allocate(std::uint64_t seed) override {
    const std::size_t all = numbers() * static_cast<std::size_t>(workload_.items);
    arrays_.in = Buffer(all);
    arrays_.out = Buffer(all);
    fourier_ = std::make_shared<const FourierTransform>(shape_);
    std::uint64_t position = 0;
    for (double& value : arrays_.in.span()) value = seeded_number(seed, position++, -1.0, 1.0);
    data_ = {{input_rows(arrays_.in.data(), numbers())},
             {result_rows(arrays_.out.data(), numbers())},
             {},
             {arrays_.in.fixed()}};
    clear_results();
  }

  void clear_results() override { fill_with_nan(arrays_.out); }

  const KernelData& data() const override { return data_; }

  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of([fourier = fourier_, numbers = numbers()](const StagedBlock& block,
                                                                         Items first, Items items) {
      Buffer room = fourier->make_room();
      const auto begin = static_cast<std::size_t>(first);
      for (std::size_t i = begin; i < begin + static_cast<std::size_t>(items); ++i) {
        fourier->transform(block.input<double>(0) + i * numbers,
                           block.result<double>(0) + i * numbers, room);
      }
    });
  }

  Verification verify() const override {
    return check_transforms(arrays_.in.data(), arrays_.out.data(),
                            static_cast<std::size_t>(workload_.items), shape_);
  }

 private:
  /// Doubles in one array.
  [[nodiscard]] std::size_t numbers() const { return 2 * shape_.points(); }

  FourierShape shape_;
  Workload workload_;
  Arrays arrays_;
  std::shared_ptr<const FourierTransform> fourier_;  ///< shared with all programs
  KernelData data_;
};

}  // namespace

std::unique_ptr<Kernel> make_fft2d(const Parameters& parameters) {
  constexpr Items side_max = Items{1} << 20;
  FourierShape shape;
  shape.rows = static_cast<std::size_t>(parameters.items("rows", 1, side_max));
  shape.columns = static_cast<std::size_t>(parameters.items("columns", 1, side_max));
  shape.directions = static_cast<int>(parameters.items("directions", 1, 2));
  return std::make_unique<Fft2d>(parameters.items("transforms", 0), shape,
                                 iterations_of(parameters));
}

}  // namespace equipoise
