// An image of the Mandelbrot set. Every item is one row, and rows differ in cost.
//
// A benchmark of the energy paper (Euro-Par 2017; from AMD's APP SDK). See
// real/kernels/mandelbrot/escape_time.hpp for the computation. Rows through the set take four times
// as long as the mean row. Policies that learn the cost of an item from the first blocks would only
// see cheap rows outside the set. Therefore rows are handed out in a random order, the same for
// every image of that height, unless `order=natural` asks for the irregular case. Copied to a unit:
// the imaginary part of every row of a block; copied back: its counts.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "real/kernels/buffer.hpp"
#include "real/kernels/catalog.hpp"
#include "real/kernels/mandelbrot/escape_check.hpp"
#include "real/kernels/mandelbrot/escape_time.hpp"
#include "real/kernels/seeded.hpp"

namespace equipoise {
namespace {

/// The image on the host.
struct HostImage {
  std::vector<Items> row_of_item;  ///< (items)
  Buffer imaginary;                ///< (items) im c of the item's row
  Buffer counts;                   ///< (height, width) in the order of the image
};

class Mandelbrot final : public Kernel {
 public:
  Mandelbrot(const EscapeImage& image, bool is_natural, int iterations)
      : image_(image), is_natural_(is_natural) {
    const auto width = static_cast<double>(image.width);
    workload_.kernel = "mandelbrot";
    workload_.items = image.height;
    workload_.iterations = iterations;
    workload_.in_bytes_per_item = sizeof(double);
    workload_.out_bytes_per_item = width * sizeof(double);
    workload_.memory_bytes_per_item = (width + 1.0) * sizeof(double);
    // Steps that count, as a mean over the image. Vectors also compute steps that do not count, for
    // pixels that have escaped while others in the vector have not.
    workload_.flop_per_item = width * mean_steps(image.max_iterations) * flop_per_step;
    workload_.parameters = {{"width", width},
                            {"height", static_cast<double>(image.height)},
                            {"max_iterations", static_cast<double>(image.max_iterations)}};
  }

  const Workload& workload() const override { return workload_; }
  std::string item() const override { return "row of pixels"; }
  std::map<std::string, double> problem() const override {
    return {{"width", static_cast<double>(image_.width)},
            {"max_iterations", static_cast<double>(image_.max_iterations)},
            {"natural_order", is_natural_ ? 1.0 : 0.0}};
  }
  double host_bytes() const override {
    return static_cast<double>(image_.height) *
           (static_cast<double>(image_.width + 1) * sizeof(double) + sizeof(Items));
  }

  void allocate(std::uint64_t /*seed*/) override {
    const auto height = static_cast<std::size_t>(image_.height);
    image_on_host_.counts = Buffer(height * static_cast<std::size_t>(image_.width));
    std::vector<Items>& rows = image_on_host_.row_of_item;
    rows.resize(height);
    std::iota(rows.begin(), rows.end(), Items{0});
    for (std::size_t i = height - 1; i > 0 && !is_natural_; --i) {
      const double at = seeded_number(height, i, 0.0, static_cast<double>(i + 1));
      std::swap(rows[i], rows[static_cast<std::size_t>(at)]);
    }
    image_on_host_.imaginary = Buffer(height);
    for (std::size_t i = 0; i < height; ++i) {
      image_on_host_.imaginary.data()[i] = image_.imaginary(rows[i]);
    }
    ResultRows counts =
        result_rows(image_on_host_.counts.data(), static_cast<std::size_t>(image_.width));
    counts.row_of_item = rows;
    data_ = {{input_rows(image_on_host_.imaginary.data())},
             {counts},
             {},
             {image_on_host_.imaginary.fixed()}};
    clear_results();
  }

  void clear_results() override { fill_with_nan(image_on_host_.counts); }

  const KernelData& data() const override { return data_; }

  std::unique_ptr<CpuProgram> make_cpu_program() const override {
    return make_cpu_program_of([image = image_](const StagedBlock& block, Items first,
                                                Items items) {
      for (Items i = first; i < first + items; ++i) {
        count_steps(image, block.input<double>(0)[i], block.result<double>(0) + i * image.width);
      }
    });
  }

  Verification verify() const override {
    return check_escapes(image_on_host_.counts.data(), image_);
  }

 private:
  EscapeImage image_;
  bool is_natural_;
  Workload workload_;
  HostImage image_on_host_;
  KernelData data_;
};

}  // namespace

std::unique_ptr<Kernel> make_mandelbrot(const Parameters& parameters) {
  constexpr Items side_max = Items{1} << 20;
  EscapeImage image;
  image.width = parameters.items("width", 1, side_max);
  image.height = parameters.items("height", 1, side_max);
  image.max_iterations = parameters.items("max_iterations", 1, Items{1} << 30);
  const bool is_natural = parameters.choice("order", {"random", "natural"}) == 1;
  return std::make_unique<Mandelbrot>(image, is_natural, iterations_of(parameters));
}

}  // namespace equipoise
