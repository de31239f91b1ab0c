// The format of files with the costs of items.
#include "traces/costs_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/words.hpp"
#include "traces/csv_reader.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_document.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

constexpr const char* costs_schema = "equipoise.costs/1";
constexpr const char* advice =
    "give increasing, decreasing, gaussian, bimodal, exponential, or a "
    "file with the costs of items";

CostsRecord record_in(const std::string& path) {
  const JsonValue document = read_json_file(path);
  const JsonObject top(document, path, "a file of costs", {"schema", "items", "ranges"});
  expect_schema(top.text("schema"), costs_schema, top.where(top.at("schema")));
  CostsRecord record{top.whole("items", 1, static_cast<std::int64_t>(most_countable)), {}};
  Items next = 0;
  for (const JsonValue& value : top.list("ranges")) {
    const auto range = record_of<CostRange>(value, path, "a range", {.is_strict = true});
    if (range.first != next) {
      throw InputError(top.where(value), fmt::format("this range begins at item {}, and the one "
                                                     "before ends before item {}; leave no gaps",
                                                     range.first, next));
    }
    if (range.items > record.items - next) {
      throw InputError(top.where(value), fmt::format("this range ends after the last of {} items; "
                                                     "correct it, or `items`",
                                                     record.items));
    }
    next += range.items;
    record.ranges.push_back(range);
  }
  check_costs(record, top.where(top.at("ranges")));
  return record;
}

CostsRecord column_in(const std::string& path) {
  CsvReader reader(path);
  CostsRecord record;
  std::vector<std::string> fields;
  bool may_be_heading = true;
  while (reader.next(fields)) {
    if (fields.size() != 1) {
      throw InputError(reader.where(), fmt::format("has {} columns; give one, with the cost of an "
                                                   "item in each line",
                                                   fields.size()));
    }
    const bool is_heading =
        std::exchange(may_be_heading, false) && !number_of_all<double>(fields.front());
    if (is_heading) continue;
    const double cost = csv_number(fields.front(), "cost", reader.where());
    if (cost < 0.0 || cost > cost_max) {
      throw InputError(reader.where(), fmt::format("the cost of an item is {}; give numbers from 0 "
                                                   "to {:g}",
                                                   fields.front(), cost_max));
    }
    if (!record.ranges.empty() && record.ranges.back().cost == cost) {
      ++record.ranges.back().items;
    } else {
      record.ranges.push_back({record.items, 1, cost});
    }
    ++record.items;
  }
  if (record.items == 0) throw InputError(path, "has no costs; give one in each line");
  check_costs(record, path);
  return record;
}

}  // namespace

void check_costs(const CostsRecord& record, const std::string& where) {
  Items next = 0;
  double most = 0.0;
  for (const CostRange& range : record.ranges) {
    if (range.first != next || range.items > record.items - next) {
      throw InputError(where, fmt::format("the ranges have to lead from item 0 to {} without gaps; "
                                          "one of {} items begins at {}, not at {}",
                                          record.items, range.items, range.first, next));
    }
    next += range.items;
    most = std::max(most, range.cost);
  }
  if (next != record.items) {
    throw InputError(where, fmt::format("the ranges have {} items, and `items` says {}; correct "
                                        "one of them",
                                        next, record.items));
  }
  if (!(most > 0.0)) throw InputError(where, "no item costs anything; give one a cost above 0");
}

ItemCosts read_costs(const std::string& path, Items items) {
  const std::string text = read_input(path, advice);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && text[first] == '{';
  CostsRecord record = is_json ? record_in(path) : column_in(path);
  if (record.items != items) {
    throw InputError(path, fmt::format("has the costs of {} items, and the workload has {}; give "
                                       "a cost for each",
                                       record.items, items));
  }
  return ItemCosts(std::move(record.ranges));
}

}  // namespace equipoise
