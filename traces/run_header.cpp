// Reads and writes the header of a run file.
#include <fmt/format.h>

#include <set>

#include "shared_policies/model/failure.hpp"
#include "traces/experience_file.hpp"
#include "traces/json_record.hpp"
#include "traces/run_file.hpp"

namespace equipoise {
namespace {

void check_units(const RunHeader& header, const std::string& where) {
  std::set<std::string> names;
  std::vector<Unit> before;
  for (const RunUnit& one : header.units) {
    check_device(one.unit, before, where);
    if (!names.insert(one.unit.name).second) {
      throw InputError(where, "unit " + one.unit.name + " is listed twice; name each unit once");
    }
    before.push_back(one.unit);
  }
}

void check_workloads(const RunHeader& header, const std::string& where) {
  for (const Workload& workload : header.workloads) {
    workload.validate(where);
    for (const RunUnit& one : header.units) {
      if (holds_a_grain(one.unit, workload)) continue;
      throw InputError(where, "unit " + one.unit.name + " does not hold a grain of " +
                                  workload.kernel +
                                  ", so it cannot have taken part in this run; give another file");
    }
  }
}

void check_experience(const RunHeader& header, const std::string& where) {
  const auto expect_size = [&](std::size_t found, std::size_t expected, const char* what) {
    if (found == expected) return;
    throw InputError(
        where,
        fmt::format("'experience' has one entry for each {} of the run; write it again", what));
  };
  if (header.experience.empty()) return;
  expect_size(header.experience.size(), header.workloads.size(), "workload");
  for (const auto& phase : header.experience) {
    expect_size(phase.size(), header.units.size(), "unit");
    for (const auto& cost : phase) {
      if (cost) check_cost(*cost, where);
    }
  }
}

}  // namespace

RunHeader read_run_header(const JsonValue& line, const std::string& path) {
  const JsonObject object(line, path, "the header of a run file");
  const std::string& schema = object.text("schema");
  expect_schema(schema, "equipoise.run/1", object.where());
  auto header = record_of<RunHeader>(line, path, "the header of a run file", {.place = in_runs});
  header.has_setup = schema != "equipoise.run/1";
  check_units(header, object.where());
  check_workloads(header, object.where());
  check_experience(header, object.where());
  return header;
}

std::string run_header_line(const RunHeader& header) {
  Json line = {{"schema", "equipoise.run/1.1"}};
  put_members(line, header, in_runs);
  return line_of(line);
}

}  // namespace equipoise
