// The functions of CUDA that we call, with their own names, so that a test links with them in place
// of CUDA's. They are harder to please than CUDA's: what CUDA does not promise, they do not do.
#include "tests/support/gpu/fake_cuda.hpp"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "tests/support/gpu/fake_cuda_driver.hpp"

namespace {

using equipoise::fake_current;
using equipoise::fake_driver;
using equipoise::fake_state;
using SteadyTime = std::chrono::steady_clock;
using SharedCall = std::shared_lock<std::shared_mutex>;

/// The clock of the device goes faster than the host's.
constexpr double device_ms_per_s = 1000.2;

CUresult wait_for_value(CUstream stream, CUdeviceptr address, cuuint32_t value,
                        unsigned /*flags*/) {
  auto* const word =
      reinterpret_cast<std::uint32_t*>(equipoise::behind(std::bit_cast<void*>(address)));
  const SharedCall call(fake_driver().calls);
  return static_cast<CUresult>(stream->put([stream, word, value] {
    stream->await([&] { return std::atomic_ref(*word).load() == value; });
  }));
}

/// Whether the calling thread may use what belongs to `context`.
bool is_current(const equipoise::FakeContext& context) { return fake_current() == context; }

}  // namespace

void* equipoise::find_fake_function(const std::string& name) {
  if (name == "cuStreamWaitValue32") return reinterpret_cast<void*>(wait_for_value);
  return find_fake_part_function(name);
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version =
      fake_driver().version == 0 ? std::max(CUDART_VERSION, 12050) : fake_driver().version.load();
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = fake_driver().devices;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  fake_current() = {device, nullptr};
  return fake_state();
}
cudaError_t cudaGetDevice(int* device) {
  *device = fake_current().device;
  return fake_state();
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  std::strcpy(properties->name, "Fake GPU");
  properties->asyncEngineCount = 3;
  properties->multiProcessorCount = equipoise::fake_sms;
  return fake_state();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
  switch (attribute) {
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 227 << 10;
      return fake_state();
    case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
      *value = fake_driver().reads_host_memory ? 1 : 0;
      return fake_state();
    case cudaDevAttrL2CacheSize:
      *value = 50 << 20;
      return fake_state();
    case cudaDevAttrHostNumaId:
      *value = 0;
      return fake_state();
    case cudaDevAttrClockRate:
      *value = 1'500'000;  // kHz
      return fake_state();
    default:
      return cudaErrorInvalidValue;
  }
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = fake_driver().memory_max;
  return fake_state();
}
cudaError_t cudaGetLastError() { return fake_state(); }
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaErrorOfTheFake";
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "an illegal memory access" : "another error";
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned /*version*/, unsigned long long /*flags*/,
                                             cudaDriverEntryPointQueryResult* result) {
  *function = equipoise::find_fake_function(symbol);
  *result = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  *stream = new CUstream_st(fake_current());
  return fake_state();
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return fake_state();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (fake_driver().is_broken) return fake_state();
  if (!is_current(stream->context())) return cudaErrorInvalidResourceHandle;
  const SharedCall call(fake_driver().calls);
  return stream->is_idle() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  const SharedCall call(fake_driver().calls);
  return stream->put([function, data] {
    const std::lock_guard<std::mutex> lock(fake_driver().host_functions);
    function(data);
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  const SharedCall call(fake_driver().calls);
  return stream->put(
      [stream, record = event->record] { stream->await([&] { return record->is_there.load(); }); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return fake_state();
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return fake_state();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (!is_current(event->context) || !is_current(stream->context())) {
    return cudaErrorInvalidResourceHandle;
  }
  const SharedCall call(fake_driver().calls);
  event->record = std::make_shared<CUevent_st::Record>();
  return stream->put([record = event->record] {
    const std::chrono::duration<double> now = SteadyTime::now().time_since_epoch();
    record->at_ms = now.count() * device_ms_per_s;
    record->is_there = true;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (fake_driver().is_broken) return fake_state();
  if (!is_current(event->context)) return cudaErrorInvalidResourceHandle;
  const SharedCall call(fake_driver().calls);
  return !event->record || event->record->is_there ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  *ms = static_cast<float>(to->record->at_ms - from->record->at_ms);
  return fake_state();
}
