// The table of programs for GPUs: which kernels have one, and how blocks are handed to it.
#include "real/gpu/programs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "real/gpu/programs/launches.hpp"
#include "real/kernels/columns.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Makes a program from `load`, which loads its code, and `enqueue`, a function of (const
/// StagedBlock&, const Stream&).
template <class Enqueue>
std::unique_ptr<GpuProgram> program_of(void (*load)(), Enqueue enqueue) {
  class OfFunction final : public GpuProgram {
   public:
    OfFunction(void (*load)(), Enqueue enqueue) : load_(load), enqueue_(std::move(enqueue)) {}
    void load_code() const override { load_(); }
    void enqueue(const StagedBlock& block, const Stream& stream) override {
      enqueue_(block, stream);
    }

   private:
    void (*load_)();
    Enqueue enqueue_;
  };
  return std::make_unique<OfFunction>(load, std::move(enqueue));
}

/// A parameter of `kernel` that is a whole number.
Items parameter(const Kernel& kernel, const char* name) {
  return static_cast<Items>(kernel.workload().parameters.at(name));
}

std::size_t count_parameter(const Kernel& kernel, const char* name) {
  return static_cast<std::size_t>(parameter(kernel, name));
}

std::size_t items_of(const StagedBlock& block) { return static_cast<std::size_t>(block.items); }

std::unique_ptr<GpuProgram> make_binomial_program(const Kernel& kernel) {
  const auto steps = static_cast<std::size_t>(parameter(kernel, "steps"));
  return program_of(load_binomial, [steps](const StagedBlock& block, const Stream& stream) {
    launch_binomial(stream,
                    {block.input<double>(0), block.input<double>(1), block.input<double>(2),
                     block.input<double>(3), block.result<double>(0)},
                    items_of(block), option_rate, steps);
  });
}

std::unique_ptr<GpuProgram> make_blackscholes_program(const Kernel& /*kernel*/) {
  return program_of(load_blackscholes, [](const StagedBlock& block, const Stream& stream) {
    launch_blackscholes(stream,
                        {block.input<double>(0), block.input<double>(1), block.input<double>(2),
                         block.input<double>(3), block.result<double>(0), block.result<double>(1)},
                        items_of(block), option_rate);
  });
}

std::unique_ptr<GpuProgram> make_fft2d_program(const Kernel& kernel) {
  return make_gpu_fft2d({.rows = count_parameter(kernel, "rows"),
                         .columns = count_parameter(kernel, "columns"),
                         .directions = static_cast<int>(parameter(kernel, "directions"))},
                        static_cast<std::size_t>(kernel.workload().items));
}

std::unique_ptr<GpuProgram> make_gaussian_program(const Kernel& kernel) {
  const BlurShape shape{.width = count_parameter(kernel, "width"),
                        .radius = count_parameter(kernel, "radius")};
  return program_of(load_gaussian, [shape](const StagedBlock& block, const Stream& stream) {
    launch_gaussian(stream, shape, block.kept<double>(0), block.input<double>(0), items_of(block),
                    block.result<double>(0));
  });
}

std::unique_ptr<GpuProgram> make_grn_program(const Kernel& kernel) {
  const std::size_t candidates = count_parameter(kernel, "candidates");
  const std::size_t samples = count_parameter(kernel, "samples");
  return program_of(
      load_grn, [candidates, samples](const StagedBlock& block, const Stream& stream) {
        launch_grn(stream,
                   {block.kept<Samples>(0), block.kept<std::uint8_t>(1),
                    block.kept<std::int32_t>(2), block.kept<std::int32_t>(3), candidates, samples},
                   block.input<Samples>(0), items_of(block), block.result<BestPair>(0));
      });
}

std::unique_ptr<GpuProgram> make_kmeans_program(const Kernel& kernel) {
  const std::size_t dimensions = count_parameter(kernel, "dimensions");
  const std::size_t clusters = count_parameter(kernel, "clusters");
  return program_of(
      load_kmeans, [dimensions, clusters](const StagedBlock& block, const Stream& stream) {
        launch_kmeans(stream, {block.input<double>(0), items_of(block), dimensions,
                               block.kept<double>(0), clusters, block.result<std::int32_t>(0)});
      });
}

std::unique_ptr<GpuProgram> make_mandelbrot_program(const Kernel& kernel) {
  EscapeImage image;
  image.width = parameter(kernel, "width");
  image.height = parameter(kernel, "height");
  image.max_iterations = parameter(kernel, "max_iterations");
  return program_of(load_mandelbrot, [image](const StagedBlock& block, const Stream& stream) {
    launch_mandelbrot(stream, image, block.input<double>(0), block.result<double>(0), block.items);
  });
}

std::unique_ptr<GpuProgram> make_matmul_program(const Kernel& kernel) {
  return make_gpu_matmul(parameter(kernel, "n"));
}

std::unique_ptr<GpuProgram> make_nbody_program(const Kernel& kernel) {
  const std::size_t bodies = count_parameter(kernel, "bodies");
  return program_of(load_nbody, [bodies](const StagedBlock& block, const Stream& stream) {
    launch_nbody(stream,
                 {block.kept<double>(0), block.kept<double>(1), block.kept<double>(2),
                  block.kept<double>(3), bodies},
                 static_cast<std::size_t>(block.first), items_of(block), nbody_softening,
                 {block.result<double>(0), block.result<double>(1), block.result<double>(2)});
  });
}

std::unique_ptr<GpuProgram> make_taylor_program(const Kernel& kernel) {
  const auto terms = static_cast<std::size_t>(parameter(kernel, "terms"));
  return program_of(load_taylor, [terms](const StagedBlock& block, const Stream& stream) {
    launch_taylor(stream, block.input<double>(0), block.input<double>(1), block.result<double>(0),
                  items_of(block), terms);
  });
}

struct Row {
  std::string kernel;
  std::unique_ptr<GpuProgram> (*make)(const Kernel& kernel);
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"binomial", make_binomial_program},
      {"blackscholes", make_blackscholes_program},
      {"fft2d", make_fft2d_program},
      {"gaussian", make_gaussian_program},
      {"grn", make_grn_program},
      {"kmeans", make_kmeans_program},
      {"mandelbrot", make_mandelbrot_program},
      {"matmul", make_matmul_program},
      {"nbody", make_nbody_program},
      {"taylor", make_taylor_program},
  };
  return all;
}

const Row* find_row(const std::string& kernel) {
  const auto found = std::ranges::find(rows(), kernel, &Row::kernel);
  return found == rows().end() ? nullptr : &*found;
}

}  // namespace

bool has_gpu_program(const std::string& kernel) { return find_row(kernel) != nullptr; }

std::vector<std::string> gpu_library_lines() {
  return {matmul_library_line(), fft2d_library_line()};
}

std::unique_ptr<GpuProgram> make_gpu_program(const Kernel& kernel) {
  const Row* const row = find_row(kernel.workload().kernel);
  EQ_CHECK(row != nullptr, "units compute kernels that have a program");
  try {
    return row->make(kernel);
  } catch (const BlockFailure& failure) {
    throw BackendError(failure.what());  // there is no block yet
  }
}

}  // namespace equipoise
