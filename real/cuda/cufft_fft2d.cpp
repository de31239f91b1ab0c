// Batches of 2-D Fourier transforms by cuFFT: bound by the passes over the arrays. A block is
// transformed in parts of half the GPU's second-level cache or less, so that it holds a part and as
// much working memory from one pass to the next. Plans are for powers of two of transforms, so that
// there are few. All are made before the first block: a plan gets working memory, and during a run
// that might wait for a queue which a slowdown has stopped. Their working memory together is at
// most about four times a part.
#include "real/gpu/programs.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "real/cuda/library.hpp"

namespace equipoise {
namespace {

constexpr int no_memory = 2;           // CUFFT_ALLOC_FAILED
constexpr int complex_doubles = 0x69;  // CUFFT_Z2Z
constexpr int forward = -1;            // CUFFT_FORWARD
constexpr int inverse = 1;             // CUFFT_INVERSE
constexpr const char* user = "fft2d on CUDA";
constexpr std::size_t point_bytes = 2 * sizeof(double);
/// The commands of a transform are not documented; large ones are expected to have two passes for
/// each extent.
constexpr std::uint64_t transform_commands = 4;

/// What we use of cuFFT, declared as in its header; enumerations are ints.
struct Cufft {
  int (*create)(int* plan);
  int (*make)(int plan, int rank, long long* extents, long long* in_embedding, long long in_stride,
              long long in_distance, long long* out_embedding, long long out_stride,
              long long out_distance, int type, long long batch, std::size_t* work_bytes);
  int (*set_stream)(int plan, void* stream);
  int (*transform)(int plan, double* in, double* out, int direction);
  int (*destroy)(int plan);

  Cufft() {
    const Library library(CUFFT_FILE, user);
    library.find("cufftCreate", create);
    library.find("cufftMakePlanMany64", make);
    library.find("cufftSetStream", set_stream);
    library.find("cufftExecZ2Z", transform);
    library.find("cufftDestroy", destroy);
  }
};

/// Throws if `call` failed.
void check(int status, const char* call) {
  if (status == 0) return;
  throw_library_failure(user, call, status, no_memory, fmt::format("status {} of cuFFT", status));
}

/// A plan for a number of transforms. Its working memory is on the current device.
class Plan {
 public:
  Plan(const Cufft& cufft, const FourierShape& shape, std::size_t transforms) : cufft_(cufft) {
    check(cufft.create(&plan_), "cufftCreate");
    // An extent of 1 changes nothing: what is left has one dimension.
    long long extents[2] = {};
    int rank = 0;
    for (const std::size_t extent : {shape.rows, shape.columns}) {
      if (extent > 1) extents[rank++] = static_cast<long long>(extent);
    }
    if (rank == 0) extents[rank++] = 1;
    const auto points = static_cast<long long>(shape.points());
    std::size_t work_bytes = 0;
    const int status = cufft.make(plan_, rank, extents, nullptr, 1, points, nullptr, 1, points,
                                  complex_doubles, static_cast<long long>(transforms), &work_bytes);
    if (status != 0) cufft.destroy(plan_);
    check(status, "cufftMakePlanMany64");
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() { cufft_.destroy(plan_); }

  /// Enqueues the transforms of `in` to `out`, which may be `in`.
  void enqueue(const Stream& stream, const double* in, double* out, int direction) const {
    check(cufft_.set_stream(plan_, stream.handle), "cufftSetStream");
    // cuFFT writes to the input of no transform of complex numbers.
    check(cufft_.transform(plan_, const_cast<double*>(in), out, direction), "cufftExecZ2Z");
  }

 private:
  const Cufft& cufft_;
  int plan_ = 0;
};

class Fft2d {
 public:
  Fft2d(const FourierShape& shape, std::size_t transforms) : shape_(shape) {
    plans_.try_emplace(1, cufft_, shape, 1);
    const std::size_t cached_points = fft2d_cache_bytes() / 2 / point_bytes;
    while (2 * most_ <= transforms &&
           (2 * most_ * shape.points() <= cached_points || !has_room(transforms))) {
      most_ *= 2;
      plans_.try_emplace(most_, cufft_, shape, most_);
    }
  }

  void enqueue(const Stream& stream, const StagedBlock& block) const {
    const double* in = block.input<double>(0);
    double* out = block.result<double>(0);
    for_each_part(block.items, [&](std::size_t part) {
      const Plan& of_part = plans_.at(part);
      of_part.enqueue(stream, in, out, forward);
      if (shape_.directions == 2) {
        launch_fourier_filter(stream, shape_, out, part);
        of_part.enqueue(stream, out, out, inverse);
      }
      in += 2 * part * shape_.points();
      out += 2 * part * shape_.points();
    });
  }
  [[nodiscard]] std::uint64_t commands(Items items) const {
    std::uint64_t parts = 0;
    for_each_part(items, [&](std::size_t) { ++parts; });
    return parts * part_commands();
  }

 private:
  /// Calls `visit` with the number of transforms of each part of a block, a power of two.
  template <class Visit>
  void for_each_part(Items items, Visit&& visit) const {
    std::size_t part = most_;
    for (auto left = static_cast<std::size_t>(items); left > 0; left -= part) {
      while (part > left) part /= 2;
      visit(part);
    }
  }
  [[nodiscard]] std::uint64_t part_commands() const {
    return shape_.directions == 2 ? 2 * transform_commands + 1 : transform_commands;
  }
  /// Whether every block of up to `transforms` has room in a queue. It has most parts where all
  /// smaller powers of two are among them.
  [[nodiscard]] bool has_room(std::size_t transforms) const {
    const std::size_t smaller = static_cast<std::size_t>(std::bit_width(most_)) - 1;
    return (transforms / most_ + smaller) * part_commands() <= block_commands_max;
  }

  Cufft cufft_;
  FourierShape shape_;
  std::size_t most_ = 1;               ///< transforms of a part, a power of two
  std::map<std::size_t, Plan> plans_;  ///< for all powers of two up to `most_`
};

}  // namespace

GpuProgram gpu_fft2d(const KernelParameters& parameters) {
  const FourierShape shape{.rows = whole(parameters, "rows"),
                           .columns = whole(parameters, "columns"),
                           .directions = static_cast<int>(whole(parameters, "directions"))};
  const auto fft = std::make_shared<const Fft2d>(shape, whole(parameters, "transforms"));
  return {.load = load_fourier_filter,
          .launch = [fft](const Stream& stream,
                          const StagedBlock& block) { fft->enqueue(stream, block); },
          .commands = [fft](Items items) { return fft->commands(items); },
          // cuFFT loads the code of a plan when it is first executed.
          .prepares_at_first_use = true};
}

std::string fft2d_library_line() { return library_line("cuFFT", CUFFT_FILE, "fft2d"); }

}  // namespace equipoise
