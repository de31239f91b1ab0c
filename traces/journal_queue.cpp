// Two lists of records: the run fills one while the writing thread empties the other.
#include "traces/journal_queue.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace equipoise {
namespace {

constexpr std::size_t most_queued = 1 << 15;
/// With this many records, the thread is woken before its period is over.
constexpr std::size_t wake_threshold = most_queued / 4;
constexpr std::chrono::milliseconds period{200};

class QueuedJournal final : public JournalFile {
 public:
  explicit QueuedJournal(std::unique_ptr<JournalFile> next) : next_(std::move(next)) {
    queued_.reserve(most_queued);
    taken_.reserve(most_queued);
    thread_ = std::thread([this] { write(); });
  }

  ~QueuedJournal() override { close(); }

  void block(const BlockRecord& record) override { push(record); }
  void decision(const DecisionRecord& record) override { push(record); }
  void event(const EventRecord& record) override { push(record); }
  void measured(const Measured& record) override { push(record); }

  void flush() override {
    std::unique_lock<std::mutex> lock(mutex_);
    const std::uint64_t wanted = ++flushes_wanted_;
    wake_.notify_one();
    writer_progress_.wait(lock, [&] { return flushes_done_ >= wanted || !failure_.empty(); });
    throw_failure();
  }

  void finish(const std::string& summary) override {
    close();
    throw_failure();
    next_->finish(summary);
  }

 private:
  using Record = std::variant<BlockRecord, DecisionRecord, EventRecord, Measured>;

  template <class Told>
  void push(const Told& record) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (queued_.size() == most_queued) {
      writer_progress_.wait(lock,
                            [this] { return queued_.size() < most_queued || !failure_.empty(); });
    }
    throw_failure();
    queued_.emplace_back(std::in_place_type<Told>, record);
    if (queued_.size() == wake_threshold) wake_.notify_one();
  }

  /// Call with the mutex locked, or after `close`.
  void throw_failure() const {
    if (!failure_.empty()) throw std::runtime_error(failure_);
  }

  void close() {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_closing_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  /// The main function of the writing thread.
  void write() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (failure_.empty()) {
      wake_.wait_for(lock, period, [this] {
        return is_closing_ || flushes_done_ < flushes_wanted_ || queued_.size() >= wake_threshold;
      });
      if (queued_.empty() && is_closing_) return;
      std::swap(queued_, taken_);
      const std::uint64_t flushes = flushes_wanted_;
      lock.unlock();
      writer_progress_.notify_one();
      std::string failure = give_to_next();
      lock.lock();
      failure_ = std::move(failure);
      flushes_done_ = flushes;
      writer_progress_.notify_one();
    }
  }

  /// Passes the taken records on. Returns the reason if that fails, else an empty text.
  std::string give_to_next() {
    try {
      for (const Record& record : taken_) {
        std::visit([this](const auto& told) { tell(told); }, record);
      }
      if (!taken_.empty()) next_->flush();
    } catch (const std::exception& error) {
      return error.what();
    }
    taken_.clear();
    return {};
  }

  void tell(const BlockRecord& record) { next_->block(record); }
  void tell(const DecisionRecord& record) { next_->decision(record); }
  void tell(const EventRecord& record) { next_->event(record); }
  void tell(const Measured& record) { next_->measured(record); }

  std::unique_ptr<JournalFile> next_;  ///< used only by the thread until it has ended
  std::vector<Record> taken_;          ///< used only by the thread
  std::mutex mutex_;
  std::condition_variable wake_;             ///< wakes the thread
  std::condition_variable writer_progress_;  ///< wakes the run when it waits for the thread
  std::vector<Record> queued_;
  std::string failure_;
  bool is_closing_ = false;
  std::uint64_t flushes_wanted_ = 0;
  std::uint64_t flushes_done_ = 0;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<JournalFile> make_queued_journal(std::unique_ptr<JournalFile> next) {
  return std::make_unique<QueuedJournal>(std::move(next));
}

}  // namespace equipoise
