// Base events are measured by events in a stream that does nothing else; stops are words of the
// host's memory for which a stream waits.
#include "real/cuda/cuda_moments.hpp"

#include <algorithm>
#include <utility>

#include "real/cuda/cuda_call.hpp"
#include "real/cuda/driver_function.hpp"
#include "real/gpu/programs.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Every block in a device's queues has up to four stages, each with a stop at its end, and stops
/// in copies. There are a few more, because the words of some copies come back late.
constexpr std::size_t words_max = 12 * blocks_in_queues_max;

void store(std::uint32_t* word, std::uint32_t value) {
  std::atomic_ref(*word).store(value, std::memory_order_seq_cst);
}

}  // namespace

HoldWord::~HoldWord() { words_.free_.push_back(word_); }

void HoldWord::let_go() const { store(word_, 1); }

HoldWords::HoldWords(CudaHostMemory& host) : words_(host, words_max) {
  find_driver_function("cuStreamWaitValue32", 11070, wait_for_value_);
  for (std::size_t i = 0; i < words_max; ++i) free_.push_back(words_.begin() + i);
}

HoldWordPtr HoldWords::take() {
  EQ_CHECK(!free_.empty(), "there is a word for every stop");
  auto word = std::make_unique<HoldWord>(*this, free_.back());
  free_.pop_back();
  store(word->word_, 0);
  return word;
}

void HoldWords::stop(cudaStream_t stream, const HoldWord& word) {
  const std::uint32_t* const on_device = words_.on_device() + (word.word_ - words_.begin());
  check_driver(
      wait_for_value_(stream, reinterpret_cast<CUdeviceptr>(on_device), 1, CU_STREAM_WAIT_VALUE_EQ),
      "cuStreamWaitValue32");
}

void HoldWords::let_all_go() {
  for (std::size_t i = 0; i < words_max; ++i) store(words_.begin() + i, 1);
}

namespace {

using SteadyTime = std::chrono::steady_clock;

/// How often a base is measured, the first time and later.
constexpr int first_attempts = 20;
constexpr int attempts = 3;
/// How long an event that nothing else delays may take, the first time and later.
constexpr std::chrono::seconds first_patience{10};
constexpr std::chrono::milliseconds patience{1};

}  // namespace

CudaMoment::CudaMoment(CudaTimeline& timeline, Queue queue, TimeBasePtr base, HoldWordPtr held)
    : timeline_(timeline),
      queue_(queue),
      event_(timeline.events_.take()),
      base_(std::move(base)),
      held_(std::move(held)) {}

CudaMoment::~CudaMoment() { timeline_.events_.give_back(event_); }

std::optional<Seconds> CudaMoment::happened() const {
  if (!at_ && !timeline_.has_happened(*this)) return std::nullopt;
  return timeline_.run_time(*at_);
}

void CudaMoment::let_go() {
  earliest_ = SteadyTime::now();
  held_->let_go();
}

CudaTimeline::CudaTimeline(std::shared_ptr<const Clock> clock, OwnedStream stream)
    : clock_(std::move(clock)),
      stream_(std::move(stream)),
      base_(make_base(first_attempts, first_patience)) {
  if (!base_) throw BackendError("the GPU does not answer within 10 s");
  take_base(std::move(base_));
}

void CudaTimeline::take_base(TimeBasePtr base) {
  if (base_) base->device = base_->device + time_between(base_->event, base->event);
  device_clock_.compare(base->device, base->at);
  base_ = std::move(base);
  next_base_ = base_->at + device_clock_.next_due();
}

void CudaTimeline::count(Queue queue, std::uint64_t commands) {
  const auto at = static_cast<std::size_t>(queue);
  put_[at] += commands;
  if (put_[at] - passed_[at] > commands_max) find_passed(queue);
  EQ_CHECK(put_[at] - passed_[at] <= commands_max, "no queue of a GPU is full");
}

/// Takes note of all moments of `queue` that have happened.
void CudaTimeline::find_passed(Queue queue) {
  const auto& unknown = unknown_[static_cast<std::size_t>(queue)];
  while (!unknown.empty()) {
    const std::shared_ptr<CudaMoment> front = unknown.front();  // which nobody else may have
    if (!has_happened(*front)) return;
  }
}

