// The functions of CUDA that we call, with their own names, so that a test links with them in place
// of CUDA's. Each stream is a thread that works off a queue.
#include "tests/support/gpu/fake_cuda.hpp"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "real/gpu/programs.hpp"
#include "real/gpu/programs/compete.hpp"
#include "real/threads/this_thread.hpp"
#include "real/threads/thread_team.hpp"

namespace {

using SteadyTime = std::chrono::steady_clock;

/// The clock of the device goes faster than the host's.
constexpr double device_ms_per_s = 1000.2;

std::atomic<bool> is_broken = false;
std::atomic<int> devices = 1;
std::atomic<std::size_t> memory_max = std::size_t{16} << 20;
std::atomic<int> driver = 0;  ///< its version; 0: the build's
std::atomic<int> load_sms = 0;
/// Streams that work, or are about to find out whether they may.
std::atomic<int> working = 0;
/// CUDA calls functions of the host one at a time.
std::mutex host_functions;

cudaError_t state() { return is_broken ? cudaErrorIllegalAddress : cudaSuccess; }

}  // namespace

struct CUevent_st {
  struct Record {
    std::atomic<bool> is_there = false;
    double at_ms = 0.0;
  };

  std::shared_ptr<Record> record;  ///< null: never recorded
};

struct CUstream_st {
 public:
  CUstream_st() : thread_([this] { work(); }) {}
  CUstream_st(const CUstream_st&) = delete;
  CUstream_st& operator=(const CUstream_st&) = delete;
  ~CUstream_st() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stops_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  cudaError_t put(std::function<void()> work) {
    if (is_broken) return state();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      works_.push_back(std::move(work));
    }
    changed_.notify_all();
    return cudaSuccess;
  }

  [[nodiscard]] bool is_idle() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return works_.empty();
  }

  /// Waits for something that another thread does.
  template <class Ready>
  void await(const Ready& ready) const {
    while (!ready() && !stops_ && !is_broken) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

 private:
  void work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stops_ || !works_.empty(); });
      if (stops_) return;
      const std::function<void()>& next = works_.front();  // stays where it is
      lock.unlock();
      ++working;
      if (!is_broken) next();
      --working;
      lock.lock();
      works_.pop_front();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> works_;
  std::atomic<bool> stops_ = false;
  std::thread thread_;
};

namespace {

CUresult wait_for_value(CUstream stream, CUdeviceptr address, cuuint32_t value,
                        unsigned /*flags*/) {
  auto* const word = std::bit_cast<std::uint32_t*>(address);
  return static_cast<CUresult>(stream->put([stream, word, value] {
    stream->await([&] { return std::atomic_ref(*word).load() == value; });
  }));
}

cudaError_t allocate(void** memory, std::size_t bytes, std::size_t alignment) {
  if (is_broken) return state();
  if (bytes > memory_max) return cudaErrorMemoryAllocation;
  *memory = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  return cudaSuccess;
}

/// A function of the driver; null if there is none of this name.
void* find_function(const std::string& name) {
  if (name == "cuStreamWaitValue32") return reinterpret_cast<void*>(wait_for_value);
  return equipoise::find_fake_part_function(name);
}

}  // namespace

