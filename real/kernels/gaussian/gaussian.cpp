// A Gaussian blur of an image. Every item is one row, which needs the rows around it.
//
// A benchmark of the energy paper (Euro-Par 2017), which blurs 8000 x 8000 pixels with a filter of
// 81 x 81. The kernel computes the convolution in two dimensions, see
// real/kernels/gaussian/blur.hpp. Two one-dimensional passes would need a fortieth of the
// operations, but they would be bound by memory, and every block would repeat the first pass for
// the rows around it. The paper's benchmark is bound by arithmetic, like its n-body benchmark. Only
// the check uses two passes.
//
// The image lies on the host in a frame: its outermost rows and columns continue beyond its edges
// as far as the filter reaches. Copied to a unit: the framed rows of a block, and `radius` rows
// above and below them. Copied back: the block's rows. The bytes per item count only the rows of
// the block, which is right for large blocks; the 2 * radius rows around come in addition with
// every block.
#include <algorithm>
#include <span>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/gaussian/blur.hpp"
#include "real/kernels/gaussian/blur_check.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

/// The image before and after the blur, and the filter, on the host.
struct HostImages {
  Buffer in;   ///< (height + 2 r, stride), in its frame
  Buffer out;  ///< (height, width)
  std::vector<double> weights;
};

class Gaussian final : public Kernel {
 public:
  Gaussian(const BlurShape& shape, Items height, int iterations, Distribution distribution)
      : shape_(shape) {
    const auto width = static_cast<double>(shape.width);
    const auto taps = static_cast<double>(shape.taps());
    workload_.kernel = "gaussian";
    workload_.items = height;
    workload_.iterations = iterations;
    workload_.distribution = distribution;
    workload_.in_bytes_per_item = static_cast<double>(shape.stride()) * sizeof(double);
    workload_.out_bytes_per_item = width * sizeof(double);
    workload_.resident_bytes = taps * taps * sizeof(double);
    workload_.memory_bytes_per_item = workload_.in_bytes_per_item + workload_.out_bytes_per_item;
    workload_.flop_per_item = 2.0 * taps * taps * width;
    workload_.parameters = problem();
    workload_.parameters["height"] = static_cast<double>(height);
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "row of pixels"; }
  std::map<std::string, double> problem() const override {
    return {{"width", static_cast<double>(shape_.width)},
            {"radius", static_cast<double>(shape_.radius)}};
  }
  double host_bytes() const override {
    const auto frame = static_cast<double>(2 * shape_.radius);
    return workload_.memory_bytes_per_item * static_cast<double>(workload_.items) +
           workload_.in_bytes_per_item * frame + workload_.resident_bytes;
  }

  void allocate(std::uint64_t seed) override {
    images_ = {Buffer((height() + 2 * shape_.radius) * shape_.stride()),
               Buffer(height() * shape_.width), gaussian_weights(shape_.radius)};
    make_image(seed);
    InputRows in = input_rows(images_.in.data(), shape_.stride());
    in.further_rows = static_cast<Items>(2 * shape_.radius);
    data_ = {{in},
             {result_rows(images_.out.data(), shape_.width)},
             {resident_array(std::span<const double>(images_.weights))},
             {images_.in.fixed()}};
    clear_results();
  }

  void clear_results() override { fill_with_nan(images_.out); }

  const KernelData& data() const override { return data_; }

  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of(
        [shape = shape_](const StagedBlock& block, Items first, Items items) {
          const auto row = static_cast<std::size_t>(first);
          blur(shape, block.kept<double>(0), block.input<double>(0) + row * shape.stride(),
               static_cast<std::size_t>(items), block.result<double>(0) + row * shape.width);
        });
  }

  Verification verify() const override {
    return check_blur({.in = pixels(),
                       .in_stride = shape_.stride(),
                       .out = images_.out.data(),
                       .width = shape_.width,
                       .height = height(),
                       .radius = shape_.radius});
  }

 private:
  [[nodiscard]] std::size_t height() const { return static_cast<std::size_t>(workload_.items); }
  /// The image's first pixel, inside the frame.
  [[nodiscard]] const double* pixels() const {
    return images_.in.data() + shape_.radius * shape_.stride() + shape_.radius;
  }

  void make_image(std::uint64_t seed) {
    std::uint64_t position = 0;
    double* row = images_.in.data() + shape_.radius * shape_.stride();
    for (std::size_t y = 0; y < height(); ++y, row += shape_.stride()) {
      double* const first = row + shape_.radius;
      double* const end = first + shape_.width;
      for (double* pixel = first; pixel < end; ++pixel) {
        *pixel = seeded_number(seed, position++, 0.0, 1.0);
      }
      std::fill(row, first, *first);
      std::fill(end, row + shape_.stride(), end[-1]);
    }
    const std::span<double> all = images_.in.span();
    const std::size_t above = shape_.radius * shape_.stride();
    for (std::size_t y = 0; y < shape_.radius; ++y) {
      const std::size_t at = y * shape_.stride();
      std::ranges::copy(all.subspan(above, shape_.stride()), all.data() + at);
      std::ranges::copy(all.subspan(all.size() - above - shape_.stride(), shape_.stride()),
                        all.data() + (all.size() - at - shape_.stride()));
    }
  }

  BlurShape shape_;
  Workload workload_;
  HostImages images_;
  KernelData data_;
};

}  // namespace

std::unique_ptr<Kernel> make_gaussian(const Parameters& parameters) {
  constexpr Items side_max = Items{1} << 20;
  BlurShape shape;
  shape.width = static_cast<std::size_t>(parameters.items("width", 1, side_max));
  shape.radius = static_cast<std::size_t>(parameters.items("radius", 1, 1024));
  return std::make_unique<Gaussian>(shape, parameters.items("height", 1, side_max),
                                    iterations_of(parameters), distribution_of(parameters));
}

}  // namespace equipoise
