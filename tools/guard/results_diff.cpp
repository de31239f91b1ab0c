// Finds what differs in two experiments, and how much their results do.
#include "tools/guard/results_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "real/kernels/catalog.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/student_t.hpp"
#include "shared_policies/run/results.hpp"
#include "shared_policies/specs/spec.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/json_values.hpp"
#include "tools/worlds/inputs.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

const JsonValue& experiment_of(const StoredResults& results) {
  return JsonObject(results.document, results.file, "a results.json").at("experiment");
}

/// Values of what was read, by what they are of.
using Values = std::map<std::string, const JsonValue*>;

/// The facts of an experiment that change numbers, by name. Files are known by their contents.
/// Policies and repetitions are compared one by one: another build of a policy is what is compared.
Values facts_of(const JsonValue& experiment) {
  Values facts;
  const std::vector<std::string> others = {"policies", "policy_libraries",  "reps",   "on",
                                           "inputs",   "workloads",         "traces", "platform",
                                           "scenario", "workload_spellings"};
  for (const JsonMember& one : experiment.object) {
    if (std::ranges::find(others, one.name) != others.end()) continue;
    if (one.name != "sim" && one.name != "real") {
      facts[one.name] = &one.value;
      continue;
    }
    for (const JsonMember& setting : one.value.object) {
      if (std::ranges::find(others, setting.name) != others.end()) continue;
      facts[one.name + "." + setting.name] = &setting.value;
    }
  }
  return facts;
}

/// The hashes of the input files, by file; files that have the same contents in both are left out.
Values inputs_of(const JsonValue& experiment, const JsonValue& other) {
  const auto all = [](const JsonValue& one) {
    Values hashes;
    const JsonValue* const inputs = member(one, "inputs");
    if (inputs == nullptr) return hashes;
    for (const JsonValue& input : inputs->list) {
      const JsonObject file(input, "results.json", "an input");
      static_cast<void>(file.text("hash"));  // throws if it is none
      hashes["contents of " + file.text("file")] = &file.at("hash");
    }
    return hashes;
  };
  Values hashes = all(experiment);
  const Values others = all(other);
  std::erase_if(hashes, [&](const auto& one) {
    return std::ranges::any_of(others,
                               [&](const auto& o) { return o.second->text == one.second->text; });
  });
  return hashes;
}

void add_differences(const Values& before, const Values& now,
                     std::vector<Difference>& differences) {
  for (const auto& [what, value] : before) {
    const auto found = now.find(what);
    if (found == now.end()) {
      differences.push_back({what, *value, {}});
    } else if (json_from(*found->second) != json_from(*value)) {
      differences.push_back({what, *value, *found->second});
    }
  }
  for (const auto& [what, value] : now) {
    if (!before.contains(what)) differences.push_back({what, {}, *value});
  }
}

/// The machine on which results were made, if they say that.
Values machine_of(const StoredResults& results) {
  const JsonObject top(results.document, results.file, "a results.json");
  if (top.find("environment") == nullptr) return {};
  const JsonObject environment(top.at("environment"), results.file, "an environment");
  return {{"machine", &environment.at("machine")}};
}

/// Where the block times of simulated results come from, if results say that.
Values timings_of(const StoredResults& results) {
  for (const StoredResult& result : results.results) {
    const JsonValue* const timings = member(result.entry, "timings");
    if (timings != nullptr) return {{"timings", timings}};
  }
  return {};
}

/// The pairs whose order is another now.
std::vector<OrderChange> order_changes(const StoredResults& before, const StoredResults& now) {
  std::vector<OrderChange> changes;
  const auto from = [](const StoredResults& of) {
    return text_at(of.document, "model_errors_from").empty();
  };
  if (from(before) != from(now)) return changes;  // probabilities of two kinds
  for (const StoredResult& result : before.results) {
    const JsonValue* const others = member(result.entry, "p_faster");
    const StoredResult* const same = find_result(now, result.spelling, result.on);
    if (others == nullptr || same == nullptr) continue;
    for (const JsonMember& other : others->object) {
      const std::optional<double> p = number_at(same->entry, "p_faster." + other.name);
      if (!p || other.value.number <= 0.5 || *p >= 0.5) continue;
      changes.push_back({result.spelling, other.name, result.on, other.value.number, *p});
    }
  }
  std::ranges::stable_sort(changes, std::ranges::greater(), &OrderChange::p_before);
  return changes;
}

