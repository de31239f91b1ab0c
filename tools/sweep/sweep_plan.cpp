// Machines that experiments share, keys of points, and shards.
#include "tools/sweep/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/platform.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/report/result_fields.hpp"
#include "tools/runs/version.hpp"
#include "tools/worlds/comparison.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/sim_machine_loading.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// What runs depend on besides the machine.
std::string settings_text(const RunSettings& settings) {
  return line_of(json_of(settings, in_campaigns));
}

/// What searches for schedules depend on, which know no noise.
std::string settings_text_without_noise(RunSettings settings) {
  settings.noise = RunSettings().noise;
  return settings_text(settings);
}

/// Loads machines, each one once.
class LoadedMachines {
 public:
  /// The machine of `options`. Throws InputError, again for every call, if it cannot be loaded.
  std::shared_ptr<SimMachine> get(const RunOptions& options) {
    std::string key = options.platform_file;
    for (const std::string& file : options.trace_files) key += "\n" + file;
    key += "\n";
    for (const std::string& map : options.maps) key += "\n" + map;
    key += "\n";
    for (const std::string& workload : options.workloads) key += "\n" + workload;
    key += "\n" + options.scenario_file;
    if (options.dispatch_cost) key += fmt::format("\n{}", options.dispatch_cost->value);
    key += "\n" + options.per_node + "\n" + settings_text_without_noise(options);
    const auto known = machines_.find(key);
    if (known != machines_.end()) return known->second;
    auto machine = std::make_shared<SimMachine>(load_sim_machine(options));
    machines_.emplace(key, machine);
    return machine;
  }

 private:
  std::map<std::string, std::shared_ptr<SimMachine>> machines_;
};

/// Hashes of file contents; each file is hashed once.
class FileHashes {
 public:
  const std::string& of(const std::string& path) {
    const auto known = hashes_.find(path);
    if (known != hashes_.end()) return known->second;
    return hashes_.emplace(path, hash_of_file(path)).first->second;
  }

 private:
  std::map<std::string, std::string> hashes_;
};

void add_policy(const PolicyChoice& choice, FileHashes& files, ContentHash& hash) {
  hash.add(choice.spelling);
  if (!choice.loaded_from.empty()) hash.add(choice.loaded_hash);
  const auto profile = choice.parameters.find("profile");
  if (profile != choice.parameters.end()) hash.add(files.of(profile->second));
}

/// A hash of the simulated machine and of the policy of its nodes, without the experiment's name,
/// seed, noise and policy.
ContentHash machine_fingerprint(const PlannedExperiment& planned, FileHashes& files) {
  const ComparisonOptions& o = planned.experiment.options;
  ContentHash hash;
  hash.add("equipoise.points/1");
  hash.add(built_with_text());
  hash.add(source_id());
  const PlatformSource& platform = planned.machine->setup.source;
  hash.add(platform.xml);
  for (const std::string& profile : platform.profiles) hash.add(profile);
  for (const std::string& file : o.trace_files) hash.add(files.of(file));
  hash.add("scenario");
  for (const std::string& file : planned.machine->inputs->scenario_files) hash.add(files.of(file));
  hash.add("workloads");
  for (const std::string& workload : o.workloads) {
    hash.add(workload);
    for (const std::string& file : files_of_workload(workload)) hash.add("file " + files.of(file));
  }
  for (const std::string& map : o.maps) hash.add("map " + map);
  hash.add("settings");
  hash.add(o.dispatch_cost ? fmt::format("{}", o.dispatch_cost->value) : "dispatch of the trace");
  hash.add(settings_text_without_noise(o));
  if (!o.per_node.empty()) add_policy(parse_policy(o.per_node, "per_node"), files, hash);
  return hash;
}

