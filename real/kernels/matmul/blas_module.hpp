// The interface of the OpenBLAS module: a shared library that is opened when matrices are
// allocated. OpenBLAS starts threads wherever it is loaded, and waits at the program's end for all
// of them, also for those that it could not start.
#pragma once

namespace equipoise {

/// The table that the module exports under the name `equipoise_blas`. Only `matmul`, which opens
/// the module, calls its functions.
struct BlasModule {
  /// From now on, a call computes in the thread that calls.
  void (*use_one_thread)();
  /// `rows` rows of C = A B, where B is n by n. All are row by row in memory.
  void (*multiply)(const double* a, const double* b, double* c, int rows, int n);
};

}  // namespace equipoise
