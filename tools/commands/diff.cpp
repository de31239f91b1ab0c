// `equipoise diff`: two results of the same experiment, for example of two commits.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/guard/results_diff.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// The results.json that `path` names: a file, or the one in a folder.
std::string file_at(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return path;
  return (std::filesystem::path(path) / "results.json").string();
}

const Quantity& quantity_called(const std::string& name) {
  const Quantity* const found = find_quantity(name);
  if (found != nullptr) return *found;
  throw InputError("--quantity", unknown_name("quantity", name, quantity_names()));
}

/// What `environment` of results.json says of the program and the date.
std::string made_text(const StoredResults& results) {
  const JsonObject top(results.document, results.file, "a results.json");
  if (top.find("environment") == nullptr) return results.file;
  const JsonObject environment(top.at("environment"), results.file, "an environment");
  const JsonObject machine(environment.at("machine"), results.file, "a machine");
  const std::string& version = environment.text("version");
  return fmt::format("{}: {}, sources {}, {} on {}", results.file,
                     version.substr(0, version.find(" (")), environment.text("source_id"),
                     environment.text("date"), machine.text("name"));
}

std::string verdict_text(const PolicyChange& change) {
  const std::optional<Estimate>& found = change.change ? change.change : change.from_zero;
  if (found && !found->has_interval) return "one run: no interval";
  std::string text =
      change.verdict == Verdict::undecided ? "no difference shown" : word_of(change.verdict);
  if (change.is_paired && change.verdict != Verdict::equal) text += ", paired";
  return text;
}

std::string percent(double share) { return fmt::format("{:+.2f}", 100.0 * share); }

std::string value_or_none(const std::optional<JsonValue>& value) {
  return value ? line_of(json_from(*value)) : "none";
}

std::string table_text(const ResultsDiff& diff, const DiffRequest& request) {
  TextTable table({"policy", "on", "old " + request.quantity, "new", "change %",
                   fmt::format("{:g} % interval", 100.0 * request.confidence), "runs", "verdict"});
  for (const PolicyChange& one : diff.changes) {
    const bool has_interval = one.change && one.change->has_interval;
    table.add({one.spelling, one.on, significant(one.before, 5), significant(one.now, 5),
               one.change ? percent(one.change->value) : "-",
               has_interval ? percent(one.change->low) + " to " + percent(one.change->high) : "-",
               one.repetitions_before == one.repetitions_now
                   ? fmt::format("{}", one.repetitions_now)
                   : fmt::format("{}, {}", one.repetitions_before, one.repetitions_now),
               verdict_text(one)});
  }
  return table.text();
}

void print_text(const ResultsDiff& diff, const StoredResults& before, const StoredResults& now,
                const DiffRequest& request, const std::vector<Check>& checks) {
  print_out("old  {}\nnew  {}\n", made_text(before), made_text(now));
  for (const Difference& one : diff.differences) {
    print_out("differs: {}: {}, now {}\n", one.what, value_or_none(one.before),
              value_or_none(one.now));
  }
  print_out("\n{}", table_text(diff, request));
  const auto list = [](const char* said, const std::vector<std::string>& names) {
    if (!names.empty()) print_out("{}: {}\n", said, fmt::join(names, ", "));
  };
  list("only in old", diff.only_before);
  list("only in new", diff.only_now);
  list("no longer verified", diff.unverified);
  for (const OrderChange& one : diff.orders) {
    print_out("order: {} before {} ({}) with a probability of {:.0f} %, now {:.0f} %\n", one.faster,
              one.slower, one.on, 100.0 * one.p_before, 100.0 * one.p_now);
  }
  const bool is_paired = std::ranges::any_of(diff.changes, &PolicyChange::is_paired);
  print_out("\n{}\n", is_paired
                          ? "paired: repetitions with the same random draws are compared one by one"
                          : "interval: of the ratio of the means, by Welch's t");
  if (request.fail_above) {
    const auto broken =
        std::ranges::count_if(checks, [](const Check& c) { return !c.failure.empty(); });
    print_out("worse by more than {} % for certain: {} of {}\n",
              significant(100.0 * *request.fail_above, 3), broken, counted(checks.size(), "check"));
  }
}