/// A hash of everything except the policy and the repetition.
ContentHash fingerprint(const PlannedExperiment& planned, FileHashes& files) {
  const ComparisonOptions& o = planned.experiment.options;
  ContentHash hash = machine_fingerprint(planned, files);
  hash.add(planned.experiment.name);
  hash.add(settings_text(o));
  hash.add(o.decision_cost);
  hash.add(fmt::format("{}", o.seed));
  return hash;
}

std::string best_known_key_of(const PlannedExperiment& planned, FileHashes& files) {
  const ComparisonOptions& o = planned.experiment.options;
  if (!o.noise) return {};
  ContentHash hash = machine_fingerprint(planned, files);
  hash.add("with_noise");
  hash.add(settings_text(o));
  hash.add(fmt::format("{} {}", o.seed, o.reps));
  return hash.text();
}

/// The policies of an experiment, with their profiles from the campaign's folder.
std::vector<PolicyChoice> policies_of(const Campaign& campaign, const ComparisonOptions& options) {
  const std::string folder = std::filesystem::path(campaign.file).parent_path().string();
  return choose_policies(options, "policies", folder.empty() ? "." : folder);
}

void add_points(const PlannedExperiment& planned, FileHashes& files, SweepPlan& plan) {
  std::vector<ContentHash> hashes(planned.policies.size(), fingerprint(planned, files));
  for (std::size_t policy = 0; policy < hashes.size(); ++policy) {
    add_policy(planned.policies[policy], files, hashes[policy]);
  }
  plan.points.add(static_cast<std::uint64_t>(planned.experiment.options.reps), std::move(hashes));
}

/// Collects problems of experiments, without repeating one for the same place.
class Complaints {
 public:
  explicit Complaints(std::vector<std::string>& problems) : problems_(problems) {}

  /// `what` may begin with an option, whose name has underscores in campaigns.
  void add(const Experiment& experiment, std::string what) {
    if (what.starts_with("--")) {
      what.erase(0, 2);
      std::replace(what.begin(), std::find(what.begin(), what.end(), ':'), '-', '_');
    }
    if (!said_.insert(experiment.where + "\n" + what).second) return;
    problems_.push_back(
        fmt::format("{}: experiment {}: {}", experiment.where, experiment.name, what));
  }

 private:
  std::vector<std::string>& problems_;
  std::set<std::string> said_;
};

/// Loads the machine of an experiment and checks its policies. Returns false if there is a problem.
bool prepare(const Campaign& campaign, PlannedExperiment& planned, LoadedMachines& machines,
             Complaints& complaints) {
  const Experiment& experiment = planned.experiment;
  bool good = true;
  const auto attempt = [&](const auto& step) {
    try {
      step();
    } catch (const InputError& refusal) {
      complaints.add(experiment, refusal.what());
      good = false;
    }
  };
  attempt([&] { planned.policies = policies_of(campaign, experiment.options); });
  attempt([&] { planned.machine = machines.get(experiment.options); });
  if (!good) return false;
  for (const PolicyChoice& choice : planned.policies) {
    attempt([&] { check_policy(*planned.machine, choice, experiment.options.per_node); });
  }
  return good;
}

/// Checks that published figures name policies that their experiments run, and fields of results.
void check_published(const Campaign& campaign, const SweepPlan& plan,
                     std::vector<std::string>& problems) {
  for (const PublishedFigure& figure : campaign.published) {
    for (const PlannedExperiment& planned : plan.experiments) {
      if (planned.experiment.name != figure.experiment) continue;
      if (number_paths(figure.field, spellings_of(planned.policies),
                       names_of(planned.machine->units), planned.machine->setup.phases.size())
              .empty()) {
        problems.push_back(
            fmt::format("{}: results.json has no number '{}'; name a field, or a unit of one",
                        figure.where, figure.field));
      }
      std::vector<std::string> known;
      for (const PolicyChoice& choice : planned.policies) known.push_back(choice.spelling);
      std::vector<std::string> named;
      for (const PublishedFigure::OfPolicy& of : figure.policies) named.push_back(of.spelling);
      if (!figure.over.empty()) named.push_back(figure.over);
      for (const std::string& policy : named) {
        const auto at = std::find(known.begin(), known.end(), policy);
        if (at != known.end()) continue;
        problems.push_back(fmt::format(
            "{}: {}", figure.where, unknown_name("policy of " + figure.experiment, policy, known)));
      }
    }
  }
}