std::vector<Difference> differences_of(const StoredResults& before, const StoredResults& now) {
  std::vector<Difference> differences;
  const JsonValue& then = experiment_of(before);
  const JsonValue& here = experiment_of(now);
  add_differences(facts_of(then), facts_of(here), differences);
  add_differences(inputs_of(then, here), inputs_of(here, then), differences);
  add_differences(timings_of(before), timings_of(now), differences);
  const auto is_real = [](const StoredResult& result) { return result.on != "sim"; };
  if (std::ranges::any_of(now.results, is_real)) {
    add_differences(machine_of(before), machine_of(now), differences);
  }
  return differences;
}

/// mean(now) / mean(before) - 1 by Welch's rule: the samples are independent, and their variances
/// may differ.
Estimate welch_change(const Samples& before, const Samples& now, double confidence, bool exact) {
  const Statistics then = summarise(before.values);
  const Statistics here = summarise(now.values);
  const double ratio = here.mean / then.mean;
  const auto n_before = static_cast<double>(before.values.size());
  const auto n_now = static_cast<double>(now.values.size());
  const double from_now = here.sd * here.sd / n_now / (then.mean * then.mean);
  const double from_before = ratio * ratio * then.sd * then.sd / n_before / (then.mean * then.mean);
  Estimate change{ratio - 1.0, ratio - 1.0, ratio - 1.0, exact};
  if (exact || n_before < 2.0 || n_now < 2.0) return change;
  change.has_interval = true;
  const double variance = from_now + from_before;
  if (variance == 0.0) return change;
  const double degrees =
      variance * variance /
      (from_now * from_now / (n_now - 1.0) + from_before * from_before / (n_before - 1.0));
  const double half = student_t_quantile(degrees, 0.5 + 0.5 * confidence) * std::sqrt(variance);
  change.low -= half;
  change.high += half;
  return change;
}

std::optional<Estimate> paired_change(const Samples& before, const Samples& now, double confidence,
                                      bool exact) {
  const std::optional<Samples> ratios = ratio_samples(now, before);
  if (!ratios) return std::nullopt;
  Estimate change = mean_of(ratios->values, confidence, exact);
  change.value -= 1.0;
  change.low -= 1.0;
  change.high -= 1.0;
  return change;
}

/// What was found; its sign is that of the change.
const Estimate& estimate_of(const PolicyChange& one) {
  return one.change ? *one.change : one.from_zero.value();
}

Verdict verdict_of(const Estimate& change, const Quantity& quantity) {
  if (!change.has_interval) return Verdict::undecided;
  if (change.low == 0.0 && change.high == 0.0) return Verdict::equal;
  if (change.low > 0.0) return quantity.more_is_better ? Verdict::better : Verdict::worse;
  if (change.high < 0.0) return quantity.more_is_better ? Verdict::worse : Verdict::better;
  return Verdict::undecided;
}

std::string name_of(const StoredResult& result) {
  return fmt::format("{} ({})", result.spelling, result.on);
}

std::string workloads_of(const StoredResults& results) {
  return line_of(
      json_from(JsonObject(experiment_of(results), results.file, "an experiment").at("workloads")));
}

/// A kernel and its parameters with their values, however they were typed: with defaults, and 4096
/// for 4Ki.
std::map<std::string, std::string> parsed_workload(const std::string& spelling,
                                                   const std::string& file) {
  const Spec spec = workload_spec(spelling, file);
  std::map<std::string, std::string> parts = {{"", spec.name}};
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.name != spec.name) continue;
    for (const ParameterInfo& p : info.parameters) parts.emplace(p.name, p.default_text);
  }
  for (const auto& [name, value] : spec.parameters) parts[name] = value;
  for (auto& [name, value] : parts) {
    if (const std::optional<double> number = as_number(value)) value = fmt::format("{}", *number);
  }
  return parts;
}

/// Whether two results are of the same workloads.
bool are_of_same_workloads(const StoredResults& a, const StoredResults& b) {
  const auto parsed = [](const StoredResults& results) {
    std::vector<std::map<std::string, std::string>> all;
    const JsonObject experiment(experiment_of(results), results.file, "an experiment");
    for (const JsonValue& one : experiment.list("workloads")) {
      all.push_back(parsed_workload(one.text, results.file));
    }
    return all;
  };
  return parsed(a) == parsed(b);
}

