// Formats records into a buffer that goes to disk in whole lines.
#include "traces/journal_file.hpp"

#include <fcntl.h>
#include <fmt/compile.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <stdexcept>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

/// `text` as a JSON string.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

class StreamedJournalFile final : public JournalFile {
 public:
  StreamedJournalFile(const std::string& path, const std::string& header,
                      const std::vector<std::string>& units)
      : path_(path) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) {
      throw InputError(path, std::string("cannot be written: ") + std::strerror(errno) +
                                 "; give --out a path that can");
    }
    for (const std::string& unit : units) units_.push_back(quoted(unit));
    buffer_.reserve(buffer_bytes + 4096);
    put(header);
    flush();
  }

  ~StreamedJournalFile() override {
    if (file_ < 0) return;
    static_cast<void>(write_out());  // an interrupted run; nobody is left to tell of a failure
    ::close(file_);
  }

  void block(const BlockRecord& r) override {
    fmt::format_to(std::back_inserter(buffer_),
                   FMT_COMPILE("{{\"block\":{},\"unit\":{},\"iteration\":{},\"phase\":{},"
                               "\"first_item\":{},\"items\":{},\"assigned_s\":{},\"in_s\":{},"
                               "\"compute_s\":{},\"out_s\":{},\"end_s\":{},\"after_events\":{},"
                               "\"tag\":\"{}\""),
                   r.block.id, units_[r.unit.index], r.block.iteration, r.block.phase,
                   r.block.first, r.block.items, r.assigned.value, r.times.in.value,
                   r.times.compute.value, r.times.out.value, r.end.value, r.after_events,
                   to_string(r.block.tag));
    put_group_and_end(r.block);
  }

  void decision(const DecisionRecord& r) override {
    auto out = std::back_inserter(buffer_);
    fmt::format_to(out,
                   "{{\"decision\":{},\"at_s\":{},\"cost_s\":{},\"end_s\":{},\"by\":{},\"units\":[",
                   quoted(r.thought.what), r.at.value, r.cost.value, r.end.value,
                   r.thought.unit ? units_[r.thought.unit->index] : "\"master\"");
    const char* separator = "";
    for (const UnitBelief& belief : r.thought.beliefs) {
      fmt::format_to(out, "{}{{\"unit\":{},\"block_items\":{}", separator,
                     units_[belief.unit.index], belief.block_items);
      if (!belief.cost.empty()) fmt::format_to(out, ",\"cost_s\":{}", quoted(belief.cost));
      if (belief.r2) fmt::format_to(out, ",\"r2\":{}", *belief.r2);
      if (belief.r2_transfer) fmt::format_to(out, ",\"r2_transfer\":{}", *belief.r2_transfer);
      fmt::format_to(out, "}}");
      separator = ",";
    }
    fmt::format_to(out, "]}}\n");
    flush_when_full();
  }

  void event(const EventRecord& r) override {
    auto out = std::back_inserter(buffer_);
    fmt::format_to(out, "{{\"event\":{},\"at_s\":{}", quoted(r.what), r.at.value);
    if (r.unit) fmt::format_to(out, ",\"unit\":{}", units_[r.unit->index]);
    if (r.disturbance != nullptr) put_disturbance(*r.disturbance);
    if (r.block) {
      fmt::format_to(out,
                     ",\"block\":{},\"iteration\":{},\"phase\":{},\"items\":{},\"assigned_s\":{},"
                     "\"after_events\":{},\"tag\":\"{}\"",
                     r.block->id, r.block->iteration, r.block->phase, r.block->items,
                     r.assigned.value, r.after_events, to_string(r.block->tag));
    }
    put_group_and_end(r.block.value_or(Block{}));
  }

  void flush() override {
    if (!write_out()) {
      const std::string reason = std::strerror(errno);
      ::close(file_);
      file_ = -1;
      throw std::runtime_error(path_ + ": the run file cannot be written on: " + reason +
                               "; its lines so far can be read");
    }
  }

  void finish(const std::string& summary) override {
    put(summary);
    flush();
    ::close(file_);
    file_ = -1;
  }

 private:
  void put(const std::string& line) {
    buffer_.append(line.data(), line.data() + line.size());
    buffer_.push_back('\n');
  }

  void put_group_and_end(const Block& block) {
    auto out = std::back_inserter(buffer_);
    if (block.group != 0) fmt::format_to(out, FMT_COMPILE(",\"group\":{}"), block.group);
    fmt::format_to(out, FMT_COMPILE("}}\n"));
    flush_when_full();
  }

  /// In the words of scenario files.
  void put_disturbance(const Disturbance& d) {
    auto out = std::back_inserter(buffer_);
    const bool is_of_a_link = d.kind == DisturbanceKind::bandwidth;
    fmt::format_to(out, ",\"{}\":{}", is_of_a_link ? "link" : "unit", quoted(d.target));
    if (d.kind == DisturbanceKind::compete) fmt::format_to(out, ",\"share\":{}", d.amount);
    if (d.kind == DisturbanceKind::slow || is_of_a_link) {
      fmt::format_to(out, ",\"factor\":{}", d.amount);
    }
    if (d.until < Seconds::infinity()) fmt::format_to(out, ",\"until_s\":{}", d.until.value);
  }

  void flush_when_full() {
    if (buffer_.size() >= buffer_bytes) flush();
  }

  /// Writes the buffer; what a full disk did not take is cut back to the last whole line.
  [[nodiscard]] bool write_out() {
    std::size_t written = 0;
    while (written < buffer_.size()) {
      const ssize_t n = ::write(file_, buffer_.data() + written, buffer_.size() - written);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        const int reason = errno;
        cut_partial_line(written);
        errno = reason;
        return false;
      }
      written += static_cast<std::size_t>(n);
    }
    buffer_.clear();
    return true;
  }

  void cut_partial_line(std::size_t written) const {
    std::size_t whole = written;
    while (whole > 0 && buffer_.data()[whole - 1] != '\n') --whole;
    const off_t end = ::lseek(file_, 0, SEEK_CUR);
    if (end >= 0 && ::ftruncate(file_, end - static_cast<off_t>(written - whole)) != 0) return;
  }

  std::string path_;
  std::vector<std::string> units_;  ///< names as JSON strings
  int file_ = -1;
  fmt::memory_buffer buffer_;
};

}  // namespace

std::unique_ptr<JournalFile> make_journal_file(const std::string& path, const std::string& header,
                                               const std::vector<std::string>& units) {
  return std::make_unique<StreamedJournalFile>(path, header, units);
}

}  // namespace equipoise
