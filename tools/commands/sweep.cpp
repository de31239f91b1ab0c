// `equipoise sweep`: runs a campaign point by point; a restart skips finished points.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/comparison_files.hpp"
#include "tools/console/console.hpp"
#include "tools/console/terminal.hpp"
#include "tools/guard/expectations.hpp"
#include "tools/search/reference.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/simulations/simulations.hpp"
#include "tools/sweep/campaign_file.hpp"
#include "tools/sweep/point_store.hpp"
#include "tools/sweep/sweep_plan.hpp"
#include "tools/sweep/sweep_report.hpp"
#include "tools/sweep/sweep_results.hpp"
#include "tools/worlds/world.hpp"
#include "traces/json_document.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

StoredPoints read_folder(const std::string& folder) {
  std::vector<std::string> warnings;
  StoredPoints stored = read_points(folder, warnings);
  for (const std::string& warning : warnings) warn(warning);
  return stored;
}

/// Whether there is a record for `key` that holds a result.
template <class Record>
bool is_done(const std::map<std::string, Record>& records, const std::string& key) {
  const auto found = records.find(key);
  return found != records.end() && found->second.failure.empty();
}

/// The points of the shard that have no result yet.
std::vector<std::size_t> points_to_do(const SweepPlan& plan, const StoredPoints& done,
                                      const Shard& shard) {
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    if (shard.does(plan, i) && !is_done(done.points, plan.points[i].key)) todo.push_back(i);
  }
  return todo;
}

/// Counts the points in the folder that do not belong to the plan, because they come from another
/// campaign, other files or another program. Points of experiments that were left out on purpose
/// are not counted.
std::size_t count_foreign(const SweepPlan& plan, const StoredPoints& stored,
                          const std::set<std::string>& left_out) {
  std::size_t known = 0;
  for (const Point& point : plan.points) known += stored.points.count(point.key);
  const auto expected = std::ranges::count_if(
      stored.points, [&](const auto& one) { return left_out.contains(one.second.experiment); });
  return stored.points.size() - known - static_cast<std::size_t>(expected);
}

/// Leaves out the experiments that `patterns` do not name. Returns the names of those.
std::set<std::string> leave_out(Campaign& campaign, const std::vector<std::string>& patterns) {
  std::set<std::string> left_out;
  for (const Experiment& experiment : campaign.experiments) left_out.insert(experiment.name);
  keep_only(campaign, patterns, "--only");
  for (const Experiment& experiment : campaign.experiments) left_out.erase(experiment.name);
  return left_out;
}

PointRecord record_of(const SweepPlan& plan, const Point& point) {
  const PlannedExperiment& planned = plan.experiments[point.experiment];
  PointRecord record;
  record.key = point.key;
  record.experiment = planned.experiment.name;
  record.spelling = planned.policies[point.policy].spelling;
  record.seed = planned.experiment.options.seed;
  record.repetition = point.repetition;
  return record;
}

/// Searches the best schedule of an experiment.
SearchRecord search_best_schedule(const PlannedExperiment& planned) {
  SearchRecord record;
  record.key = planned.schedule_key;
  record.experiment = planned.experiment.name;
  record.schedule.emplace();
  try {
    BestKnown best = search_schedule(*planned.machine, planned.experiment.options);
    record.best_known_s = best.seconds;
    record.best_known_by = std::move(best.spelling);
    *record.schedule = std::move(best.schedule);
  } catch (const BackendError& failure) {
    record.failure = failure.what();
  }
  return record;
}

/// Simulates for the best known of an experiment with noise. Its machine has the schedule that was
/// found before.
SearchRecord find_best_known(const PlannedExperiment& planned, const SearchRecord& schedule) {
  SearchRecord record;
  record.key = planned.best_known_key;
  record.experiment = planned.experiment.name;
  record.with_noise = true;
  record.failure = schedule.failure;
  if (!record.failure.empty()) return record;
  const ComparisonOptions& options = planned.experiment.options;
  if (auto best = best_reached(*planned.machine, options, options.reps)) {
    record.best_known_s = best->seconds;
    record.best_known_by = std::move(best->spelling);
  } else {
    record.failure = "no policy completes every repetition";
  }
  return record;
}

