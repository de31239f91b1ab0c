// Converts rows of shares to profiles, failures and joins.
#include "traces/availability_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "traces/csv_reader.hpp"

namespace equipoise {
namespace {

/// A share from a time on.
struct Share {
  Seconds since;
  double share = 1.0;
  std::string where;
};

/// The rows of one unit or link.
struct Rows {
  std::string target;
  std::vector<Share> shares;  ///< at least one, times ascend
};

/// Reads the header row. Returns whether the table is of links.
bool is_of_links(CsvReader& reader, const std::string& path) {
  std::vector<std::string> header;
  if (!reader.next(header)) throw InputError(path, "the file is empty; give a table of shares");
  for (const char* target : {"unit", "link"}) {
    if (header == std::vector<std::string>{"time_s", target, "share"}) return target[0] == 'l';
  }
  throw InputError(reader.where(),
                   "a table as a scenario begins with the header row "
                   "time_s,unit,share or time_s,link,share; add it");
}

Share read_share(const std::vector<std::string>& fields, const std::string& where, bool of_links) {
  if (fields.size() != 3) {
    throw InputError(
        where, fmt::format("{} fields where the header row has 3; correct the row", fields.size()));
  }
  Share row{Seconds{csv_number(fields[0], "time_s", where)}, csv_number(fields[2], "share", where),
            where};
  if (row.since < Seconds{}) throw InputError(where, "time_s is below 0; a run starts at 0");
  if (of_links && row.share <= 0.0) {
    throw InputError(where, "the share of a link must be above 0; give a small one");
  }
  if (!of_links && (row.share < 0.0 || row.share > 1.0)) {
    throw InputError(where, fmt::format("share is {}; it must be from 0 (absent) to 1", fields[2]));
  }
  return row;
}

std::vector<Rows> read_rows(CsvReader& reader, bool of_links) {
  std::vector<Rows> all;
  for (std::vector<std::string> fields; reader.next(fields);) {
    Share row = read_share(fields, reader.where(), of_links);
    auto rows = std::ranges::find(all, fields[1], &Rows::target);
    if (rows == all.end()) rows = all.insert(all.end(), {fields[1], {}});
    if (!rows->shares.empty() && row.since <= rows->shares.back().since) {
      throw InputError(row.where,
                       fmt::format("time_s is {}, and {} is later; sort the rows by time",
                                   row.since.value, rows->shares.back().where));
    }
    rows->shares.push_back(row);
  }
  return all;
}

/// The shares above 0 as a profile.
void add_profile(const Rows& rows, bool of_links, ScenarioFile& file) {
  Disturbance event;
  event.kind = of_links ? DisturbanceKind::bandwidth : DisturbanceKind::profile;
  event.target = rows.target;
  for (const Share& row : rows.shares) {
    if (row.share > 0.0) event.profile.push_back({row.since, row.share});
  }
  const auto is_whole = [](const SpeedStep& step) { return step.factor == 1.0; };
  if (std::ranges::all_of(event.profile, is_whole)) return;
  file.add(std::move(event), rows.shares.front().where, false);
}

void add_absences(const Rows& rows, ScenarioFile& file) {
  for (auto row = rows.shares.begin(); row != rows.shares.end(); ++row) {
    if (row->share > 0.0) continue;
    const auto end =
        std::find_if(row, rows.shares.end(), [](const Share& later) { return later.share > 0.0; });
    Disturbance event;
    event.target = rows.target;
    const bool joins = row->since == Seconds{} && end != rows.shares.end();
    event.kind = joins ? DisturbanceKind::join : DisturbanceKind::fail;
    event.at = joins ? end->since : row->since;
    if (!joins && end != rows.shares.end()) event.until = end->since;
    file.add(std::move(event), row->where, false);
    if (end == rows.shares.end()) return;
    row = end;
  }
}

}  // namespace

void read_availability_table(const std::string& path, ScenarioFile& file) {
  CsvReader reader(path);
  const bool of_links = is_of_links(reader, path);
  for (const Rows& rows : read_rows(reader, of_links)) {
    add_profile(rows, of_links, file);
    if (!of_links) add_absences(rows, file);
  }
}

}  // namespace equipoise