cudaError_t cudaDriverGetVersion(int* version) {
  *version = driver == 0 ? CUDART_VERSION : driver.load();
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = devices;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int /*device*/) { return state(); }
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return state();
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  std::strcpy(properties->name, "Fake GPU");
  properties->asyncEngineCount = 3;
  properties->multiProcessorCount = equipoise::fake_sms;
  return state();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
  switch (attribute) {
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 227 << 10;
      return state();
    case cudaDevAttrL2CacheSize:
      *value = 50 << 20;
      return state();
    case cudaDevAttrClockRate:
      *value = 1'500'000;  // kHz
      return state();
    default:
      return cudaErrorInvalidValue;
  }
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = memory_max;
  return state();
}
cudaError_t cudaGetLastError() { return state(); }
const char* cudaGetErrorName(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaErrorOfTheFake";
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorIllegalAddress ? "an illegal memory access" : "another error";
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function,
                                             unsigned /*version*/, unsigned long long /*flags*/,
                                             cudaDriverEntryPointQueryResult* result) {
  *function = find_function(symbol);
  *result = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

// Not aligned as our units need it: they see to that.
cudaError_t cudaMalloc(void** memory, std::size_t bytes) { return allocate(memory, bytes, 256); }
cudaError_t cudaFree(void* memory) {
  // Nothing computes any more on a GPU that is broken.
  while (is_broken && working != 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
  std::free(memory);
  return state();
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  return allocate(memory, bytes, 4096);
}
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaHostGetDevicePointer(void** on_device, void* on_host, unsigned /*flags*/) {
  *on_device = on_host;
  return state();
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  *stream = new CUstream_st;
  return state();
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return state();
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (is_broken) return state();
  return stream->is_idle() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/,
                            cudaStream_t stream) {
  return stream->put([to, from, bytes] { std::memcpy(to, from, bytes); });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return stream->put([to, value, bytes] { std::memset(to, value, bytes); });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return stream->put([function, data] {
    const std::lock_guard<std::mutex> lock(host_functions);
    function(data);
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  return stream->put(
      [stream, record = event->record] { stream->await([&] { return record->is_there.load(); }); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return state();
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return state();
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->record = std::make_shared<CUevent_st::Record>();
  return stream->put([record = event->record] {
    const std::chrono::duration<double> now = SteadyTime::now().time_since_epoch();
    record->at_ms = now.count() * device_ms_per_s;
    record->is_there = true;
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (is_broken) return state();
  return !event->record || event->record->is_there ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  *ms = static_cast<float>(to->record->at_ms - from->record->at_ms);
  return state();
}

namespace equipoise {

void break_fake_gpu() { is_broken = true; }
void mend_fake_gpu() { is_broken = false; }
void set_fake_gpus(int count) { devices = count; }
void resize_fake_gpu(std::size_t bytes) { memory_max = bytes; }
void set_fake_driver(int version) { driver = version; }
int fake_load_sms() { return load_sms; }

void* make_fake_stream() { return new CUstream_st; }

/// Sleeps in place of computing.
void launch_compete(const Stream& stream, const CompetingBlocks& blocks) {
  const cudaStream_t into = static_cast<cudaStream_t>(stream.handle);
  static_cast<void>(into->put([into, blocks] {
    using Word = std::uint64_t;
    auto& stops = const_cast<Word&>(*blocks.stops);
    auto* const busy_ns = const_cast<Word*>(blocks.busy_ns);
    const auto begin = SteadyTime::now();
    Word counted_ns = 0;
    load_sms += static_cast<int>(blocks.count);
    into->await([&] {
      const auto past_ns = static_cast<Word>((SteadyTime::now() - begin).count());
      for (unsigned i = 0; i < blocks.count; ++i) {
        std::atomic_ref(busy_ns[i]).fetch_add(past_ns - counted_ns);
      }
      counted_ns = past_ns;
      return past_ns >= blocks.span_ns || std::atomic_ref(stops).load() != 0;
    });
    load_sms -= static_cast<int>(blocks.count);
  }));
}

bool has_gpu_program(const std::string& /*kernel*/) { return true; }

std::vector<std::string> gpu_library_lines() { return {}; }

std::unique_ptr<GpuProgram> make_gpu_program(const Kernel& kernel) {
  class OnHost final : public GpuProgram {
   public:
    OnHost(std::shared_ptr<const CpuProgram> program, bool prepares)
        : program_(std::move(program)), prepares_(prepares) {}
    void enqueue(const StagedBlock& block, const Stream& stream) override {
      static_cast<void>(static_cast<cudaStream_t>(stream.handle)->put([program = program_, block] {
        ThreadTeam team({cores_of_this_thread().front()});
        program->compute(block, team);
      }));
    }

    bool prepares_at_first_use() const override { return prepares_; }

   private:
    std::shared_ptr<const CpuProgram> program_;
    bool prepares_;
  };
  return std::make_unique<OnHost>(kernel.make_cpu_program(), kernel.workload().kernel == "matmul");
}

}  // namespace equipoise
