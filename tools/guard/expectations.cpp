// Reads bounds and compares them with results.
#include "tools/guard/expectations.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <limits>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/result_fields.hpp"

namespace equipoise {
namespace {

constexpr double largest = std::numeric_limits<double>::max();

std::string text_or_empty(const JsonObject& object, const std::string& name) {
  return object.find(name) == nullptr ? std::string() : object.text(name);
}

std::optional<double> number_or_none(const JsonObject& object, const std::string& name) {
  if (object.find(name) == nullptr) return std::nullopt;
  return object.number(name, -largest, largest);
}

double confidence_of(const JsonObject& object, double otherwise) {
  if (object.find("confidence") == nullptr) return otherwise;
  const double confidence = object.number("confidence", 0.0, 1.0);
  if (confidence > 0.0 && confidence < 1.0) return confidence;
  throw InputError(object.where(object.at("confidence")),
                   "a confidence is more than 0 and less than 1; give 0.95 or 0.99");
}

Bound bound_from(const JsonValue& value, const std::string& file, double confidence) {
  const JsonObject object(
      value, file, "a bound",
      {"policy", "on", "experiment", "quantity", "at_most", "at_least", "confidence", "note"});
  Bound bound;
  bound.where = object.where();
  bound.spelling = object.text("policy");
  bound.on = text_or_empty(object, "on");
  bound.experiment = text_or_empty(object, "experiment");
  bound.quantity = object.text("quantity");
  bound.at_most = number_or_none(object, "at_most");
  bound.at_least = number_or_none(object, "at_least");
  bound.confidence = confidence_of(object, confidence);
  static_cast<void>(text_or_empty(object, "note"));
  const std::vector<std::string> worlds = {"sim", "real", "paced"};
  if (!bound.on.empty() && std::ranges::find(worlds, bound.on) == worlds.end()) {
    throw InputError(object.where(object.at("on")), unknown_name("world", bound.on, worlds));
  }
  if (!bound.at_most && !bound.at_least) {
    throw InputError(bound.where, "the bound has neither at_most nor at_least; give one of them");
  }
  if (bound.at_most && bound.at_least && *bound.at_most < *bound.at_least) {
    throw InputError(bound.where, "at_most is less than at_least; no number can be both");
  }
  return bound;
}

std::string limit_text(const Bound& bound) {
  if (!bound.at_least) return fmt::format("at most {}", *bound.at_most);
  if (!bound.at_most) return fmt::format("at least {}", *bound.at_least);
  return fmt::format("from {} to {}", *bound.at_least, *bound.at_most);
}

/// What was found, in words: "1.12 (95 % interval 1.1 to 1.14)".
std::string estimate_text(const Estimate& estimate, double confidence) {
  const std::string value = significant(estimate.value, 5);
  if (!estimate.has_interval) return value + " (without an interval)";
  return fmt::format("{} ({:g} % interval {} to {})", value, 100.0 * confidence,
                     significant(estimate.low, 5), significant(estimate.high, 5));
}

Check check_bound(const Bound& bound, const StoredResults& results, const StoredResult& result,
                  const std::string& group) {
  Check check{
      group,
      fmt::format("{} ({}): {} {}", result.spelling, result.on, bound.quantity, limit_text(bound)),
      {}};
  const std::string subject =
      fmt::format("{}: {}{} ({}): {}", bound.where, group.empty() ? "" : group + ": ",
                  result.spelling, result.on, bound.quantity);
  const std::optional<Estimate> found =
      number_of(results, result, bound.quantity, bound.confidence);
  if (!result.verified) {
    check.failure = subject + " cannot be judged, because a run is not verified";
  } else if (!found) {
    check.failure = subject + " is not known";
  } else if ((bound.at_most && found->low > *bound.at_most) ||
             (bound.at_least && found->high < *bound.at_least)) {
    check.failure = fmt::format("{} is {}; expected: {}", subject,
                                estimate_text(*found, bound.confidence), limit_text(bound));
  }
  return check;
}

/// Whether the bound is on this result of the experiment `name`.
bool is_meant(const Bound& bound, const std::string& name, const StoredResult& result) {
  return (bound.spelling == "*" || bound.spelling == result.spelling) &&
         (bound.on.empty() || bound.on == result.on) &&
         (bound.experiment.empty() || ::fnmatch(bound.experiment.c_str(), name.c_str(), 0) == 0);
}

}  // namespace

Expectations read_expectations(const std::string& path) {
  const JsonValue root = read_json_file(path);
  const JsonObject top(root, path, "expectations", {"schema", "confidence", "bounds", "note"});
  expect_schema(top.text("schema"), "equipoise.expect/1", top.where(top.at("schema")));
  static_cast<void>(text_or_empty(top, "note"));
  const double confidence = confidence_of(top, 0.95);
  Expectations expectations{path, {}};
  for (const JsonValue& value : top.list("bounds")) {
    expectations.bounds.push_back(bound_from(value, path, confidence));
  }
  if (expectations.bounds.empty()) {
    throw InputError(top.where(top.at("bounds")), "there are no bounds; give at least one");
  }
  return expectations;
}

void expect_known(const Expectations& expectations, const ExpectedResults& expected) {
  const std::vector<std::string>& spellings = expected.spellings;
  for (const Bound& bound : expectations.bounds) {
    if (bound.spelling != "*" && std::ranges::find(spellings, bound.spelling) == spellings.end()) {
      throw InputError(bound.where,
                       unknown_name("policy of these results", bound.spelling, spellings));
    }
    if (find_quantity(bound.quantity) != nullptr) continue;
    const std::vector<std::string> paths =
        number_paths(bound.quantity, spellings, expected.units, expected.phases);
    if (paths.empty()) {
      throw InputError(bound.where,
                       unknown_name("number of a result", bound.quantity, quantity_names()));
    }
    if (paths.front() != bound.quantity) {
      throw InputError(bound.where, fmt::format("'{}' has several numbers; write '{}'",
                                                bound.quantity, paths.front()));
    }
  }
}

std::optional<Expectations> expectations_of(const std::string& file, const std::string& junit_file,
                                            const ExpectedResults& expected) {
  if (file.empty()) return std::nullopt;
  if (!junit_file.empty()) check_writable(junit_file, "--junit");
  Expectations expectations = read_expectations(file);
  expect_known(expectations, expected);
  return expectations;
}

NamedResults named_results(const Comparison& comparison, const std::string& folder,
                           const std::string& name) {
  const std::string file = folder.empty() ? "results.json" : folder + "/results.json";
  return {name, parse_results(results_text(comparison), file)};
}

std::vector<Check> check_expectations(const Expectations& expectations,
                                      const std::vector<NamedResults>& experiments) {
  std::vector<Check> checks;
  for (const Bound& bound : expectations.bounds) {
    const std::size_t before = checks.size();
    for (const auto& [name, results] : experiments) {
      for (const StoredResult& result : results.results) {
        if (is_meant(bound, name, result)) {
          checks.push_back(check_bound(bound, results, result, name));
        }
      }
    }
    if (checks.size() > before) continue;
    const std::string name = fmt::format("{}{}: {} {}", bound.spelling,
                                         bound.on.empty() ? "" : fmt::format(" ({})", bound.on),
                                         bound.quantity, limit_text(bound));
    checks.push_back(
        {bound.experiment, name, fmt::format("{}: no result is meant by this bound", bound.where)});
  }
  return checks;
}

bool meets(const Expectations& expectations, const std::vector<NamedResults>& experiments,
           const std::string& junit_file, bool prints) {
  const std::vector<Check> checks = check_expectations(expectations, experiments);
  if (prints) {
    const auto hold =
        std::ranges::count_if(checks, [](const Check& check) { return check.failure.empty(); });
    print_out("\nbounds of {}: {} of {} hold\n", expectations.file, hold, checks.size());
  }
  return report_checks(expectations.file, checks, junit_file);
}

}  // namespace equipoise