/// Whether the best known with noise is missing; without noise it is the schedule's makespan.
bool lacks_best_known(const PlannedExperiment& planned, const StoredPoints& stored) {
  return !planned.best_known_key.empty() && !stored.searches.contains(planned.best_known_key);
}

/// How many of an experiment's searches, for its schedule and for its best known with noise, are
/// missing.
std::size_t missing_searches(const PlannedExperiment& planned, const StoredPoints& stored) {
  return (stored.searches.contains(planned.schedule_key) ? 0 : 1) +
         (lacks_best_known(planned, stored) ? 1 : 0);
}

/// Searches the best schedules that the shard must find and that are missing, appends them, and
/// stores in each machine the schedule for its oracles; does the same with noise.
void find_schedules(SweepPlan& plan, StoredPoints& stored, const Shard& shard, PointWriter& writer,
                    bool quiet) {
  Progress progress(quiet);
  const auto keep = [&](const SearchRecord& record) {
    writer.append(record);
    stored.searches.insert_or_assign(record.key, record);
  };
  for (std::size_t i = 0; i < plan.experiments.size(); ++i) {
    const PlannedExperiment& planned = plan.experiments[i];
    if (shard.searches(plan, i) && !is_done(stored.searches, planned.schedule_key)) {
      progress.show(fmt::format("searching the best schedule of experiment {} of {}", i + 1,
                                plan.experiments.size()),
                    static_cast<double>(i) / static_cast<double>(plan.experiments.size()));
      keep(search_best_schedule(planned));
    }
    const auto found = stored.searches.find(planned.schedule_key);
    if (found == stored.searches.end()) continue;
    planned.machine->schedule =
        found->second.schedule.value_or(std::nullopt).value_or(BlockLists());
    if (!shard.searches(plan, i) || planned.best_known_key.empty() ||
        is_done(stored.searches, planned.best_known_key)) {
      continue;
    }
    keep(find_best_known(planned, found->second));
  }
}

/// Simulates the points and appends each one when it ends.
void simulate_points(const SweepPlan& plan, const std::vector<std::size_t>& todo,
                     PointWriter& writer, bool quiet) {
  Progress progress(quiet);
  std::size_t done = 0;
  run_simulations(
      todo.size(),
      [&](std::size_t job) {
        const Point& point = plan.points[todo[job]];
        const PlannedExperiment& planned = plan.experiments[point.experiment];
        return simulation_of(*planned.machine, planned.policies[point.policy],
                             planned.experiment.options, point.repetition);
      },
      [&](std::size_t job, const SimulationResult& result) {
        PointRecord record = record_of(plan, plan.points[todo[job]]);
        const RunReport& report = result.report;
        record.failure = result.failure.empty() ? report.problem : result.failure;
        if (record.failure.empty()) {
          record.report = {report.run.numbers, report.run.policy_stalled, report.run.repetition};
        }
        writer.append(record);
        ++done;
        progress.show(fmt::format("simulated {} of {} points", done, todo.size()),
                      static_cast<double>(done) / static_cast<double>(todo.size()));
      });
}

/// Warns about failed points. Returns true if there are any.
bool warn_of_failures(const SweepPlan& plan, const StoredPoints& stored) {
  const std::map<std::string, PointRecord>& points = stored.points;
  std::vector<std::string> failures;
  for (const Point& point : plan.points) {
    const auto found = points.find(point.key);
    if (found == points.end()) continue;
    const PointRecord& record = found->second;
    if (record.failure.empty()) continue;
    failures.push_back(fmt::format("{}: {}, repetition {}: {}", record.experiment, record.spelling,
                                   record.repetition, record.failure));
  }
  warn_of_failed_runs(failures);
  return !failures.empty();
}

std::string folder_of(const Experiment& experiment, const std::string& folder) {
  return folder + "/experiments/" + experiment.name;
}

/// All files that are written to `folder`, except the shard's points.
std::vector<std::string> files_of_results(const Campaign& campaign, const std::string& folder) {
  std::vector<std::string> files;
  for (const char* name : {"/summary.json", "/table.md", "/report.html"}) {
    files.push_back(folder + name);
  }
  for (const Experiment& experiment : campaign.experiments) {
    std::ranges::move(result_files(folder_of(experiment, folder)), std::back_inserter(files));
  }
  return files;
}

