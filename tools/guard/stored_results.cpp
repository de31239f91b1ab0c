// Reads results.json, and computes intervals from the repetitions.
#include "tools/guard/stored_results.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/report/json_values.hpp"
#include "tools/report/result_fields.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

/// What is computed from the numbers of repetitions, of this result or of two.
constexpr std::array derived_quantities{Quantity{"over_lower_bound"}, Quantity{"over_best_known"},
                                        Quantity{"speedup_vs_baseline", true},
                                        Quantity{"paired_ratio"}, Quantity{"edp_js"}};

/// The numbers of repetitions, and these.
const std::vector<Quantity>& all_quantities() {
  static const std::vector<Quantity> all = [] {
    std::vector<Quantity> quantities;
    RunFigures().for_each([&](const MemberFacts& facts, auto /*value*/, bool /*is_count*/) {
      quantities.push_back({facts.name});
    });
    quantities.insert(quantities.end(), derived_quantities.begin(), derived_quantities.end());
    return quantities;
  }();
  return all;
}

StoredResult result_from(const JsonValue& value, const std::string& file) {
  const JsonObject entry(value, file, "a result");
  StoredResult result;
  result.spelling = entry.text("spelling");
  result.on = entry.text("on");
  result.verified = is_unchecked(value) || entry.flag("verified");
  const JsonValue* const repetitions = entry.find("repetitions");
  if (repetitions == nullptr || repetitions->list.empty()) {
    throw InputError(entry.where(),
                     "the result has no repetitions, because an older version wrote it; make it "
                     "again with this one");
  }
  for (const JsonValue& one : repetitions->list) {
    const JsonObject repetition(one, file, "a repetition");
    static_cast<void>(repetition.whole("repetition", 0, std::int64_t{1} << 53));
    static_cast<void>(repetition.number("makespan_s", 0.0, std::numeric_limits<double>::max()));
  }
  result.entry = value;
  return result;
}

std::optional<Samples> times(std::optional<Samples> samples, std::optional<double> factor) {
  if (!samples || !factor) return std::nullopt;
  for (double& value : samples->values) value *= *factor;
  return samples;
}

std::optional<double> inverse(std::optional<double> value) {
  if (!value || *value == 0.0) return std::nullopt;
  return 1.0 / *value;
}

double mean(const std::vector<double>& values) { return summarise(values).mean; }

/// The samples of the product of two means over the same repetitions.
std::optional<Samples> product(const std::optional<Samples>& a, const std::optional<Samples>& b) {
  if (!a || !b) return std::nullopt;
  const double mean_a = mean(a->values);
  const double mean_b = mean(b->values);
  Samples samples = *a;
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    samples.values[i] = a->values[i] * mean_b + b->values[i] * mean_a - mean_a * mean_b;
  }
  return samples;
}

}  // namespace

std::optional<Samples> ratio_samples(const Samples& above, const Samples& below) {
  auto [a, b] = paired(above, below);
  if (a.values.empty() || mean(b.values) == 0.0) return std::nullopt;
  const double mean_b = mean(b.values);
  const double ratio = mean(a.values) / mean_b;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    a.values[i] = ratio + (a.values[i] - ratio * b.values[i]) / mean_b;
  }
  return a;
}

StoredResults parse_results(const std::string& text, std::string file) {
  StoredResults results;
  results.document = parse_json(text, file);
  const JsonObject top(results.document, file, "a results.json");
  expect_schema(top.text("schema"), "equipoise.results/1", top.where(top.at("schema")));
  const JsonObject experiment(top.at("experiment"), file, "an experiment");
  results.baseline = experiment.text("baseline");
  if (top.find("reference") != nullptr) results.reference = top.text("reference");
  results.lower_bound_s = number_at(results.document, "lower_bound_s");
  results.best_known_s = number_at(results.document, "best_known_s");
  results.is_interrupted = top.flag("interrupted");
  const JsonValue* const noise = member(results.document, "experiment.sim.noise");
  results.is_noise_free =
      noise != nullptr && !noise->boolean && experiment.text("decision_cost") != "measured";
  for (const JsonValue& value : top.list("results")) {
    results.results.push_back(result_from(value, file));
  }
  results.file = std::move(file);
  return results;
}

StoredResults read_results(const std::string& file) {
  return parse_results(read_input(file, "give a results.json of 'equipoise compare --out'"), file);
}

const StoredResult* find_result(const StoredResults& results, const std::string& policy,
                                const std::string& on) {
  const auto found = std::ranges::find_if(
      results.results, [&](const StoredResult& r) { return r.spelling == policy && r.on == on; });
  return found == results.results.end() ? nullptr : &*found;
}

const Quantity* find_quantity(const std::string& name) {
  std::string stored = name;
  for (const ResultField& field : result_fields()) {
    const std::string heading = field.heading;
    if (heading.empty()) continue;
    if (name == heading || name == heading + " " + field.unit) stored = field.name;
  }
  const auto found = std::ranges::find_if(all_quantities(), [&](const Quantity& one) {
    return stored == one.name || stored == std::string(one.name) + ".mean";
  });
  return found == all_quantities().end() ? nullptr : &*found;
}

std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  for (const Quantity& one : all_quantities()) names.emplace_back(one.name);
  return names;
}

std::optional<Samples> samples_of(const StoredResults& results, const StoredResult& result,
                                  const Quantity& quantity) {
  const std::string name = quantity.name;
  const std::optional<Samples> makespans = samples_at(result.entry, "makespan_s");
  if (name == "over_lower_bound") return times(makespans, inverse(results.lower_bound_s));
  if (name == "over_best_known") return times(makespans, inverse(results.best_known_s));
  if (name == "edp_js") return product(samples_at(result.entry, "energy_j"), makespans);
  const bool is_paired = name == "paired_ratio";
  if (!is_paired && name != "speedup_vs_baseline") return samples_at(result.entry, name);
  const StoredResult* const other =
      find_result(results, is_paired ? results.reference : results.baseline, result.on);
  if (other == nullptr || !other->verified || !makespans) return std::nullopt;
  const std::optional<Samples> of_other = samples_at(other->entry, "makespan_s");
  if (!is_paired) return ratio_samples(*of_other, *makespans);
  Samples ratios = paired_ratios(*makespans, *of_other);
  return ratios.values.empty() ? std::nullopt : std::optional(std::move(ratios));
}

Estimate mean_of(const std::vector<double>& values, double confidence, bool is_exact) {
  const Statistics statistics = summarise(values);
  const double half = half_interval(statistics.sd, values.size(), confidence);
  return {statistics.mean, statistics.mean - half, statistics.mean + half,
          is_exact || values.size() > 1};
}

bool is_exact(const StoredResults& results, const StoredResult& result) {
  return result.on == "sim" && results.is_noise_free;
}

std::optional<Estimate> number_of(const StoredResults& results, const StoredResult& result,
                                  const std::string& name, double confidence) {
  if (const Quantity* const quantity = find_quantity(name)) {
    const std::optional<Samples> samples = samples_of(results, result, *quantity);
    if (!samples) return std::nullopt;
    return mean_of(samples->values, confidence, is_exact(results, result));
  }
  const std::optional<double> value = number_at(result.entry, name);
  if (!value) return std::nullopt;
  return Estimate{*value, *value, *value, is_exact(results, result)};
}

}  // namespace equipoise
