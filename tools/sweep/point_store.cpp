// Appends to locked files, and reads files that a killed sweep may have left incomplete.
#include "tools/sweep/point_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "traces/json_record.hpp"

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

[[noreturn]] void refuse_to_write(const std::string& path, int reason) {
  throw InputError(path, fmt::format("cannot be written: {}; give --out a folder that can",
                                     std::strerror(reason)));
}

[[noreturn]] void refuse_as_foreign(const std::string& path) {
  throw InputError(path + ":1", "is not equipoise.points/1; move it out of the sweep's folder");
}

/// Whether a file with this text has our header, or as much of it as a killed sweep wrote.
bool is_ours(const std::string& text) {
  return text.starts_with(header_line) || header_line.starts_with(text);
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

/// Adds the record in `line`. Throws InputError if it is none.
void keep_line(const std::string& line, StoredPoints& stored) {
  const JsonValue value = parse_json(line, "points");
  const JsonObject object(value, "points", "a record");
  const Reading how{.place = in_points};
  const bool is_search = std::ranges::any_of(value.object, [](const JsonMember& one) {
    return one.name == "schedule" || one.name == "with_noise";
  });
  if (is_search) {
    auto search = record_of<SearchRecord>(value, "points", "a search", how);
    if (search.failure.empty()) {
      static_cast<void>(object.at("best_known_s"));
      static_cast<void>(object.at("best_known_by"));
      if (!search.with_noise) static_cast<void>(object.at("schedule"));
    }
    keep(stored.searches, std::move(search));
  } else {
    auto point = record_of<PointRecord>(value, "points", "a point", how);
    if (point.failure.empty()) static_cast<void>(object.at("report"));
    keep(stored.points, std::move(point));
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
      keep_line(line, stored);
    } catch (const InputError& refusal) {
      warnings.push_back(fmt::format("{}:{}: is no record of a point: {}; its point runs again",
                                     path, number, refusal.why()));
    }
  }
}

/// Locks the file, which is made if there is none.
LockedFile locked(const std::string& path, std::chrono::milliseconds patience) {
  if (!std::fstream(path, std::ios::in | std::ios::out | std::ios::app)) {
    refuse_to_write(path, errno);
  }
  try {
    return {path, patience, EmptyFile::kept};
  } catch (const NoLocks& refusal) {
    throw InputError("--out", refusal.what());
  } catch (const LockHeld&) {
    throw InputError("--out", fmt::format("another sweep is writing {}; wait for it, or split the "
                                          "work with --shard",
                                          path));
  }
}

}  // namespace

std::string points_file(const std::string& folder, const Shard& shard) {
  if (shard.of == 1) return folder + "/points.jsonl";
  return fmt::format("{}/points-{}-of-{}.jsonl", folder, shard.number, shard.of);
}

std::string point_text(const PointRecord& record) { return line_of(json_of(record, in_points)); }

std::string search_text(const SearchRecord& record) { return line_of(json_of(record, in_points)); }

PointWriter::PointWriter(const std::string& folder, const Shard& shard)
    : path_(points_file(folder, shard)),
      lock_(locked(path_, std::chrono::seconds(2))) {  // a killed sweep takes a moment to end
  const std::string text = text_of(path_);
  if (!is_ours(text)) refuse_as_foreign(path_);
  const std::size_t last_end = text.rfind('\n');
  const std::size_t whole = last_end == std::string::npos ? 0 : last_end + 1;
  std::error_code problem;
  if (whole < text.size()) std::filesystem::resize_file(path_, whole, problem);
  if (problem) refuse_to_write(path_, problem.value());
  file_.rdbuf()->pubsetbuf(nullptr, 0);  // each line is written at once, and nothing later
  file_.open(path_, std::ios::binary | std::ios::app);
  if (!file_ || (whole == 0 && !(file_ << header_line))) refuse_to_write(path_, errno);
}

void PointWriter::append_line(const std::string& line) {
  if (file_ << line + "\n") return;
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
  std::ranges::sort(files);
  StoredPoints stored;
  for (const std::string& file : files) read_file(file, stored, warnings);
  return stored;
}

LockedFile lock_results(const std::string& folder) {
  return locked(folder + "/.results.lock", std::chrono::hours(24 * 365));
}

}  // namespace equipoise
