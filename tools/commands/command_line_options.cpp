// Options that several commands share, and the parsing of their values.
#include "tools/commands/command_line_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/specs/spec.hpp"
#include "tools/runs/cost_meters.hpp"
#include "tools/runs/policy_list.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

BlockTimeout parse_block_timeout(const std::string& typed) {
  if (typed == "none") return {};
  if (typed == word_of(TimeoutWord::automatic)) return BlockTimeout::automatic();
  Seconds after;
  try {
    after = Seconds{parse_quantity(typed, "s", "--block-timeout")};
  } catch (const InputError& refusal) {
    throw InputError(refusal.where(), refusal.why() + ", or auto or none");
  }
  if (after.value > 0.0) return BlockTimeout::fixed(after);
  throw InputError("--block-timeout", "give a positive number of seconds, or auto or none");
}

}  // namespace

void add_help(CLI::App& command, const std::string& example) {
  command.footer("Example:\n  " + example);
}

void add_out(CLI::App& command, Request& r, const std::string& meaning) {
  command.add_option("--out", r.options.out, meaning);
}

void add_report_file(CLI::App& command, Request& r) {
  command.add_option("--report", r.options.report_file,
                     "also write a page with the run's schedule here: one HTML file");
}

void add_json(CLI::App& command, Request& r) {
  command.add_flag("--json", r.options.json, "print JSON instead of tables");
}

void add_output(CLI::App& command, Request& r) {
  add_json(command, r);
  command.add_flag("--quiet", r.options.quiet, "show neither progress nor notes; warnings stay");
}

void add_workload(CLI::App& command, Request& r) {
  command
      .add_option("--workload", r.options.workloads,
                  "KERNEL[:k=v,...], e.g. blackscholes:options=2e6; several: phases, one after "
                  "another")
      ->required();
}

void add_simulation(CLI::App& command, Request& r, bool required) {
  auto* platform = command.add_option("--platform", r.options.platform_file,
                                      "SimGrid platform XML (see 'equipoise platform')");
  auto* trace = command.add_option("--trace", r.options.trace_files,
                                   "recorded block times (see 'equipoise trace'); repeatable");
  if (required) {
    platform->required();
    trace->required();
  }
  add_map(command, r);
  command.add_option("--scenario", r.options.scenario_file,
                     "what disturbs the runs: JSON or CSV, see traces/README.md");
  command.add_option_function<std::string>(
      "--dispatch-cost",
      [&r](const std::string& text) {
        r.typed.emplace_back([&r, typed = text] {
          const double seconds = parse_quantity(typed, "s", "--dispatch-cost");
          if (seconds < 0.0 || seconds > most_cost_s) {
            throw InputError("--dispatch-cost",
                             "handing out a block costs from 0 to 1e6 seconds; give that");
          }
          r.options.dispatch_cost = Seconds{seconds};
        });
      },
      "time for handing out one block, e.g. 5us; else the trace's, else 5 us");
  command.add_option("--noise", r.noise, "on: draw block times; off: take their means")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
}

void add_map(CLI::App& command, Request& r) {
  command.add_option("--map", r.options.maps,
                     "TRACE_UNIT=HOST,...: these hosts have the block times of this unit of the "
                     "trace (* in HOST matches any characters); repeatable");
}

void add_policies(CLI::App& command, Request& r) {
  command
      .add_option(
          "--policy", r.options.policies,
          "NAME[:k=v,...], e.g. plb-hec:threshold=0.2; several with commas between them, or "
          "the option repeated; all: every policy (see 'equipoise list policies'); or a policy of "
          "your own: ./mine.so[:k=v,...], whose run fails if an answer takes longer than 10 s "
          "(its answer_limit_s)")
      ->required();
}

void add_run_settings(CLI::App& command, Request& r) {
  command.add_option("--seed", r.seed, "of block times and of input data")->capture_default_str();
  command
      .add_option("--decision-cost", r.options.decision_cost,
                  "how long a policy's decisions take: none; a time for each, such as 20us; "
                  "measured (its processor time); paper (the time that its paper reports)")
      ->capture_default_str();
}