bool CudaTimeline::is_full() const {
  bool is_full = false;
  for (std::size_t at = 0; at < put_.size(); ++at) {
    is_full = is_full || put_[at] - passed_[at] > commands_full;
  }
  return is_full;
}

std::shared_ptr<CudaMoment> CudaTimeline::record(Queue queue, cudaStream_t stream,
                                                 HoldWordPtr held) {
  if (const Clock::TimePoint now = SteadyTime::now(); now >= next_base_) {
    if (TimeBasePtr base = make_base(attempts, patience)) {
      take_base(std::move(base));
    } else {
      next_base_ = now + device_clock_.next_due();
    }
  }
  count(queue);
  auto moment = std::make_shared<CudaMoment>(*this, queue, base_, std::move(held));
  moment->number_ = put_[static_cast<std::size_t>(queue)];
  try {
    check_cuda(cudaEventRecord(moment->event(), stream), "cudaEventRecord");
  } catch (...) {
    failed_.push_back(std::move(moment));  // what lets its stop go may still do so
    throw;
  }
  unknown_[static_cast<std::size_t>(queue)].push_back(moment);
  return moment;
}

std::shared_ptr<CudaMoment> CudaTimeline::last(Queue queue, cudaStream_t stream) {
  const auto at = static_cast<std::size_t>(queue);
  const bool is_last = !unknown_[at].empty() && unknown_[at].back()->number_ == put_[at];
  return is_last ? unknown_[at].back() : record(queue, stream);
}

bool CudaTimeline::has_happened(const CudaMoment& moment) {
  if (!has_passed(moment.event())) return false;
  // All moments before it in its queue have happened, too.
  auto& queue = unknown_[static_cast<std::size_t>(moment.queue_)];
  const Clock::TimePoint now = SteadyTime::now();
  while (!moment.at_) {
    EQ_CHECK(!queue.empty(), "a moment without a time is in its queue");
    set_time(*queue.front(), now);
    queue.pop_front();
  }
  return true;
}

/// The clocks are compared with an error of some microseconds. In spite of it, nothing happens
/// before it was recorded or let go, after it was seen, or before what came earlier in its queue.
void CudaTimeline::set_time(CudaMoment& moment, Clock::TimePoint now) {
  const Clock::TimePoint measured = device_clock_.host_time(
      moment.base_->device + time_between(moment.base_->event, moment.event()));
  const auto at = static_cast<std::size_t>(moment.queue_);
  last_[at] = std::max(last_[at], std::clamp(measured, moment.earliest_.load(), now));
  moment.at_ = last_[at];
  passed_[at] = moment.number_;
}

Seconds CudaTimeline::run_time(Clock::TimePoint at) const {
  const Clock::TimePoint zero = clock_->moment(Seconds{});
  const std::chrono::duration<double> past = at - zero;
  const std::chrono::duration<double> second = clock_->moment(Seconds{1.0}) - zero;
  return {past / second};
}

TimeBasePtr CudaTimeline::make_base(int attempts, SteadyTime::duration patience) {
  const auto end = [this](const TimeBase* base) {
    events_.give_back(base->event);
    delete base;
  };
  TimeBasePtr best;
  SteadyTime::duration least = SteadyTime::duration::max();
  for (int i = 0; i < attempts; ++i) {
    const std::shared_ptr<TimeBase> base(new TimeBase{events_.take()}, end);
    const Clock::TimePoint before = SteadyTime::now();
    check_cuda(cudaEventRecord(base->event, stream_.get()), "cudaEventRecord");
    bool is_there = false;
    SteadyTime::duration took{};
    while (!is_there && took < patience) {
      is_there = has_passed(base->event);
      took = SteadyTime::now() - before;
    }
    if (!is_there) return best;
    if (took >= least) continue;
    least = took;
    base->at = before + took / 2;
    best = base;
  }
  return best;
}

}  // namespace equipoise
