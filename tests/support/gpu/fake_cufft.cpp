// Takes the place of cuFFT in tests: what our programs call, by FFTW in the host's memory. A test
// can make a call fail.
#include <fftw3.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): names of cuFFT
extern "C" {

// Of the header of cuFFT, with ints for enumerations.
int cufftCreate(int* plan);
int cufftMakePlanMany64(int plan, int rank, long long* extents, long long* in_embedding,
                        long long in_stride, long long in_distance, long long* out_embedding,
                        long long out_stride, long long out_distance, int type, long long batch,
                        std::size_t* work_bytes);
int cufftSetStream(int plan, void* stream);
int cufftExecZ2Z(int plan, double* in, double* out, int direction);
int cufftDestroy(int plan);

/// Makes every later call of `call` return `status`; 0 ends that.
void fake_cufft_fails(const char* call, int status);
/// The number of plans that exist.
int fake_cufft_plans();
}

namespace {

constexpr int invalid_plan = 1;   // CUFFT_INVALID_PLAN
constexpr int invalid_value = 4;  // CUFFT_INVALID_VALUE

/// A batch of arrays, one after another.
struct Batch {
  std::vector<int> extents;
  int distance = 0;
  int arrays = 0;
};

std::map<int, Batch> plans;
int last_plan = 0;
std::string failing;
int failure = 0;

int status_of(const char* call) { return failing == call ? failure : 0; }

}  // namespace

void fake_cufft_fails(const char* call, int status) {
  failing = call;
  failure = status;
}

int fake_cufft_plans() { return static_cast<int>(plans.size()); }

int cufftCreate(int* plan) {
  *plan = ++last_plan;
  plans[*plan];
  return status_of("cufftCreate");
}

int cufftMakePlanMany64(int plan, int rank, long long* extents, long long* in_embedding,
                        long long /*in_stride*/, long long in_distance, long long* out_embedding,
                        long long /*out_stride*/, long long /*out_distance*/, int type,
                        long long batch, std::size_t* work_bytes) {
  constexpr int complex_doubles = 0x69;
  if (!plans.contains(plan)) return invalid_plan;
  if (type != complex_doubles || in_embedding != nullptr || out_embedding != nullptr) {
    return invalid_value;
  }
  *work_bytes = 0;
  plans[plan] = {{extents, extents + rank}, static_cast<int>(in_distance), static_cast<int>(batch)};
  return status_of("cufftMakePlanMany64");
}

int cufftSetStream(int plan, void* /*stream*/) {
  return plans.contains(plan) ? status_of("cufftSetStream") : invalid_plan;
}

int cufftExecZ2Z(int plan, double* in, double* out, int direction) {
  const auto found = plans.find(plan);
  if (found == plans.end()) return invalid_plan;
  if (const int status = status_of("cufftExecZ2Z"); status != 0) return status;
  const Batch& batch = found->second;
  auto* const from = reinterpret_cast<fftw_complex*>(in);
  auto* const to = reinterpret_cast<fftw_complex*>(out);
  fftw_plan all = fftw_plan_many_dft(static_cast<int>(batch.extents.size()), batch.extents.data(),
                                     batch.arrays, from, nullptr, 1, batch.distance, to, nullptr, 1,
                                     batch.distance, direction, FFTW_ESTIMATE);
  if (all == nullptr) return invalid_value;
  fftw_execute(all);
  fftw_destroy_plan(all);
  return 0;
}

int cufftDestroy(int plan) { return plans.erase(plan) == 1 ? 0 : invalid_plan; }
// NOLINTEND(readability-identifier-naming)