/// Whether the folder has the summary of a sweep with experiments that are not in `campaign`, and
/// that are `left_out` of it.
bool has_wider_summary(const std::string& folder, const std::set<std::string>& left_out) {
  const std::string file = folder + "/summary.json";
  std::error_code error;
  if (left_out.empty() || !std::filesystem::exists(file, error)) return false;
  std::ostringstream text;  // not as an input, because a whole sweep writes it
  text << std::ifstream(file, std::ios::binary).rdbuf();
  try {
    const JsonValue summary = parse_json(text.str(), file);
    return std::ranges::any_of(
        JsonObject(summary, file, "a summary").list("experiments"), [&](const JsonValue& one) {
          return left_out.contains(JsonObject(one, file, "an experiment").text("name"));
        });
  } catch (const InputError&) {  // not a summary of ours
    return false;
  }
}

/// Warns once of experiments that end before events of their scenarios.
void warn_of_late_events(const SweepPlan& plan, const SweepResults& results) {
  const PlannedExperiment* first = nullptr;
  std::size_t more = 0;
  Seconds end_of_first;
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    const std::optional<Seconds> end = last_end(results.comparisons[i], "sim");
    const std::vector<Disturbance>& events = plan.experiments[i].machine->setup.scenario.events;
    const bool is_late = end && std::ranges::any_of(events, [&](const Disturbance& event) {
                           return event.at >= *end;
                         });
    if (!is_late) continue;
    more += first == nullptr ? 0 : 1;
    if (first != nullptr) continue;
    first = &plan.experiments[i];
    end_of_first = *end;
  }
  if (first == nullptr) return;
  warn_of_late_events(first->machine->setup.scenario, end_of_first,
                      fmt::format(" in {}{}", first->experiment.name,
                                  more == 0 ? "" : fmt::format(", and so it is in {} more", more)));
}

/// Writes the results of all experiments, and the summary unless it is to be kept.
void write_sweep(const SweepResults& results, const std::string& folder, bool keeps_summary) {
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    const std::string here = folder_of(results.campaign.experiments[i], folder);
    make_folder(here, "--out");
    write_result_files(results.comparisons[i], here);
  }
  if (keeps_summary) return;
  write_whole_file(folder + "/summary.json", sweep_text(results));
  write_whole_file(folder + "/table.md", sweep_markdown(results));
  write_whole_file(folder + "/report.html", sweep_html(results));
}

/// The progress of the sweep while points are missing: for each experiment and in total.
Json progress_json(const Campaign& campaign, const SweepPlan& plan, const StoredPoints& stored,
                   std::size_t missing) {
  std::vector<std::size_t> points(plan.experiments.size());
  std::vector<std::size_t> done(plan.experiments.size());
  for (const Point& point : plan.points) {
    ++points[point.experiment];
    done[point.experiment] += stored.points.count(point.key);
  }
  Json experiments = Json::array();
  for (std::size_t i = 0; i < plan.experiments.size(); ++i) {
    const PlannedExperiment& planned = plan.experiments[i];
    const bool has_schedule = stored.searches.contains(planned.schedule_key);
    experiments.push_back({{"name", planned.experiment.name},
                           {"points", points[i]},
                           {"points_done", done[i]},
                           {"schedule_searched", has_schedule},
                           {"best_known_searched", !lacks_best_known(planned, stored)}});
  }
  return {{"schema", "equipoise.sweep-progress/1"},
          {"campaign", campaign.file},
          {"still_to_come", missing},
          {"experiments", std::move(experiments)}};
}

std::vector<NamedResults> each_named(const SweepResults& results, const std::string& folder) {
  std::vector<NamedResults> all;
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    const Experiment& experiment = results.campaign.experiments[i];
    all.push_back(
        named_results(results.comparisons[i], folder_of(experiment, folder), experiment.name));
  }
  return all;
}

/// What results the experiments have together.
ExpectedResults expected_of(const SweepPlan& plan) {
  ExpectedResults all;
  for (const PlannedExperiment& planned : plan.experiments) {
    std::ranges::move(spellings_of(planned.policies), std::back_inserter(all.spellings));
    std::ranges::move(names_of(planned.machine->units), std::back_inserter(all.units));
    all.phases = std::max(all.phases, planned.machine->setup.phases.size());
  }
  return all;
}

