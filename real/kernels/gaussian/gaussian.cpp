// A Gaussian blur of an image. Every item is one row, which needs the rows around it.
//
// A benchmark of the energy paper (Euro-Par 2017), which blurs 8000 x 8000 pixels with a filter of
// 81 x 81. The kernel computes the convolution in two dimensions, see
// real/kernels/gaussian/blur.hpp. Two one-dimensional passes would need a fortieth of the
// operations, but they would be bound by memory, and every block would repeat the first pass for
// the rows around it. The paper's benchmark is bound by arithmetic, like its n-body benchmark. Only
// the check uses two passes.
//
// Copied to a unit: the rows of a block and `radius` rows above and below it, where the image's
// outermost rows and columns continue beyond its edges. Copied back: the block's rows. The bytes
// per item count only the rows of the block, which is right for large blocks; the 2 * radius rows
// around come in addition with every block.
#include <algorithm>
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
  Buffer in;
  Buffer out;
  std::vector<double> weights;
};

class GaussianSide final : public UnitKernel {
 public:
  GaussianSide(HostImages& host, const BlurShape& shape, Items height, Items items_max)
      : host_(host),
        shape_(shape),
        height_(height),
        weights_(shape.taps() * shape.taps()),
        in_((static_cast<std::size_t>(items_max) + 2 * shape.radius) * shape.stride()),
        out_(static_cast<std::size_t>(items_max) * shape.width) {}

  void copy_resident() override { std::ranges::copy(host_.weights, weights_.data()); }

  void copy_in(const Block& block) override {
    const auto radius = static_cast<Items>(shape_.radius);
    double* to = in_.data();
    for (Items row = block.first - radius; row < block.first + block.items + radius; ++row) {
      const Items from = std::clamp<Items>(row, 0, height_ - 1);
      const double* const pixels = host_.in.data() + from * static_cast<Items>(shape_.width);
      double* const end = to + shape_.stride();
      to = std::fill_n(to, shape_.radius, pixels[0]);
      to = std::copy_n(pixels, shape_.width, to);
      std::fill(to, end, pixels[shape_.width - 1]);
      to = end;
    }
  }

  void compute(const Block& block, ThreadTeam& team) override {
    team.run(block.items, [&](Items first, Items items) {
      blur(shape_, weights_.data(), in_.data() + first * static_cast<Items>(shape_.stride()),
           static_cast<std::size_t>(items), out_.data() + first * static_cast<Items>(shape_.width));
    });
  }

  void copy_out(const Block& block) override {
    const auto width = static_cast<Items>(shape_.width);
    std::copy_n(out_.data(), block.items * width, host_.out.data() + block.first * width);
  }

 private:
  HostImages& host_;
  BlurShape shape_;
  Items height_;
  Buffer weights_;
  Buffer in_;   ///< (items + 2 r, stride)
  Buffer out_;  ///< (items, width)
};

class Gaussian final : public Kernel {
 public:
  Gaussian(const BlurShape& shape, Items height, int iterations) : shape_(shape) {
    const auto width = static_cast<double>(shape.width);
    const auto taps = static_cast<double>(shape.taps());
    workload_.kernel = "gaussian";
    workload_.items = height;
    workload_.iterations = iterations;
    workload_.in_bytes_per_item = width * sizeof(double);
    workload_.out_bytes_per_item = width * sizeof(double);
    workload_.resident_bytes = taps * taps * sizeof(double);
    workload_.memory_bytes_per_item =
        (static_cast<double>(shape.stride()) + width) * sizeof(double);
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
    return 2.0 * workload_.in_bytes_per_item * static_cast<double>(workload_.items) +
           workload_.resident_bytes;
  }

  void allocate(std::uint64_t seed) override {
    const std::size_t pixels = shape_.width * static_cast<std::size_t>(workload_.items);
    images_ = {Buffer(pixels), Buffer(pixels), gaussian_weights(shape_.radius)};
    std::uint64_t position = 0;
    for (double& value : images_.in.span()) value = seeded_number(seed, position++, 0.0, 1.0);
    clear_results();
  }

  void clear_results() override { fill_with_nan(images_.out); }

  std::unique_ptr<UnitKernel> make_cpu_side(Items items_max) override {
    return std::make_unique<GaussianSide>(images_, shape_, workload_.items, items_max);
  }

  Verification verify() const override {
    return check_blur({.in = images_.in.data(),
                       .out = images_.out.data(),
                       .width = shape_.width,
                       .height = static_cast<std::size_t>(workload_.items),
                       .radius = shape_.radius});
  }

 private:
  BlurShape shape_;
  Workload workload_;
  HostImages images_;
};

}  // namespace

std::unique_ptr<Kernel> make_gaussian(const Parameters& parameters) {
  constexpr Items side_max = Items{1} << 20;
  BlurShape shape;
  shape.width = static_cast<std::size_t>(parameters.items("width", 1, side_max));
  shape.radius = static_cast<std::size_t>(parameters.items("radius", 1, 1024));
  return std::make_unique<Gaussian>(shape, parameters.items("height", 1, side_max),
                                    iterations_of(parameters));
}

}  // namespace equipoise
