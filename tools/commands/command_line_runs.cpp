// The command line of the commands that run something: options, and help with a working example.
#include <CLI/CLI.hpp>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "tools/commands/command_line_options.hpp"

namespace equipoise {
namespace {

void add_simulate(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("simulate",
                                   "Simulates one policy on a platform, with recorded block times");
  add_simulation(*c, r, true);
  add_workload(*c, r);
  add_policies(*c, r);
  add_run_settings(*c, r);
  add_experience(*c, r, "this run is added to it");
  add_settings_of_all_runs(*c, r);
  add_out(*c, r, "write the run file (JSON Lines) here");
  add_report_file(*c, r);
  add_output(*c, r);
  add_help(*c,
           "equipoise simulate --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl "
           "--workload starpu_dgemm_gemm:items=2e6 --policy plb-hec --out run.jsonl");
  c->callback([&r] {
    r.options.on = "sim";
    r.command = [&r] { return run_command(r.options, "simulate"); };
  });
}

void add_run(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("run", "Really runs one policy on this machine's units");
  c->add_option("--on", r.run_on,
                "real; paced: workers wait as long as the hosts of a platform would take")
      ->check(CLI::IsMember({"real", "paced"}))
      ->capture_default_str();
  add_units(*c, r, false);
  add_workload(*c, r);
  add_policies(*c, r);
  c->add_option("--platform", r.options.platform_file,
                "platform whose hosts are paced (--on paced)");
  c->add_option(
      "--trace", r.options.trace_files,
      "block times of paced units, and for policies that know speeds beforehand; repeatable");
  add_map(*c, r);
  c->add_option("--scenario", r.options.scenario_file,
                "what really disturbs the run: JSON or CSV, see traces/README.md");
  c->add_option("--noise", r.noise, "of paced units; on: draw block times; off: take their means")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  c->add_option("--seed", r.seed, "of the input data and of paced block times")
      ->capture_default_str();
  add_real_settings(*c, r);
  add_experience(*c, r, "this run is added to it");
  add_out(*c, r, "write the run file (JSON Lines) here");
  add_report_file(*c, r);
  add_output(*c, r);
  add_help(*c,
           "equipoise run --unit cpu,threads=1 --unit cpu,threads=1,slowdown=3 --workload "
           "matmul:n=1536 --policy plb-hec --out run.jsonl");
  c->callback([&r] {
    r.options.on = r.run_on;
    r.command = [&r] { return run_command(r.options, "run"); };
  });
}

void add_replay(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand(
      "replay",
      "Repeats a run from its file: checks its decisions, or hands out the same blocks again");
  c->add_option("RUN", r.replay.run_file, "the run file that --out of another command wrote")
      ->required();
  c->add_flag("--check", r.replay.check,
              "re-decides offline; reports the first decision that differs");
  c->add_flag("--decisions", r.replay.decisions,
              "hands out the same blocks again in the same order, here or on another machine");
  c->add_option(
       "--on", r.replay.on,
       "where: sim, real or paced; else where the run was. paced alone: the policy re-decides, "
       "on units that take as long as the run says")
      ->check(CLI::IsMember({"sim", "real", "paced"}));
  add_real_settings(*c, r);
  add_units(*c, r, false);
  c->add_option("--platform", r.options.platform_file, "in place of the recorded one");
  c->add_option("--trace", r.options.trace_files, "in place of the recorded ones; repeatable");
  add_map(*c, r);
  add_out(*c, r, "write the run file (JSON Lines) of the replay here");
  add_output(*c, r);
  add_help(*c,
           "equipoise replay traces/runs/sirocco-gss.jsonl --check\n"
           "  equipoise replay traces/runs/sirocco-gss.jsonl --decisions --out again.jsonl");
  c->callback([&r] { r.command = [&r] { return replay_command(r.replay, r.options); }; });
}

void add_compare(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand(
      "compare", "Compares several policies over many runs, simulated, real or both");
  c->add_option("--on", r.options.on, "where the policies run")
      ->check(CLI::IsMember({"sim", "real", "both", "paced"}))
      ->capture_default_str();
  add_simulation(*c, r, false);
  add_units(*c, r, false);
  add_workload(*c, r);
  add_policies(*c, r);
  add_run_settings(*c, r);
  add_experience(*c, r, "compare only reads it");
  c->add_option("--baseline", r.options.baseline,
                "the policy that speedups refer to; it always runs")
      ->capture_default_str();
  c->add_option("--reps", r.reps, "repetitions of every policy")->capture_default_str();
  c->add_option("--best-known", r.best_known,
                "on: search for the best schedule, which the policy optimum then follows; off: "
                "faster, optimum uses its own division")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  c->add_option("--runs", r.options.kept_runs,
                "run files that --out keeps, of each policy's first run: small (those under 16 "
                "MiB), all or none")
      ->check(CLI::IsMember({"small", "all", "none"}))
      ->capture_default_str();
  add_real_settings(*c, r);
  add_expect(*c, r);
  add_out(*c, r,
          "write results.json, results.csv, report.html and the first runs into this folder");
  add_output(*c, r);
  add_help(
      *c,
      "equipoise compare --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl "
      "--workload starpu_dgemm_gemm:items=2e6 --policy greedy,static,plb-hec,optimum --reps 10 "
      "--out cmp/");
  c->callback([&r] { r.command = [&r] { return compare_command(r.options); }; });
}

void add_diff(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand(
      "diff", "Compares two results of the same experiment, and tells changes from noise");
  c->add_option("OLD", r.diff.before, "results.json, or the folder that compare --out wrote")
      ->required();
  c->add_option("NEW", r.diff.now, "the same of the other commit")->required();
  c->add_option("--quantity", r.diff.quantity, "what is compared, e.g. energy_j")
      ->capture_default_str();
  c->add_option("--fail", r.diff_fail,
                "exit 1 if a policy is worse by more than this, beyond noise, e.g. 5%");
  c->add_option("--confidence", r.diff_confidence, "of the confidence intervals")
      ->capture_default_str();
  c->add_option("--junit", r.options.junit_file, "write a JUnit report here, one case a policy");
  add_json(*c, r);
  add_help(*c, "equipoise diff cmp-before/ cmp-now/ --fail 5%");
  c->callback([&r] {
    r.command = [&r] {
      if (!r.diff_fail.empty()) r.diff.fail_above = parse_share(r.diff_fail, "--fail");
      r.diff.confidence = parse_share(r.diff_confidence, "--confidence");
      if (r.diff.confidence == 0.0) {
        throw InputError("--confidence", "an interval needs more than 0; give 95% or 99%");
      }
      return diff_command(r.diff, r.options);
    };
  });
}

void add_sweep(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand(
      "sweep", "Simulates a campaign of comparisons on all cores; resumes after a stop");
  c->add_option("CAMPAIGN", r.file, "the campaign (see tools/campaigns/README.md)")->required();
  c->add_option(
       "--out", r.options.out,
       "folder for points and results; a sweep that was stopped resumes when it is started "
       "again with the same folder")
      ->required();
  c->add_option("--shard", r.shard, "I/N: simulate only part I of N, e.g. 3/16");
  c->add_option("--only", r.only,
                "only experiments with this name, or whose names match, e.g. 'sirocco-*'; "
                "repeatable");
  add_expect(*c, r);
  add_output(*c, r);
  add_help(*c, "equipoise sweep tools/campaigns/small.json --out sweep/");
  c->callback(
      [&r] { r.command = [&r] { return sweep_command(r.file, r.shard, r.only, r.options); }; });
}

void add_validate(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand(
      "validate", "Measures how far predictions are from real runs on this machine");
  add_units(*c, r, true);
  add_workload(*c, r);
  add_policies(*c, r);
  c->add_option("--trace", r.options.trace_files, "times of paced units; repeatable");
  c->add_option("--scenario", r.options.scenario_file,
                "what disturbs the simulations and the runs, not the recording");
  c->add_option("--baseline", r.options.baseline,
                "the policy that speedups refer to; it always runs")
      ->capture_default_str();
  c->add_option("--reps", r.reps, "repetitions of every policy")->capture_default_str();
  c->add_option("--seed", r.seed, "of the input data and of drawn block times")
      ->capture_default_str();
  c->add_option("--seconds-max", r.seconds_max, "time for recording each kernel, e.g. 10 or 10s")
      ->capture_default_str();
  add_meters(*c, r);
  c->add_option("--max-error", r.error_max,
                "exit 1 if the error of a predicted makespan is larger, e.g. 8%");
  add_expect(*c, r);
  c->add_option(
       "--out", r.options.out,
       "folder for trace, platform, validation.json, results.json, results.csv, report.html "
       "and runs")
      ->required();
  add_output(*c, r);
  add_help(*c,
           "equipoise validate --unit cpu --unit cpu,slowdown=3 --workload "
           "blackscholes:options=1e7,iterations=10 --policy plb-hec --policy equipoise --reps 5 "
           "--out validated/");
  c->callback([&r] {
    r.command = [&r] {
      std::optional<double> error_max;
      if (!r.error_max.empty()) error_max = parse_ratio(r.error_max, "--max-error");
      if (error_max && *error_max < 0.0) {
        throw InputError("--max-error", "an error is not negative; give a share such as 8%");
      }
      return validate_command(r.options, error_max);
    };
  });
}

void add_record(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand(
      "record", "Measures block times on this machine's units; writes a trace and a platform");
  add_units(*c, r, true);
  add_workload(*c, r);
  c->add_option("--seed", r.seed, "of the input data")->capture_default_str();
  c->add_option("--seconds-max", r.seconds_max, "time for each unit, e.g. 10 or 10s")
      ->capture_default_str();
  c->add_flag("--alone", r.options.alone,
              "one unit after the other, while the others rest; without it all units at a time: "
              "they share caches, memory bandwidth and turbo as in a run, but a CPU beside a GPU "
              "gets busy watts only with --alone");
  add_meters(*c, r);
  c->add_option("--sizes", r.options.sizes, "block sizes, in items, a,b,...; else they are chosen")
      ->delimiter(',');
  c->add_option("--out", r.options.out, "write the trace (JSON Lines) here")->required();
  c->add_option("--platform-out", r.options.platform_out,
                "write the platform that matches it here");
  add_output(*c, r);
  add_help(*c,
           "equipoise record --unit cpu,threads=1 --unit cpu,threads=1,slowdown=3 --workload "
           "blackscholes:options=1e7,iterations=10 --out here.jsonl --platform-out here.xml");
  c->callback([&r] { r.command = [&r] { return record_command(r.options); }; });
}

void add_optimum(CLI::App& app, Request& r) {
  CLI::App* c =
      app.add_subcommand("optimum", "Searches for the best schedule, and computes the lower bound");
  add_simulation(*c, r, true);
  add_workload(*c, r);
  c->add_option("--objective", r.options.objective,
                "what to minimize; energy and edp (energy-delay product) need platforms with watts")
      ->check(CLI::IsMember({"time", "energy", "edp"}))
      ->capture_default_str();
  add_output(*c, r);
  add_help(*c,
           "equipoise optimum --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl "
           "--workload starpu_dgemm_gemm:items=2e6");
  c->callback([&r] { r.command = [&r] { return optimum_command(r.options); }; });
}

}  // namespace

void add_run_commands(CLI::App& app, Request& r) {
  add_simulate(app, r);
  add_run(app, r);
  add_replay(app, r);
  add_compare(app, r);
  add_diff(app, r);
  add_sweep(app, r);
  add_validate(app, r);
  add_record(app, r);
  add_optimum(app, r);
}

}  // namespace equipoise