/// "by +10.00 % (interval +9.00 to +11.00 %)", or what can be said of a change from 0.
std::string change_text(const PolicyChange& one) {
  const Estimate& found = estimate_of(one);
  if (one.from_zero) {
    return fmt::format("(interval now {} to {})", significant(found.low, 5),
                       significant(found.high, 5));
  }
  return fmt::format("by {:+.2f} % (interval {:+.2f} to {:+.2f} %)", 100.0 * found.value,
                     100.0 * found.low, 100.0 * found.high);
}

}  // namespace

ResultsDiff diff_results(const StoredResults& before, const StoredResults& now,
                         const Quantity& quantity, double confidence) {
  if (!are_of_same_workloads(before, now)) {
    throw InputError(now.file,
                     fmt::format("is of the workload {}, but {} of {}; compare results of "
                                 "the same workload",
                                 workloads_of(now), before.file, workloads_of(before)));
  }
  ResultsDiff diff;
  diff.differences = differences_of(before, now);
  diff.orders = order_changes(before, now);
  for (const StoredResult& here : now.results) {
    const StoredResult* const then = find_result(before, here.spelling, here.on);
    if (then == nullptr) {
      diff.only_now.push_back(name_of(here));
      continue;
    }
    if (!then->verified || !here.verified) {
      if (then->verified) diff.unverified.push_back(name_of(here));
      continue;
    }
    const std::optional<Samples> old_samples = samples_of(before, *then, quantity);
    const std::optional<Samples> new_samples = samples_of(now, here, quantity);
    if (old_samples && !new_samples) diff.only_before.push_back(name_of(here));
    if (!old_samples && new_samples) diff.only_now.push_back(name_of(here));
    if (!old_samples || !new_samples) continue;
    PolicyChange& change = diff.changes.emplace_back();
    change.spelling = here.spelling;
    change.on = here.on;
    change.before = summarise(old_samples->values).mean;
    change.now = summarise(new_samples->values).mean;
    change.repetitions_before = old_samples->values.size();
    change.repetitions_now = new_samples->values.size();
    const bool exact = is_exact(before, *then) && is_exact(now, here);
    change.is_paired = here.on == "sim" && diff.differences.empty() &&
                       old_samples->repetitions == new_samples->repetitions;
    if (change.before == 0.0) {
      change.from_zero = mean_of(new_samples->values, confidence, exact);
    } else if (change.is_paired) {
      change.change = paired_change(*old_samples, *new_samples, confidence, exact);
    } else {
      change.change = welch_change(*old_samples, *new_samples, confidence, exact);
    }
    change.verdict = verdict_of(estimate_of(change), quantity);
  }
  for (const StoredResult& then : before.results) {
    if (find_result(now, then.spelling, then.on) == nullptr) {
      diff.only_before.push_back(name_of(then));
    }
  }
  if (!diff.changes.empty() || !diff.unverified.empty()) return diff;
  throw InputError(now.file,
                   fmt::format("has no policy of which {} is known here and in {}; compare results "
                               "of the same policies in the same world",
                               quantity.name, before.file));
}

std::vector<Check> check_diff(const ResultsDiff& diff, const StoredResults& now,
                              const Quantity& quantity, double limit) {
  std::vector<Check> checks;
  for (const std::string& policy : diff.unverified) {
    checks.push_back({"", policy + ": verified",
                      fmt::format("{}: {} is not verified any more", now.file, policy)});
  }
  const std::string limit_text = significant(100.0 * limit, 3) + " %";
  for (const PolicyChange& one : diff.changes) {
    const Estimate& found = estimate_of(one);
    if (!found.has_interval) {
      throw InputError("--fail",
                       fmt::format("one repetition of {} ({}) does not show how much repetitions "
                                   "differ; make results with --reps 2 or more",
                                   one.spelling, one.on));
    }
    Check& check = checks.emplace_back();
    check.name = fmt::format("{} ({}): {} not worse by more than {}", one.spelling, one.on,
                             quantity.name, limit_text);
    const double least_harm = quantity.more_is_better ? -found.high : found.low;
    if (least_harm <= (one.change ? limit : 0.0)) continue;
    check.failure = fmt::format("{}: {} ({}): {} changed {}, from {} to {}; --fail allows {}",
                                now.file, one.spelling, one.on, quantity.name, change_text(one),
                                significant(one.before, 5), significant(one.now, 5), limit_text);
  }
  return checks;
}

}  // namespace equipoise
