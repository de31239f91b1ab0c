// `equipoise replay`: repeats a recorded run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "real/core_watch.hpp"
#include "real/machine.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/journal_check.hpp"
#include "shared_policies/run/recorded_decisions.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/report_text.hpp"
#include "tools/runs/two_level_run.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/real_machine.hpp"
#include "tools/worlds/sim_machine_loading.hpp"
#include "tools/worlds/world.hpp"
#include "traces/files/locked_file.hpp"
#include "traces/json_record.hpp"
#include "traces/run_file.hpp"
#include "traces/run_trace.hpp"

namespace equipoise {
namespace {

/// Throws InputError, which names the option to give, if there is one, if a file that the run used
/// is not there.
void expect_file(const std::string& file, const std::string& option, const std::string& run) {
  std::error_code error;
  if (file.empty() || std::filesystem::exists(file, error)) return;
  throw InputError(file,
                   fmt::format("is not here, and the run in {} used it; start from the folder "
                               "in which that run was made{}",
                               run, option.empty() ? "" : ", or give " + option + " FILE"));
}

void expect_files(const RunOptions& options, const std::string& run) {
  expect_file(options.platform_file, "--platform", run);
  for (const std::string& trace : options.trace_files) expect_file(trace, "--trace", run);
  for (const std::string& workload : options.workloads) {
    for (const std::string& file : files_of_workload(workload)) {
      expect_file(file, {}, run);
    }
  }
}

/// The run's policy as it is typed: `NAME[:k=v,...]`, or the path of its library in place of NAME.
std::string typed_policy(const RunHeader& header) {
  if (header.loaded_from.empty()) return header.spelling;
  const std::size_t parameters = header.spelling.find(':');
  return header.loaded_from +
         (parameters == std::string::npos ? std::string() : header.spelling.substr(parameters));
}

/// The options of the run, from its header; those that were typed now come first.
RunOptions recorded_options(const RunFile& file, const ReplayRequest& request) {
  const RunHeader& header = file.header;
  const RunOptions& typed = request.options;
  RunOptions options = typed;
  static_cast<RunSettings&>(options) = completed(typed, header.settings);
  if (!options.block_timeout) options.block_timeout = BlockTimeout{};  // as runs were then
  if (!typed.platform_file.empty()) options.maps = typed.maps;  // those of the run name its hosts
  if (!request.check) expect_files(options, file.path);
  options.seed = header.seed;
  options.decision_cost = header.decision_cost;
  options.on = request.on.empty() ? header.on : request.on;
  if (has_units(typed)) options.ranks.clear();  // other units were typed than those of its ranks
  if (options.on == header.on) return options;
  options.units = typed.units;
  options.ranks.clear();
  if (!options.scenario_file.empty()) {
    warn(fmt::format("the scenario {} of the run is not applied to its replay on {}",
                     options.scenario_file, options.on));
    options.scenario_file.clear();
  }
  return options;
}

void warn_of_an_early_end(const RunFile& file) {
  if (file.is_cut) warn(file.path + ": its last line is cut off and was left out");
  if (!file.summary) warn(file.path + ": the run was interrupted; it has no summary");
}

/// The names of the run's units in the traces, if the units are given one by one.
std::vector<std::string> units_in_traces(const RunFile& file, const RunOptions& options) {
  std::vector<std::string> names = names_of(file.run.units);
  for (const UnitSpec& spec : parse_units(options.units)) {
    std::ranges::replace(names, spec.unit.name, spec.name_in_traces());
  }
  return names;
}

/// The policy of the run, with what it knew of earlier runs.
PolicyChoice recorded_choice(const RunFile& file) {
  PolicyChoice choice = parse_policy(typed_policy(file.header));
  if (choice.loaded_hash != file.header.loaded_hash) {
    warn(
        fmt::format("{}: is not the library of the run (its hash was {} and is {}); its policy may "
                    "decide differently",
                    choice.loaded_from, file.header.loaded_hash, choice.loaded_hash));
  }
  if (!file.header.experience.empty()) {
    choice.experience = std::make_shared<const Experience>(file.header.experience);
  }
  return choice;
}

/// The costs that an informed policy or an oracle was given before the run, and those of items if
/// it knows them, read again from the same files; a run file does not have them. Other policies
/// decide by the run alone.
KnownCosts recorded_knowledge(const RunFile& file, const PolicyChoice& choice,
                              const RunOptions& options) {
  if (!choice.is_informed() && !choice.knows_costs()) return {};
  expect_files(options, file.path);
  const bool is_real = file.header.on == "real";
  if (options.platform_file.empty()) {
    const std::vector<Trace> traces = read_traces(options.trace_files);
    KnownCosts known =
        known_costs(file.run.phases, units_in_traces(file, options), profile_of(choice, traces));
    if (!choice.knows_costs() || is_real) return known;
    for (std::size_t phase = 0; phase < file.run.phases.size(); ++phase) {
      known.items.push_back(
          choose_costs(options.workloads[phase], file.run.phases[phase], traces, "--workload"));
    }
    return known;
  }
  SimMachine machine = load_sim_machine(options);
  if (names_of(machine.units) != names_of(file.run.units)) {
    throw InputError(options.platform_file,
                     fmt::format("its units are not those of {}; give --platform and --trace as "
                                 "they were",
                                 file.path));
  }
  if (choice.is_oracle()) find_best_schedule(machine, options);
  KnownCosts known = known_to(choice, machine);
  if (is_real) known.items.clear();
  return known;
}

std::string agreement_text(const RunFile& file, const JournalCheck& check) {
  std::string copies;
  if (check.copies > 0) {
    copies =
        fmt::format(", {} second {} of them", check.copies, check.copies == 1 ? "copy" : "copies");
  }
  std::string text = fmt::format("{}: {}{} and {} of {} are decided the same again", file.path,
                                 counted(check.blocks - check.copies, "block"), copies,
                                 counted(check.other, "other record"), file.header.spelling);
  if (check.first_unknown_block) {
    text += fmt::format("; what follows block {}, which never came back, cannot be told",
                        *check.first_unknown_block);
  }
  return text;
}

Json check_json(const JournalCheck& check) {
  Json json = {{"schema", "equipoise.replay-check/1"},
               {"agrees", !check.difference},
               {"blocks", check.blocks},
               {"copies", check.copies},
               {"other_decisions", check.other}};
  if (check.first_unknown_block) json["first_unknown_block"] = *check.first_unknown_block;
  if (check.difference) {
    json["line"] = check.difference->line;
    json["recorded"] = check.difference->recorded;
    json["now"] = check.difference->now;
  }
  return json;
}

JournalCheck check_level(const RecordedRun& level, const PolicyChoice& choice,
                         const KnownCosts& known) {
  const std::unique_ptr<Policy> policy = make_policy(choice, &known, level.units);
  return check_journal(level, *policy);
}

/// The same of the master and of the agent of each node; the difference is that in the first line.
JournalCheck check_levels(const RunFile& file, const RunOptions& options,
                          const PolicyChoice& choice, const KnownCosts& known) {
  JournalCheck all = check_level(file.levels.front(), choice,
                                 costs_of_nodes(known, file.run.units, file.run.phases));
  const PolicyChoice per_node = parse_policy(file.header.settings.per_node);
  KnownCosts known_to_agents = recorded_knowledge(file, per_node, options);
  const std::vector<NodeOfRun> nodes = nodes_of(file.run.units);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const JournalCheck found =
        check_level(file.levels[1 + k], per_node, costs_of(known_to_agents, nodes[k].units));
    all.blocks += found.blocks;
    all.copies += found.copies;
    all.other += found.other;
    if (!all.first_unknown_block) all.first_unknown_block = found.first_unknown_block;
    if (!found.difference) continue;
    const bool is_first = !all.difference || (found.difference->line > 0 &&
                                              found.difference->line < all.difference->line);
    if (is_first) all.difference = found.difference;
  }
  return all;
}

int check(const RunFile& file, const RunOptions& options, bool json) {
  const PolicyChoice choice = recorded_choice(file);
  KnownCosts known = recorded_knowledge(file, choice, options);
  known.experience = file.header.experience;
  const JournalCheck found = file.levels.empty() ? check_level(file.run, choice, known)
                                                 : check_levels(file, options, choice, known);
  if (json) print_json(check_json(found));
  if (!found.difference) return json ? 0 : print_out("{}\n", agreement_text(file, found));
  const JournalDifference& difference = *found.difference;
  const std::string line = difference.line == 0 ? "" : fmt::format(":{}", difference.line);
  const bool hides_setup =
      !file.header.has_setup && std::ranges::any_of(file.run.phases, [](const Workload& workload) {
        return workload.resident_bytes > 0.0;
      });
  say_error(fmt::format(
      "{}{}: the first decision that differs; recorded: {}; now: {}; the {} blocks before it "
      "agree; "
      "{}",
      file.path, line, difference.recorded, difference.now, found.blocks,
      hides_setup ? "the file is of version 1.0, in which copies of resident data were part of "
                    "in_s, so that policies which learn from block times decide differently now"
                  : "was the file changed, or the policy?"));
  return 1;
}

/// Throws InputError if the decisions of the run cannot be issued on `units`.
void expect_possible(const RunFile& file, const std::vector<Unit>& units,
                     const std::vector<Workload>& phases) {
  if (file.levels.empty()) {
    const RecordedDecisions possible(file.run, units, phases, file.path);
  } else {
    static_cast<void>(recorded_levels(file.levels, units, phases, file.path));
  }
}

int issue_again(const std::shared_ptr<const RunFile>& recorded, const RunOptions& options,
                const ReplayRequest& request) {
  const RunFile& file = *recorded;
  PolicyChoice choice = parse_policy(typed_policy(file.header));
  choice.replayed = file.levels.empty()
                        ? std::make_shared<const std::vector<RecordedRun>>(1, file.run)
                        : std::shared_ptr<const std::vector<RecordedRun>>(recorded, &file.levels);
  choice.replayed_file = file.path;
  const std::unique_ptr<World> world = open_world(options, "replay");
  if (!request.out.empty()) check_writable(request.out, "--out");
  world->leave_out_failures();
  expect_possible(file, world->units(), world->phases());
  const OutputLock out = OutputLock::of_file(request.out, "--out");
  catch_stop_signals();
  world->prepare();
  const RunReport again = world->run(choice, file.header.repetition, {request.out});
  const int code = report_run(
      again, choice, world->units(), request.out, request.json, world->reference().resident(),
      RecordedMakespan{
          file.header.on, file.summary->numbers.makespan, "the same blocks", options.on, {}});
  if (code == 0 && again.left_recorded && !again.outcome.policy_stalled) {
    warn(file.path +
         ": a block ended that was taken back in it; its later take-backs and second "
         "copies were not repeated");
  }
  if (code != 0 || !again.outcome.policy_stalled) return code;
  say_error(file.path +
            ": its decisions could not be kept to: a unit was lost that was not lost "
            "in it, or a block ended that was taken back in it; run it again where all units stay "
            "and are as fast");
  return 1;
}

/// Paced units with the block times of the run's units. Leaves out units without times.
std::vector<std::string> paced_units(const RunFile& file, const std::vector<Trace>& traces) {
  std::vector<std::string> spellings;
  for (std::uint32_t i = 0; i < file.run.units.size(); ++i) {
    const Unit& unit = file.run.units[i];
    if (std::ranges::all_of(traces, [&](const Trace& t) { return has_samples(t, i); })) {
      spellings.push_back(fmt::format("paced,trace_unit={0},id={0},slots={1},copy_engines={2}{3}",
                                      unit.name, unit.slots, unit.copy_engines,
                                      unit.node.empty() ? "" : ",node=" + unit.node));
    } else {
      warn(fmt::format("{}: {} not used: the run does not have its times for every kernel",
                       file.path, unit.name));
    }
  }
  return spellings;
}

/// What the policy's decisions took in the run.
Seconds time_of_decisions(const RecordedRun& run) {
  Seconds sum;
  for (const RecordedLine& line : run.lines) {
    if (const auto* decision = std::get_if<DecisionRecord>(&line.what)) sum += decision->cost;
  }
  return sum;
}

std::map<std::string, UnitWork> work_by_unit(const RecordedRun& run) {
  std::map<std::string, UnitWork> works;
  for (const RecordedLine& line : run.lines) {
    const auto* const record = std::get_if<BlockRecord>(&line.what);
    if (record == nullptr) continue;
    UnitWork& work = works[run.units[record->unit.index].name];
    work.items += record->block.items;
    ++work.blocks;
    work.busy += total(record->times);
  }
  return works;
}

/// Watches all cores that this process may use. No unit computes on them while units are paced, but
/// their threads have to wake there.
CoreWatch watch_of_all_cores() {
  Placement all = place_units(std::span<const PlacedUnit>(), this_machine());
  all.cores = {all.waiting};
  return CoreWatch(all);
}

/// Runs the policy again on units with the block times of the run.
int pace(const RunFile& file, RunOptions options, const ReplayRequest& request) {
  if (!file.summary) {
    throw InputError(file.path,
                     "the run was interrupted, so there is no makespan to compare with; "
                     "give a whole one");
  }
  std::set<std::string> kernels;
  for (const Workload& workload : file.run.phases) kernels.insert(workload.kernel);
  std::vector<Trace> traces;
  for (const std::string& kernel : kernels) {
    traces.push_back(trace_of_run(file.run, kernel, "the run in " + file.path));
  }
  options.units = paced_units(file, traces);
  options.ranks.clear();
  if (options.units.empty()) {
    throw InputError(file.path, "no unit has times of every kernel; give a longer run");
  }
  options.trace_files.assign(traces.size(), file.path);
  options.platform_file.clear();
  options.scenario_file.clear();  // its block times contain the disturbances
  PolicyChoice choice = recorded_choice(file);
  if (options.units.size() < file.run.units.size()) choice.experience.reset();
  const std::unique_ptr<World> world = world_of(
      std::make_shared<RealMachine>(load_real_machine(options, std::move(traces))), options);
  if (!request.out.empty()) check_writable(request.out, "--out");
  const OutputLock out = OutputLock::of_file(request.out, "--out");
  catch_stop_signals();
  const CoreWatch watch = watch_of_all_cores();
  RunReport again = world->run(choice, file.header.repetition, {request.out});
  again.run.core_use = watch.since();
  return report_run(
      again, choice, world->units(), request.out, request.json, {},
      RecordedMakespan{file.header.on, file.summary->numbers.makespan, "its block times",
                       options.on, time_of_decisions(file.run), work_by_unit(file.run)});
}

/// Throws InputError unless exactly one kind of repetition is requested, without options that it
/// does not take.
void expect_sense(const ReplayRequest& request, const RunFile& file) {
  const RunOptions& typed = request.options;
  if (request.check == request.decisions && !request.takes_times()) {
    throw InputError(
        "replay",
        "say what is to be done again: --check or --decisions, or --on paced alone for "
        "its block times");
  }
  const bool names_units =
      !typed.units.empty() || !typed.platform_file.empty() || !typed.trace_files.empty();
  if (request.takes_times() && names_units) {
    throw InputError("--on paced",
                     "takes units and times from the run; leave --unit, --platform "
                     "and --trace away, or add --decisions");
  }
  const bool runs = !request.on.empty() || !request.out.empty() || !typed.units.empty();
  if (request.check && runs) {
    throw InputError("--check", "runs nothing; leave --on, --unit and --out away");
  }
  if (!file.levels.empty() && request.takes_times()) {
    throw InputError(request.run_file,
                     "is a run of two levels: its units' times are without those of the copies to "
                     "their nodes; give --check or --decisions");
  }
  if (!file.header.decisions_of.empty()) {
    throw InputError(file.path + ":1", "its decisions are those of " + file.header.decisions_of +
                                           ", issued again; replay that file");
  }
}

}  // namespace

int replay_command(const ReplayRequest& request) {
  const auto recorded = std::make_shared<const RunFile>(read_run_file(request.run_file));
  const RunOptions options = recorded_options(*recorded, request);
  expect_sense(request, *recorded);
  warn_of_an_early_end(*recorded);
  if (request.check) return check(*recorded, options, request.json);
  return request.decisions ? issue_again(recorded, options, request)
                           : pace(*recorded, options, request);
}

}  // namespace equipoise
