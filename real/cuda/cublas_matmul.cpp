// Rows of C = A B by cuBLAS: bound by its multiply-adds. cuBLAS stores matrices column by column,
// so that ours, row by row, are their transposes to it, and it computes C^T = B^T A^T.
#include "real/gpu/programs.hpp"

#include <memory>
#include <string>

#include "real/cuda/library.hpp"

namespace equipoise {
namespace {

using Handle = struct cublasContext*;

constexpr int no_memory = 3;  // CUBLAS_STATUS_ALLOC_FAILED
constexpr int as_it_is = 0;   // CUBLAS_OP_N
constexpr const char* user = "matmul on CUDA";

/// What we use of cuBLAS, declared as in its header; enumerations are ints.
struct Cublas {
  int (*create)(Handle* handle);
  int (*destroy)(Handle handle);
  int (*set_stream)(Handle handle, void* stream);
  int (*dgemm)(Handle handle, int of_a, int of_b, int m, int n, int k, const double* alpha,
               const double* a, int row_a, const double* b, int row_b, const double* beta,
               double* c, int row_c);
  const char* (*describe)(int status);

  Cublas() {
    const Library library(CUBLAS_FILE, user);
    library.find("cublasCreate_v2", create);
    library.find("cublasDestroy_v2", destroy);
    library.find("cublasSetStream_v2", set_stream);
    library.find("cublasDgemm_v2", dgemm);
    library.find("cublasGetStatusString", describe);
  }

  /// Throws if `call` failed.
  void check(int status, const char* call) const {
    if (status != 0) throw_library_failure(user, call, status, no_memory, describe(status));
  }
};

class Matmul {
 public:
  explicit Matmul(std::size_t n) : n_(static_cast<int>(n)) {
    cublas_.check(cublas_.create(&handle_), "cublasCreate");
  }
  /// Waits for the computation of all blocks.
  ~Matmul() { cublas_.destroy(handle_); }
  Matmul(const Matmul&) = delete;
  Matmul& operator=(const Matmul&) = delete;

  void enqueue(const Stream& stream, const StagedBlock& block) const {
    constexpr double one = 1.0;
    constexpr double zero = 0.0;
    cublas_.check(cublas_.set_stream(handle_, stream.handle), "cublasSetStream");
    cublas_.check(cublas_.dgemm(handle_, as_it_is, as_it_is, n_, static_cast<int>(block.items), n_,
                                &one, block.kept<double>(0), n_, block.input<double>(0), n_, &zero,
                                block.result<double>(0), n_),
                  "cublasDgemm");
  }

 private:
  Cublas cublas_;
  int n_;
  Handle handle_ = nullptr;
};

}  // namespace

GpuProgram gpu_matmul(const KernelParameters& parameters) {
  const auto matmul = std::make_shared<const Matmul>(whole(parameters, "n"));
  return {.load = [] {},
          .launch = [matmul](const Stream& stream,
                             const StagedBlock& block) { matmul->enqueue(stream, block); },
          // cuBLAS loads the code of a product when it first needs it.
          .prepares_at_first_use = true};
}

std::string matmul_library_line() { return library_line("cuBLAS", CUBLAS_FILE, "matmul"); }

}  // namespace equipoise