/// Warns if something besides the seed differs, because then the program may not be the cause of a
/// change.
void warn_of_differences(const ResultsDiff& diff) {
  std::vector<std::string> names;
  for (const Difference& one : diff.differences) {
    if (one.what != "seed") names.push_back(one.what);
  }
  if (names.empty()) return;
  warn(fmt::format(
      "the experiments differ in {}; to judge the program alone, compare results of the "
      "same experiment",
      fmt::join(names, ", ")));
}

/// The file, and the member `environment` of its results.json.
Json side_json(const StoredResults& results) {
  const JsonObject top(results.document, results.file, "a results.json");
  const JsonValue* const environment = top.find("environment");
  return {{"file", results.file},
          {"environment", environment == nullptr ? Json() : json_from(*environment)}};
}

Json change_json(const PolicyChange& one) {
  const bool has_interval = one.change && one.change->has_interval;
  return {{"policy", one.spelling},
          {"on", one.on},
          {"old", one.before},
          {"new", one.now},
          {"repetitions_old", one.repetitions_before},
          {"repetitions_new", one.repetitions_now},
          {"change", one.change ? Json(one.change->value) : Json()},
          {"interval", has_interval ? Json::array({one.change->low, one.change->high}) : Json()},
          {"paired", one.is_paired},
          {"verdict", word_of(one.verdict)}};
}

Json diff_json(const ResultsDiff& diff, const StoredResults& before, const StoredResults& now,
               const DiffRequest& request, bool is_kept) {
  Json changes = Json::array();
  for (const PolicyChange& one : diff.changes) changes.push_back(change_json(one));
  Json differences = Json::array();
  for (const Difference& one : diff.differences) {
    differences.push_back({{"what", one.what},
                           {"old", one.before ? json_from(*one.before) : Json()},
                           {"new", one.now ? json_from(*one.now) : Json()}});
  }
  Json orders = Json::array();
  for (const OrderChange& one : diff.orders) {
    orders.push_back({{"faster", one.faster},
                      {"slower", one.slower},
                      {"on", one.on},
                      {"p_old", one.p_before},
                      {"p_new", one.p_now}});
  }
  return {{"schema", "equipoise.diff/1"},
          {"old", side_json(before)},
          {"new", side_json(now)},
          {"quantity", request.quantity},
          {"confidence", request.confidence},
          {"fail_above", json_of(request.fail_above)},
          {"holds", request.fail_above ? Json(is_kept) : Json()},
          {"differences", std::move(differences)},
          {"policies", std::move(changes)},
          {"orders", std::move(orders)},
          {"only_old", diff.only_before},
          {"only_new", diff.only_now},
          {"no_longer_verified", diff.unverified}};
}

}  // namespace

int diff_command(const DiffRequest& request) {
  const Quantity& quantity = quantity_called(request.quantity);
  if (!request.junit_file.empty()) {
    if (!request.fail_above)
      throw InputError("--junit", "says what --fail finds; give --fail, too");
    check_writable(request.junit_file, "--junit");
  }
  const StoredResults before = read_results(file_at(request.before));
  const StoredResults now = read_results(file_at(request.now));
  for (const StoredResults* const results : {&before, &now}) {
    if (results->is_interrupted) warn(results->file + " is of an interrupted comparison");
  }
  const ResultsDiff diff = diff_results(before, now, quantity, request.confidence);
  warn_of_differences(diff);
  std::vector<Check> checks;
  if (request.fail_above) checks = check_diff(diff, now, quantity, *request.fail_above);
  const bool is_kept =
      std::ranges::all_of(checks, [](const Check& c) { return c.failure.empty(); });
  if (request.json) {
    print_json(diff_json(diff, before, now, request, is_kept));
  } else {
    print_text(diff, before, now, request, checks);
  }
  return report_checks("equipoise diff", checks, request.junit_file) ? 0 : 1;
}

}  // namespace equipoise
