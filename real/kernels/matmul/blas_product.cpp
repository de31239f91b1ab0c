// Products by OpenBLAS: the content of the OpenBLAS module.
#include <cblas.h>

#include "real/kernels/matmul/blas_module.hpp"

namespace equipoise {
namespace {

void use_one_thread() { openblas_set_num_threads(1); }

void multiply(const double* a, const double* b, double* c, int rows, int n) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, n, n, 1.0, a, n, b, n, 0.0, c, n);
}

}  // namespace

extern "C" {
extern const BlasModule equipoise_blas;
const BlasModule equipoise_blas{&use_one_thread, &multiply};
}

}  // namespace equipoise
