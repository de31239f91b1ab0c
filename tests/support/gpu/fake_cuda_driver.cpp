// The state and the streams of the stand-in for CUDA's library.
#include "tests/support/gpu/fake_cuda_driver.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "tests/support/gpu/fake_cuda.hpp"

namespace equipoise {
namespace {

/// How many commands a queue holds.
constexpr std::size_t slots = 1000;

/// All streams that there are.
struct Streams {
  std::mutex mutex;
  std::set<CUstream_st*> all;
};
Streams& streams() {
  static auto& kept = *new Streams;  // streams may be left behind
  return kept;
}

}  // namespace

FakeContext& fake_current() {
  thread_local FakeContext current;
  return current;
}

FakeDriver& fake_driver() {
  static auto& kept = *new FakeDriver;
  return kept;
}

cudaError_t fake_state() { return fake_driver().is_broken ? cudaErrorIllegalAddress : cudaSuccess; }

cudaError_t alone_after_all_streams(const std::function<void()>& change) {
  FakeDriver& driver = fake_driver();
  const std::unique_lock<std::shared_mutex> lock(driver.calls);
  const auto all_are_idle = [] {
    Streams& there = streams();
    const std::lock_guard<std::mutex> of_streams(there.mutex);
    return std::ranges::all_of(there.all, [](CUstream_st* stream) { return stream->is_idle(); });
  };
  // Nothing computes any more on a GPU that is broken.
  while (driver.is_broken ? driver.working != 0 : !all_are_idle()) {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  change();
  return fake_state();
}

void break_fake_gpu() { fake_driver().is_broken = true; }
void mend_fake_gpu() { fake_driver().is_broken = false; }
void set_fake_gpus(int count) { fake_driver().devices = count; }
void resize_fake_gpu(std::size_t bytes) { fake_driver().memory_max = bytes; }
void set_fake_driver(int version) { fake_driver().version = version; }
int set_fake_copies_together(int count) {
  fake_driver().copies_wanted = count;
  const int begun = fake_driver().copies_under_way.exchange(0);
  return fake_driver().waited_in_vain.exchange(false) ? -1 : begun;
}
void set_fake_commands(int count) { fake_driver().commands = count; }
void set_fake_registering(bool works) { fake_driver().registers = works; }
void set_fake_sharing(bool shares) { fake_driver().reads_host_memory = shares; }
std::size_t fake_registered_bytes() { return fake_driver().registered_bytes; }
std::size_t fake_direct_bytes() { return fake_driver().direct_bytes; }
int fake_frees() { return fake_driver().frees; }
int fake_load_sms() { return fake_driver().load_sms; }

}  // namespace equipoise

using equipoise::fake_driver;
using equipoise::fake_state;

CUstream_st::CUstream_st(const equipoise::FakeContext& context)
    : context_(context), thread_([this] { work(); }) {
  auto& there = equipoise::streams();
  const std::lock_guard<std::mutex> lock(there.mutex);
  there.all.insert(this);
}

CUstream_st::~CUstream_st() {
  {
    auto& there = equipoise::streams();
    const std::lock_guard<std::mutex> lock(there.mutex);
    there.all.erase(this);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

cudaError_t CUstream_st::put(std::function<void()> work) {
  if (fake_driver().is_broken) return fake_state();
  if (equipoise::fake_current() != context_) return cudaErrorInvalidResourceHandle;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    while (works_.size() >= equipoise::slots && !fake_driver().is_broken) {
      changed_.wait_for(lock, std::chrono::milliseconds(1));
    }
    works_.push_back(std::move(work));
  }
  changed_.notify_all();
  return cudaSuccess;
}

bool CUstream_st::is_idle() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return works_.empty();
}

void CUstream_st::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stops_ || !works_.empty(); });
    if (stops_) return;
    const std::function<void()>& next = works_.front();  // stays where it is
    lock.unlock();
    ++fake_driver().working;
    if (!fake_driver().is_broken) next();
    --fake_driver().working;
    lock.lock();
    works_.pop_front();
    changed_.notify_all();
  }
}
