// Run files: records are formatted into a buffer that is written in whole lines, by a thread of its
// own if the run must not wait for that.
#include "traces/journal_file.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/overload.hpp"
#include "traces/files/locked_file.hpp"
#include "traces/json_document.hpp"
#include "traces/line_file.hpp"

namespace equipoise {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

class StreamedJournalFile final : public JournalFile {
 public:
  StreamedJournalFile(const std::string& path, const std::string& header,
                      const std::vector<std::string>& units, std::optional<std::uint64_t> bytes_max)
      : path_(path), bytes_max_(bytes_max), file_(std::in_place, path) {
    for (const std::string& unit : units) units_.push_back(json_string(unit));
    buffer_.reserve(buffer_bytes + 4096);
    put_line(header);
    flush();
  }

  ~StreamedJournalFile() override {
    if (!file_) return;
    try {
      flush();
    } catch (const std::runtime_error&) {  // an interrupted run: the failure cannot be reported any
                                           // more
    }
  }

  void block(const BlockRecord& r) override {
    if (!file_) return;
    put(FMT_COMPILE("{{\"block\":{},\"unit\":{},\"iteration\":{},\"phase\":{},"
                    "\"first_item\":{},\"items\":{},\"assigned_s\":{}"),
        r.block.id, units_[r.unit.index], r.block.iteration, r.block.phase, r.block.first,
        r.block.items, r.assigned.value);
    put_stages(r.times, r.begins);
    put_time(",\"end_s\":", r.end);
    put(FMT_COMPILE(",\"after_events\":{},\"tag\":\"{}\""), r.after_events, to_string(r.block.tag));
    put_kinship(r.block);
    put_end(r.node);
  }

  void decision(const DecisionRecord& r) override {
    put("{{\"decision\":{},\"at_s\":{},\"cost_s\":{},\"end_s\":{},\"by\":{},\"units\":[",
        json_string(std::string(decision_word(r.decision.what))), r.at.value, r.cost.value,
        r.end.value, r.decision.unit ? units_[r.decision.unit->index] : "\"master\"");
    const char* separator = "";
    for (const UnitEstimate& estimate : r.decision.estimates) {
      put("{}{{\"unit\":{},\"block_items\":{}", separator, units_[estimate.unit.index],
          estimate.block_items);
      if (!estimate.cost.empty()) put(",\"cost_s\":{}", json_string(estimate.cost));
      if (estimate.r2) put(",\"r2\":{}", *estimate.r2);
      if (estimate.r2_transfer) put(",\"r2_transfer\":{}", *estimate.r2_transfer);
      put("}}");
      separator = ",";
    }
    put("]");
    put_end(r.node);
  }

  void event(const EventRecord& r) override {
    put("{{\"event\":{},\"at_s\":{}", json_string(std::string(word_of(r.what))), r.at.value);
    std::visit(Overload{[this](const LostBlock& lost) {
                          put_handed_out(lost);
                          if (lost.cap_items) {
                            put(",\"cap_items\":{}", *lost.cap_items);
                          }
                          put_kinship(lost.block);
                          if (lost.by == LostBy::unit) return;
                          put(",\"by\":\"{}\",\"goes_on\":{}", word_of(lost.by), lost.goes_on);
                        },
                        [this](const LateEnd& late) { put_late(late); },
                        [this](const ProbeBegin& begin) { put_probe(begin); },
                        [this](const Probed& probed) { put_probed(probed); },
                        [this](const UnfinishedBlock& left) {
                          put_handed_out(left);
                          put_kinship(left.block);
                        },
                        [this](const OneOf<UnitLost, UnitJoined> auto& of) { put_unit(of.unit); },
                        [this](const Disturbance& disturbance) { put_disturbance(disturbance); },
                        [this](const IterationBegin& begin) { put_node_block(begin); },
                        [](const OneOf<TimerEnd, PolicyStall, Note> auto& /*no members*/) {}},
               r.what);
    put_end(r.node);
  }

  void measured(const Measured& r) override {
    EQ_CHECK(std::isfinite(r.value), "a meter reads a finite value");
    put("{{\"at_s\":{},\"domain\":{},\"what\":{},\"value\":{}", r.at.value, json_string(r.domain),
        json_string(r.what), r.value);
    put_end(r.node);
  }

