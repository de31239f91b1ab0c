// Appends with file locks, and reads files that a killed sweep may have left incomplete.
#include "tools/sweep/point_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <variant>

#include "shared_policies/model/failure.hpp"
#include "sim/child_process.hpp"
#include "tools/sweep/sweep_text.hpp"

namespace equipoise {
namespace {

const std::string header = "{\"schema\":\"equipoise.points/1\"}";
const std::string header_line = header + "\n";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

[[noreturn]] void refuse(const std::string& path) {
  throw InputError(path, fmt::format("cannot be written: {}; give --out a folder that can",
                                     std::strerror(errno)));
}

[[noreturn]] void refuse_as_foreign(const std::string& path) {
  throw InputError(path + ":1", "is not equipoise.points/1; move it out of the sweep's folder");
}

/// Whether a file with this text has our header, or as much of it as a killed sweep wrote.
bool is_ours(const std::string& text) {
  return text.starts_with(header_line) || header_line.starts_with(text);
}

/// Locks the file for this process. Retries for a while, because a killed sweep takes a moment to
/// end.
bool lock(int fd) {
  constexpr int attempts = 100;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

/// Stores `record`, unless a record with a result is already there.
template <class Record>
void keep(std::map<std::string, Record>& known, Record record) {
  const auto found = known.find(record.key);
  if (found == known.end()) {
    known.emplace(record.key, std::move(record));
  } else if (!found->second.failure.empty() && record.failure.empty()) {
    found->second = std::move(record);
  }
}

/// Reads the records of one file.
void read_file(const std::string& path, StoredPoints& stored, std::vector<std::string>& warnings) {
  std::istringstream lines(text_of(path));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (lines.eof()) break;  // no newline: incomplete, or being written
    if (number == 1) {
      if (line == header) continue;
      refuse_as_foreign(path);
    }
    try {
      StoredLine record = stored_line_from(line);
      if (auto* point = std::get_if<PointRecord>(&record)) {
        keep(stored.points, std::move(*point));
      } else {
        keep(stored.searches, std::get<SearchRecord>(std::move(record)));
      }
    } catch (const InputError& refusal) {
      warnings.push_back(
          fmt::format("{}:{}: {}; its point runs again", path, number, refusal.why()));
    }
  }
}

}  // namespace

std::string points_file(const std::string& folder, const Shard& shard) {
  if (shard.of == 1) return folder + "/points.jsonl";
  return fmt::format("{}/points-{}-of-{}.jsonl", folder, shard.number, shard.of);
}

PointWriter::PointWriter(const std::string& folder, const Shard& shard)
    : path_(points_file(folder, shard)) {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) refuse(path_);
  if (!lock(fd_)) {
    ::close(fd_);
    throw InputError("--out", fmt::format("another sweep is writing {}; wait for it, or split the "
                                          "work with --shard",
                                          path_));
  }
  const std::string text = text_of(path_);
  if (!is_ours(text)) {
    ::close(fd_);
    refuse_as_foreign(path_);
  }
  const std::size_t last_end = text.rfind('\n');
  const std::size_t whole = last_end == std::string::npos ? 0 : last_end + 1;
  if (whole < text.size() && ::ftruncate(fd_, static_cast<off_t>(whole)) != 0) refuse(path_);
  if (whole == 0 && !write_all(fd_, header_line)) refuse(path_);
}

PointWriter::~PointWriter() { ::close(fd_); }

void PointWriter::append(const PointRecord& record) { append_line(point_text(record)); }

void PointWriter::append(const SearchRecord& record) { append_line(search_text(record)); }

void PointWriter::append_line(const std::string& line) {
  if (write_all(fd_, line + "\n")) return;
  throw std::runtime_error(
      fmt::format("{}: cannot be written any further: {}; make room there, and the sweep goes on "
                  "where it stopped",
                  path_, std::strerror(errno)));
}

StoredPoints read_points(const std::string& folder, std::vector<std::string>& warnings) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("points") && name.ends_with(".jsonl")) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  StoredPoints stored;
  for (const std::string& file : files) read_file(file, stored, warnings);
  return stored;
}

ResultsLock::ResultsLock(const std::string& folder) {
  const std::string path = folder + "/.results.lock";
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) refuse(path);
  while (::flock(fd_, LOCK_EX) != 0) {
    if (errno != EINTR) {
      ::close(fd_);
      refuse(path);
    }
  }
}

ResultsLock::~ResultsLock() { ::close(fd_); }

}  // namespace equipoise
