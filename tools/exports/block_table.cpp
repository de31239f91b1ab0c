// Writes the rows of tables of blocks and repetitions.
#include "tools/exports/formats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <variant>

#include "shared_policies/model/failure.hpp"
#include "tools/report/result_fields.hpp"

namespace equipoise {
namespace {

/// Writes the rows of one run.
class BlockRows {
 public:
  BlockRows(const RunFile& file, ExportFile& out)
      : run_(file.run),
        out_(out),
        start_(fmt::format("{},{},{},{},", csv_quoted(file.path), csv_quoted(file.header.spelling),
                           csv_quoted(file.header.on), file.header.repetition)) {}

  void operator()(const BlockRecord& r) {
    row(r.unit, r.block, "done", fmt::format("{}", r.block.first),
        fmt::format("{},{},{},{},{},{},{},{},{}", csv_number(r.assigned.value),
                    csv_number(r.begins.setup.value), csv_number(r.times.setup.value),
                    csv_number(r.begins.in.value), csv_number(r.times.in.value),
                    csv_number(r.begins.compute.value), csv_number(r.times.compute.value),
                    csv_number(r.begins.out.value), csv_number(r.times.out.value)),
        r.end);
  }
  void operator()(const EventRecord& r) {
    if (const auto* lost = std::get_if<LostBlock>(&r.what)) {
      not_done(*lost, lost->by == LostBy::unit ? "lost" : word_of(lost->by), r.at);
    }
    if (const auto* left = std::get_if<UnfinishedBlock>(&r.what)) {
      not_done(*left, "outstanding", r.at);
    }
  }
  template <class Other>
  void operator()(const Other& /*no block*/) const {}

 private:
  template <class Handed>
  void not_done(const Handed& of, const char* status, Seconds end) {
    row(of.unit, of.block, status, "", csv_number(of.assigned.value) + ",,,,,,,,", end);
  }
  void row(UnitId unit, const Block& b, const char* status, const std::string& first,
           const std::string& times, Seconds end) {
    const Workload& workload = run_.phases[static_cast<std::size_t>(b.phase)];
    out_.put(start_);
    out_.put(fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n",
                         csv_quoted(run_.units[unit.index].name), b.id, b.phase,
                         csv_quoted(workload.kernel), b.iteration, to_string(b.tag), status, first,
                         b.items, times, csv_number(end.value)));
  }

  const RecordedRun& run_;
  ExportFile& out_;
  std::string start_;  ///< the cells that are the same in every row
};

/// A table whose columns are found while its rows are filled.
struct GrowingTable {
  std::vector<std::string> columns;
  std::vector<std::map<std::string, std::string>> rows;  ///< cells by column

  void set(const std::string& column, const std::string& text) {
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
    rows.back()[column] = text;
  }
  /// The members of `value` under `name`; those of an object one by one.
  void set(const std::string& name, const JsonValue& value) {
    switch (value.kind) {
      case JsonValue::Kind::object:
        for (const JsonMember& member : value.object) {
          set(name.empty() ? member.name : name + "." + member.name, member.value);
        }
        break;
      case JsonValue::Kind::boolean:
        set(name, std::string(value.boolean ? "true" : "false"));
        break;
      case JsonValue::Kind::list:  // more than a cell holds
        break;
      default:
        set(name, csv_quoted(value.text));
    }
  }
};

void add_repetitions(const ResultsDocument& document, GrowingTable& table) {
  const JsonObject top(document.value, document.file, "a results.json");
  const JsonValue* const bound = top.find("lower_bound_s");
  for (const JsonValue& value : top.list("results")) {
    const JsonObject result(value, document.file, "a result");
    if (result.find("repetitions") == nullptr) {
      throw InputError(result.where(),
                       "the result has no repetitions, because an older version wrote it; make it "
                       "again with this one");
    }
    for (const JsonValue& repetition : result.list("repetitions")) {
      table.rows.emplace_back();
      table.set("results", csv_quoted(document.file));
      table.set("policy", csv_quoted(result.text("spelling")));
      table.set("on", csv_quoted(result.text("on")));
      table.set("lower_bound_s", bound == nullptr ? "" : bound->text);
      table.set("", repetition);
    }
  }
}

}  // namespace

void put_block_headings(ExportFile& out) {
  out.put(
      "run,policy,on,repetition,unit,block,phase,kernel,iteration,tag,status,first_item,items,"
      "assigned_s,setup_at_s,setup_s,in_at_s,in_s,compute_at_s,compute_s,out_at_s,out_s,end_s\n");
}

void put_blocks(const RunFile& file, ExportFile& out) {
  BlockRows rows(file, out);
  for (const RecordedLine& line : file.run.lines) std::visit(rows, line.what);
}

void put_repetitions(const std::vector<ResultsDocument>& results, ExportFile& out) {
  GrowingTable table;
  for (const ResultsDocument& document : results) add_repetitions(document, table);
  std::vector<std::string> headings;
  for (const std::string& column : table.columns) headings.push_back(csv_quoted(column));
  out.put(fmt::format("{}\n", fmt::join(headings, ",")));
  for (auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const std::string& column : table.columns) cells.push_back(row[column]);
    out.put(fmt::format("{}\n", fmt::join(cells, ",")));
  }
}

}  // namespace equipoise