  void flush() override {
    bytes_ += buffer_.size();
    if (bytes_max_ && bytes_ >= *bytes_max_) give_up();
    if (file_) file_->append({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  void finish(const std::string& summary) override {
    put_line(summary);
    flush();
    file_.reset();
  }

 private:
  /// Removes the file; there is none from now on.
  void give_up() {
    file_.reset();
    std::error_code none;
    std::filesystem::remove(target_of_links(path_), none);
  }

  /// Appends formatted text. Formats of what every block has are compiled.
  template <class... T>
  void put(fmt::format_string<const T&...> format, const T&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, values...);
  }
  template <class Compiled, class... T>
  requires std::is_class_v<Compiled>
  void put(const Compiled& format, const T&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, values...);
  }

  void put_line(const std::string& line) {
    buffer_.append(line.data(), line.data() + line.size());
    buffer_.push_back('\n');
  }

  /// Appends `name` and `time`. Times of one block are often equal; the text of the time before it
  /// is copied then, which takes less than formatting it again.
  void put_time(std::string_view name, Seconds time) {
    if (time != latest_time_ || latest_text_.size() == 0) {
      latest_time_ = time;
      latest_text_.clear();
      fmt::format_to(std::back_inserter(latest_text_), FMT_COMPILE("{}"), time.value);
    }
    buffer_.append(name.data(), name.data() + name.size());
    buffer_.append(latest_text_.data(), latest_text_.data() + latest_text_.size());
  }

  void put_unit(UnitId unit) { put(",\"unit\":{}", units_[unit.index]); }

  /// Appends the members of a block that was handed out and not accepted.
  template <class Handed>
  void put_handed_out(const Handed& of) {
    put_unit(of.unit);
    put(",\"block\":{},\"iteration\":{},\"phase\":{},\"items\":{},\"assigned_s\":{},"
        "\"after_events\":{},\"tag\":\"{}\"",
        of.block.id, of.block.iteration, of.block.phase, of.block.items, of.assigned.value,
        of.after_events, to_string(of.block.tag));
  }

  /// Appends the times and begins of a block's stages.
  void put_stages(const StageTimes& times, const StageTimes& begins) {
    put(FMT_COMPILE(",\"setup_s\":{},\"in_s\":{},\"compute_s\":{},\"out_s\":{}"), times.setup.value,
        times.in.value, times.compute.value, times.out.value);
    put_time(",\"setup_at_s\":", begins.setup);
    put_time(",\"in_at_s\":", begins.in);
    put_time(",\"compute_at_s\":", begins.compute);
    put_time(",\"out_at_s\":", begins.out);
  }

  /// Appends a block that has ended although it was lost. What else is known of it stands where it
  /// was lost.
  void put_late(const LateEnd& late) {
    put_unit(late.unit);
    put(",\"block\":{},\"iteration\":{},\"phase\":{},\"items\":{},\"assigned_s\":{}", late.block.id,
        late.block.iteration, late.block.phase, late.block.items, late.assigned.value);
    put_stages(late.times, late.begins);
  }

  void put_probe(const ProbeBegin& begin) {
    const Probe& probe = begin.probe;
    put_unit(begin.unit);
    put(",\"probe\":{},\"number\":{},\"there_bytes\":{}", probe.id, probe.number,
        static_cast<std::uint64_t>(probe.there_bytes));
    if (probe.back_bytes) {
      put(",\"back_bytes\":{}", static_cast<std::uint64_t>(*probe.back_bytes));
    }
    put(",\"after_blocks\":{}", begin.after_blocks);
  }

  /// Appends how a probe has ended. What it asked for stands where it began.
  void put_probed(const Probed& probed) {
    put_unit(probed.unit);
    put(",\"probe\":{}", probed.probe.id);
    if (!probed.times) return;
    put(",\"there_at_s\":{},\"there_s\":{},\"back_at_s\":{},\"back_s\":{}",
        probed.times->there_at.value, probed.times->there.value, probed.times->back_at.value,
        probed.times->back.value);
  }

  /// Appends which other blocks this one has to do with.
  void put_kinship(const Block& block) {
    if (block.group != 0) put(FMT_COMPILE(",\"group\":{}"), block.group);
    if (block.copy_of) put(FMT_COMPILE(",\"copy_of\":{}"), *block.copy_of);
    if (block.node_block) put(FMT_COMPILE(",\"node_block\":{}"), *block.node_block);
  }

  /// Appends the block that a node's agent begins to divide.
  void put_node_block(const IterationBegin& begin) {
    if (!begin.node_block) return;
    const Block& block = *begin.node_block;
    put(",\"node_block\":{},\"iteration\":{},\"phase\":{},\"first_item\":{},\"items\":{}", block.id,
        block.iteration, block.phase, block.first, block.items);
  }

  /// `node`: whose agent has written the record.
  void put_end(std::optional<UnitId> node) {
    if (node) put(FMT_COMPILE(",\"node\":{}"), units_[node->index]);
    put(FMT_COMPILE("}}\n"));
    flush_when_full();
  }

  /// Writes the members with the names that scenario files use.
  void put_disturbance(const Disturbance& d) {
    const bool is_of_a_link = d.kind == DisturbanceKind::bandwidth;
    put(",\"{}\":{}", is_of_a_link ? "link" : "unit", json_string(d.target));
    if (d.kind == DisturbanceKind::compete) put(",\"share\":{}", d.amount);
    if (d.kind == DisturbanceKind::slow || (is_of_a_link && d.profile.empty())) {
      put(",\"factor\":{}", d.amount);
    }
    if (d.until < Seconds::infinity()) put(",\"until_s\":{}", d.until.value);
  }

  void flush_when_full() {
    if (buffer_.size() >= buffer_bytes) flush();
  }

  std::string path_;
  std::optional<std::uint64_t> bytes_max_;  ///< from which on it is given up
  std::uint64_t bytes_ = 0;                 ///< written so far
  std::vector<std::string> units_;          ///< names as JSON strings
  std::optional<LineFile> file_;            ///< empty after `finish`, and when it is given up
  fmt::memory_buffer buffer_;
  Seconds latest_time_;             ///< that `put_time` has put
  fmt::memory_buffer latest_text_;  ///< of it; empty before the first
};

}  // namespace

std::unique_ptr<JournalFile> make_journal_file(const std::string& path, const std::string& header,
                                               const std::vector<std::string>& units,
                                               std::optional<std::uint64_t> bytes_max) {
  return std::make_unique<StreamedJournalFile>(path, header, units, bytes_max);
}

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
