// Takes the place of cuBLAS in tests: what our programs call, in the host's memory, column by
// column as cuBLAS has it. A test can make a call fail.
#include <string>

// NOLINTBEGIN(readability-identifier-naming): names of cuBLAS
struct cublasContext {
  void* stream = nullptr;
};

extern "C" {

// Of the header of cuBLAS, with ints for enumerations.
int cublasCreate_v2(cublasContext** handle);
int cublasDestroy_v2(cublasContext* handle);
int cublasSetStream_v2(cublasContext* handle, void* stream);
int cublasDgemm_v2(cublasContext* handle, int of_a, int of_b, int m, int n, int k,
                   const double* alpha, const double* a, int column_a, const double* b,
                   int column_b, const double* beta, double* c, int column_c);
const char* cublasGetStatusString(int status);

/// Makes every later call of `call` return `status`; 0 ends that.
void fake_cublas_fails(const char* call, int status);
}

namespace {

std::string failing;
int failure = 0;

int status_of(const char* call) { return failing == call ? failure : 0; }

}  // namespace

void fake_cublas_fails(const char* call, int status) {
  failing = call;
  failure = status;
}

int cublasCreate_v2(cublasContext** handle) {
  const int status = status_of("cublasCreate");
  if (status == 0) *handle = new cublasContext;
  return status;
}

int cublasDestroy_v2(cublasContext* handle) {
  delete handle;
  return 0;
}

int cublasSetStream_v2(cublasContext* handle, void* stream) {
  handle->stream = stream;
  return status_of("cublasSetStream");
}

int cublasDgemm_v2(cublasContext* /*handle*/, int of_a, int of_b, int m, int n, int k,
                   const double* alpha, const double* a, int column_a, const double* b,
                   int column_b, const double* beta, double* c, int column_c) {
  constexpr int invalid = 7;  // CUBLAS_STATUS_INVALID_VALUE
  if (of_a != 0 || of_b != 0 || column_a < m || column_b < k || column_c < m) return invalid;
  if (const int status = status_of("cublasDgemm"); status != 0) return status;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      double sum = 0.0;
      for (int l = 0; l < k; ++l) sum += a[l * column_a + i] * b[j * column_b + l];
      double& element = c[j * column_c + i];
      element = *alpha * sum + (*beta == 0.0 ? 0.0 : *beta * element);
    }
  }
  return 0;
}

const char* cublasGetStatusString(int status) { return status == 13 ? "EXECUTION" : "OTHER"; }
// NOLINTEND(readability-identifier-naming)