/// Writes the results if all points have been tried, by this sweep or another one. Returns the exit
/// code.
int finish(const Campaign& campaign, const SweepPlan& plan, const std::set<std::string>& left_out,
           const std::optional<Expectations>& expectations, const SweepRequest& request) {
  const LockedFile lock = lock_results(request.out);
  const StoredPoints stored = read_folder(request.out);
  std::size_t missing = 0;
  std::size_t searches = 0;
  for (const Point& point : plan.points) missing += stored.points.contains(point.key) ? 0 : 1;
  for (const PlannedExperiment& planned : plan.experiments) {
    missing += missing_searches(planned, stored);
    searches += planned.best_known_key.empty() ? 1 : 2;
  }
  if (missing > 0) {
    if (request.json) return print_json(progress_json(campaign, plan, stored, missing));
    return print_out(
        "{} of {} points and searches are missing; the shard that adds the last one writes the "
        "results\n",
        missing, plan.points.size() + searches);
  }
  SweepResults results = sweep_results(campaign, plan, stored);
  const Environment environment = environment_now();
  for (Comparison& comparison : results.comparisons) comparison.environment = environment;
  const bool keeps_summary = has_wider_summary(request.out, left_out);
  write_sweep(results, request.out, keeps_summary);
  if (request.json) {
    print_out("{}", sweep_text(results));
  } else {
    const std::string summary =
        keeps_summary
            ? ""
            : fmt::format("tables: {0}/table.md   report: {0}/report.html   ", request.out);
    print_out("{}\n{}results: {}/experiments/\n", standings_table(results), summary, request.out);
  }
  if (keeps_summary && !request.quiet) {
    note(
        fmt::format("{}: summary.json, table.md and report.html stay those of more experiments; a "
                    "sweep without --only makes them anew from the points that are there",
                    request.out));
  }
  warn_of_late_events(plan, results);
  const bool failed = warn_of_failures(plan, stored);
  if (failed) say_error("some runs failed; see the warnings above");
  const bool is_met =
      !expectations || meets(*expectations, each_named(results, request.out),
                             request.bounds.junit_file, !request.json && !request.quiet);
  return failed || !is_met ? 1 : 0;
}

SweepPlan checked_plan(const Campaign& campaign, std::vector<std::string>& problems, bool quiet) {
  Progress progress(quiet);
  return plan_sweep(campaign, problems, [&](std::size_t done) {
    progress.show(fmt::format("checked {} of {} experiments", done, campaign.experiments.size()),
                  static_cast<double>(done) / static_cast<double>(campaign.experiments.size()));
  });
}

}  // namespace

int sweep_command(const SweepRequest& request) {
  const Shard& shard = request.shard;
  std::vector<std::string> problems;
  Campaign campaign = read_campaign(request.campaign_file, problems);
  const std::set<std::string> left_out =
      problems.empty() ? leave_out(campaign, request.only) : std::set<std::string>();
  SweepPlan plan = checked_plan(campaign, problems, request.quiet);
  for (const std::string& problem : problems) say_error(problem);
  if (!problems.empty()) return 2;

  const std::optional<Expectations> expectations =
      expectations_of(request.bounds.file, request.bounds.junit_file, expected_of(plan));
  expect_no_inputs(files_of_results(campaign, request.out), "--out");
  expect_no_inputs({points_file(request.out, shard)}, "--out");
  expect_no_comparison(request.out);
  make_folder(request.out, "--out");
  PointWriter writer(request.out, shard);
  StoredPoints done = read_folder(request.out);
  const std::vector<std::size_t> todo = points_to_do(plan, done, shard);
  if (const std::size_t foreign = count_foreign(plan, done, left_out); foreign > 0) {
    warn(
        fmt::format("{} points in {} belong to another campaign, other files or another version of "
                    "the program, and are not used",
                    foreign, request.out));
  }
  if (!request.json && !request.quiet) {
    print_out("{} experiments, {} points; to simulate: {}\n", plan.experiments.size(),
              plan.points.size(), todo.size());
    std::fflush(stdout);
  }
  catch_stop_signals();
  find_schedules(plan, done, shard, writer, request.quiet);
  simulate_points(plan, todo, writer, request.quiet);
  return finish(campaign, plan, left_out, expectations, request);
}

}  // namespace equipoise