void add_expect(CLI::App& command, Request& r) {
  auto* expect = command.add_option("--expect", r.options.expect_file,
                                    "JSON file of bounds for the results (traces/README.md); exit "
                                    "1 if a bound is broken beyond noise");
  command.add_option("--junit", r.options.junit_file, "write a JUnit report of these bounds here")
      ->needs(expect);
}

void add_experience(CLI::App& command, Request& r, const std::string& then) {
  command.add_option(
      "--experience", r.options.experience_file,
      "file of block times from earlier runs; policies that can use it start from it (" + then +
          ")");
}

void add_settings_of_all_runs(CLI::App& command, Request& r) {
  command.add_option_function<std::string>(
      "--block-timeout",
      [&r](const std::string& text) {
        r.typed.emplace_back(
            [&r, typed = text] { r.options.block_timeout = parse_block_timeout(typed); });
      },
      "a unit that keeps its blocks longer counts as lost: a time, e.g. 30s; auto: much longer "
      "than it and the others took so far (default of real runs); none: never (default of "
      "simulations)");
}

void add_units(CLI::App& command, Request& r, bool required) {
  auto* unit = command.add_option("--unit", r.options.units,
                                  "KIND[,k=v,...], e.g. cpu,threads=1,slowdown=3; repeatable (see "
                                  "'equipoise list units')");
  if (required) unit->required();
}

void add_meters(CLI::App& command, Request& r) {
  command
      .add_option("--meters", r.meters,
                  "on: energy is measured where there are meters, and recording stores the units' "
                  "idle and busy watts; off: it is not, which saves some seconds before the runs")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
}

void add_real_settings(CLI::App& command, Request& r) {
  add_meters(command, r);
  add_settings_of_all_runs(command, r);
  command.add_option_function<std::string>(
      "--time-scale",
      [&r](const std::string& text) {
        r.typed.emplace_back([&r, typed = text] {
          const double scale = parse_number(typed, "--time-scale");
          if (!(scale >= 1e-6 && scale <= 1e6)) {
            throw InputError("--time-scale", "give a number from 1e-6 to 1e6");
          }
          r.options.time_scale = scale;
        });
      },
      "of paced units: with 0.1 they are ten times as fast, so that the time of decisions weighs "
      "ten times as much; default: 1, or that of the run which is repeated");
}

void finish_options(Request& r) {
  std::vector<std::string> policies;
  for (const std::string& list : r.options.policies) {
    std::ranges::move(split_policies(list, "--policy"), std::back_inserter(policies));
  }
  r.options.policies = std::move(policies);
  remember_input(r.options.platform_file);
  remember_input(r.options.scenario_file);
  remember_input(r.options.expect_file);
  for (const std::string& file : r.options.trace_files) remember_input(file);
  r.options.noise = r.noise == "on";
  r.options.best_known = r.best_known == "on";
  r.options.meters = r.meters == "on";
  for (const auto& take : r.typed) take();
  while (r.options.out.size() > 1 && r.options.out.back() == '/') r.options.out.pop_back();
  const Items seed = parse_items(r.seed, "--seed");
  if (seed < 0) throw InputError("--seed", "a seed is not negative; give a whole number from 0 on");
  r.options.seed = static_cast<std::uint64_t>(seed);
  const Items reps = parse_items(r.reps, "--reps");
  if (reps < 1 || reps > 1'000'000) {
    throw InputError("--reps", "give a number of repetitions from 1 to 1e6");
  }
  r.options.reps = static_cast<int>(reps);
  r.options.seconds_max = parse_quantity(r.seconds_max, "s", "--seconds-max");
  if (r.options.seconds_max <= 0.0) {
    throw InputError("--seconds-max", "give a positive number of seconds");
  }
  static_cast<void>(make_cost_meter(r.options.decision_cost, {}));  // throws if unreadable
}

}  // namespace equipoise