/// Checks that some experiment runs the reference policy. In a part of a campaign, that may be one
/// that was left out.
void check_reference(const Campaign& campaign, const SweepPlan& plan,
                     std::vector<std::string>& problems) {
  if (campaign.reference.empty() || campaign.is_part) return;
  std::vector<std::string> known;
  for (const PlannedExperiment& planned : plan.experiments) {
    for (const PolicyChoice& choice : planned.policies) {
      if (choice.typed == campaign.reference) return;
      if (std::ranges::find(known, choice.spelling) == known.end()) {
        known.push_back(choice.spelling);
      }
    }
  }
  if (std::ranges::find(known, campaign.reference) != known.end()) return;
  problems.push_back(
      fmt::format("{}: {}", campaign.reference_where,
                  unknown_name("policy of the campaign", campaign.reference, known)));
}

}  // namespace

void PointList::add(std::uint64_t repetitions, std::vector<ContentHash> policies) {
  const std::size_t first = size_;
  size_ += repetitions * policies.size();
  experiments_.push_back({first, std::move(policies)});
}

Point PointList::operator[](std::size_t i) const {
  const auto after = std::upper_bound(
      experiments_.begin(), experiments_.end(), i,
      [](std::size_t number, const OfExperiment& experiment) { return number < experiment.first; });
  const OfExperiment& experiment = *std::prev(after);
  const std::size_t policies = experiment.policies.size();
  const std::size_t policy = (i - experiment.first) % policies;
  const std::uint64_t repetition = (i - experiment.first) / policies;
  ContentHash hash = experiment.policies[policy];
  hash.add(fmt::format("{}", repetition));
  return {static_cast<std::size_t>(std::prev(after) - experiments_.begin()), policy, repetition,
          hash.text()};
}

SweepPlan plan_sweep(const Campaign& campaign, std::vector<std::string>& problems,
                     const std::function<void(std::size_t done)>& progress) {
  SweepPlan plan;
  LoadedMachines machines;
  FileHashes files;
  Complaints complaints(problems);
  std::map<std::string, std::size_t> searches;
  const std::size_t problems_before = problems.size();
  std::size_t done = 0;
  for (const Experiment& experiment : campaign.experiments) {
    PlannedExperiment planned;
    planned.experiment = experiment;
    if (prepare(campaign, planned, machines, complaints)) {
      add_points(planned, files, plan);
      planned.schedule_key = machine_fingerprint(planned, files).text();
      planned.best_known_key = best_known_key_of(planned, files);
      planned.searched_by =
          searches.emplace(planned.schedule_key, plan.experiments.size()).first->second;
      plan.experiments.push_back(std::move(planned));
    }
    progress(++done);
  }
  if (problems.size() == problems_before) {
    check_published(campaign, plan, problems);
    check_reference(campaign, plan, problems);
  }
  return plan;
}

bool Shard::does(const SweepPlan& plan, std::size_t point) const {
  const Point& p = plan.points[point];
  const PlannedExperiment& planned = plan.experiments[p.experiment];
  return planned.policies[p.policy].is_oracle() ? searches(plan, p.experiment) : holds(point);
}

Shard parse_shard(const std::string& text, const std::string& where) {
  const std::string hint = fmt::format("'{}' is no shard; write 3/16 for the third of 16", text);
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) throw InputError(where, hint);
  const Items number = parse_items(text.substr(0, slash), where);
  const Items of = parse_items(text.substr(slash + 1), where);
  if (number < 1 || of < number || of > 1'000'000) throw InputError(where, hint);
  return {static_cast<std::size_t>(number), static_cast<std::size_t>(of)};
}

}  // namespace equipoise
