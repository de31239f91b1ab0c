// Formats records into a buffer that is written to disk in whole lines.
#include "traces/journal_file.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "shared_policies/model/failure.hpp"
#include "traces/json_document.hpp"
#include "traces/line_file.hpp"

namespace equipoise {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

class StreamedJournalFile final : public JournalFile {
 public:
  StreamedJournalFile(const std::string& path, const std::string& header,
                      const std::vector<std::string>& units)
      : file_(std::in_place, path) {
    for (const std::string& unit : units) units_.push_back(json_string(unit));
    buffer_.reserve(buffer_bytes + 4096);
    put(header);
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
    fmt::format_to(std::back_inserter(buffer_),
                   FMT_COMPILE("{{\"block\":{},\"unit\":{},\"iteration\":{},\"phase\":{},"
                               "\"first_item\":{},\"items\":{},\"assigned_s\":{},"
                               "\"setup_s\":{},\"in_s\":{},\"compute_s\":{},\"out_s\":{}"),
                   r.block.id, units_[r.unit.index], r.block.iteration, r.block.phase,
                   r.block.first, r.block.items, r.assigned.value, r.times.setup.value,
                   r.times.in.value, r.times.compute.value, r.times.out.value);
    put_time(",\"setup_at_s\":", r.begins.setup);
    put_time(",\"in_at_s\":", r.begins.in);
    put_time(",\"compute_at_s\":", r.begins.compute);
    put_time(",\"out_at_s\":", r.begins.out);
    put_time(",\"end_s\":", r.end);
    fmt::format_to(std::back_inserter(buffer_), FMT_COMPILE(",\"after_events\":{},\"tag\":\"{}\""),
                   r.after_events, to_string(r.block.tag));
    put_group_and_end(r.block);
  }

  void decision(const DecisionRecord& r) override {
    auto out = std::back_inserter(buffer_);
    fmt::format_to(out,
                   "{{\"decision\":{},\"at_s\":{},\"cost_s\":{},\"end_s\":{},\"by\":{},\"units\":[",
                   json_string(r.decision.what), r.at.value, r.cost.value, r.end.value,
                   r.decision.unit ? units_[r.decision.unit->index] : "\"master\"");
    const char* separator = "";
    for (const UnitEstimate& estimate : r.decision.estimates) {
      fmt::format_to(out, "{}{{\"unit\":{},\"block_items\":{}", separator,
                     units_[estimate.unit.index], estimate.block_items);
      if (!estimate.cost.empty()) fmt::format_to(out, ",\"cost_s\":{}", json_string(estimate.cost));
      if (estimate.r2) fmt::format_to(out, ",\"r2\":{}", *estimate.r2);
      if (estimate.r2_transfer) fmt::format_to(out, ",\"r2_transfer\":{}", *estimate.r2_transfer);
      fmt::format_to(out, "}}");
      separator = ",";
    }
    fmt::format_to(out, "]}}\n");
    flush_when_full();
  }

  void event(const EventRecord& r) override {
    auto out = std::back_inserter(buffer_);
    fmt::format_to(out, "{{\"event\":{},\"at_s\":{}", json_string(r.what), r.at.value);
    if (r.unit) fmt::format_to(out, ",\"unit\":{}", units_[r.unit->index]);
    if (r.disturbance != nullptr) put_disturbance(*r.disturbance);
    if (r.block) {
      fmt::format_to(out,
                     ",\"block\":{},\"iteration\":{},\"phase\":{},\"items\":{},\"assigned_s\":{},"
                     "\"after_events\":{},\"tag\":\"{}\"",
                     r.block->id, r.block->iteration, r.block->phase, r.block->items,
                     r.assigned.value, r.after_events, to_string(r.block->tag));
    }
    if (r.cap_items) fmt::format_to(out, ",\"cap_items\":{}", *r.cap_items);
    put_group_and_end(r.block.value_or(Block{}));
  }

  void measured(const Measured& r) override {
    EQ_CHECK(std::isfinite(r.value), "a meter reads a finite value");
    fmt::format_to(std::back_inserter(buffer_),
                   "{{\"at_s\":{},\"domain\":{},\"what\":{},\"value\":{}}}\n", r.at.value,
                   json_string(r.domain), json_string(r.what), r.value);
    flush_when_full();
  }

  void flush() override {
    file_->append({buffer_.data(), buffer_.size()});
    buffer_.clear();
  }

  void finish(const std::string& summary) override {
    put(summary);
    flush();
    file_.reset();
  }

 private:
  void put(const std::string& line) {
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

  void put_group_and_end(const Block& block) {
    auto out = std::back_inserter(buffer_);
    if (block.group != 0) fmt::format_to(out, FMT_COMPILE(",\"group\":{}"), block.group);
    fmt::format_to(out, FMT_COMPILE("}}\n"));
    flush_when_full();
  }

  /// Writes the members with the names that scenario files use.
  void put_disturbance(const Disturbance& d) {
    auto out = std::back_inserter(buffer_);
    const bool is_of_a_link = d.kind == DisturbanceKind::bandwidth;
    fmt::format_to(out, ",\"{}\":{}", is_of_a_link ? "link" : "unit", json_string(d.target));
    if (d.kind == DisturbanceKind::compete) fmt::format_to(out, ",\"share\":{}", d.amount);
    if (d.kind == DisturbanceKind::slow || (is_of_a_link && d.profile.empty())) {
      fmt::format_to(out, ",\"factor\":{}", d.amount);
    }
    if (d.until < Seconds::infinity()) fmt::format_to(out, ",\"until_s\":{}", d.until.value);
  }

  void flush_when_full() {
    if (buffer_.size() >= buffer_bytes) flush();
  }

  std::vector<std::string> units_;  ///< names as JSON strings
  std::optional<LineFile> file_;    ///< empty after `finish`
  fmt::memory_buffer buffer_;
  Seconds latest_time_;             ///< that `put_time` has put
  fmt::memory_buffer latest_text_;  ///< of it; empty before the first
};

}  // namespace

std::unique_ptr<JournalFile> make_journal_file(const std::string& path, const std::string& header,
                                               const std::vector<std::string>& units) {
  return std::make_unique<StreamedJournalFile>(path, header, units);
}

}  // namespace equipoise
