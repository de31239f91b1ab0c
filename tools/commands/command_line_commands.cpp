// All commands with their options, each of which fills the request of its command, and help with a
// working example.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/measures.hpp"
#include "shared_policies/policies/divide/piece_division.hpp"
#include "tools/commands/command_options.hpp"
#include "tools/commands/commands.hpp"
#include "tools/runs/policy_choice.hpp"
#include "tools/worlds/node_units.hpp"

namespace equipoise {
namespace {

std::vector<std::string> policies_of(const std::vector<std::string>& lists,
                                     const std::string& name) {
  std::vector<std::string> policies;
  for (const std::string& list : lists) {
    std::ranges::move(split_policies(list, name), std::back_inserter(policies));
  }
  return policies;
}

std::vector<Items> sizes_of(const std::vector<std::string>& texts, const std::string& name) {
  std::vector<Items> sizes;
  for (const std::string& text : texts) sizes.push_back(parse_items(text, name));
  return sizes;
}

// Options with the same spelling in several commands.

void add_workload(const CommandOptions& c, RunOptions& r) {
  if (c.loop != nullptr) {
    r.workloads = {c.loop->workload};
    r.loop = c.loop->work;
    return;
  }
  c.text("--workload", r.workloads,
         "KERNEL[:k=v,...], e.g. blackscholes:options=2e6, or a work file (traces/README.md), e.g. "
         "render.json; several: phases, one after another")
      ->required();
}

void add_map(const CommandOptions& c, RunOptions& r) {
  c.text("--map", r.maps,
         "TRACE_UNIT=HOST,...: these hosts have the block times of this unit of the trace (* in "
         "HOST matches any characters); repeatable");
}

void add_simulation(const CommandOptions& c, RunOptions& r, bool required) {
  c.input("--platform", r.platform_file, "SimGrid platform XML (see 'equipoise platform')")
      ->required(required);
  c.input("--trace", r.trace_files, "recorded block times (see 'equipoise trace'); repeatable")
      ->required(required);
  add_map(c, r);
  c.input("--scenario", r.scenario_file,
          "what disturbs the runs: JSON or CSV, see traces/README.md");
  c.value("--dispatch-cost", r.dispatch_cost,
          "time for handing out one block, e.g. 5us; else the trace's, else 5 us",
          dispatch_cost_of);
  c.value("--controller-cost", r.controller_cost,
          "REPORT[,BLOCK[,BYTE]]: how long the controller, which does one thing at a time, is busy "
          "with the report that a block has ended, with handing out a block, and with a byte that "
          "is copied, e.g. 3us,1us,0.2ns; else the trace's, else nothing",
          controller_cost_of);
  c.either("--noise", r.noise, "on: draw block times; off: take their means");
}

void add_policies(const CommandOptions& c, std::vector<std::string>& policies,
                  bool required = true) {
  c.value<std::vector<std::string>>(
       "--policy", policies,
       "NAME[:k=v,...], e.g. plb-hec:threshold=0.2; several with commas between them, or the "
       "option repeated; all: every policy (see 'equipoise list policies'); or a policy of your "
       "own: ./mine.so[:k=v,...], whose run fails if an answer takes longer than 10 s (its "
       "answer_limit_s)",
       policies_of)
      ->required(required);
}

void add_run_settings(const CommandOptions& c, RunOptions& r) {
  add_seed(c, r.seed, "of block times and of input data");
  c.value("--decision-cost", r.decision_cost,
          "how long a policy's decisions take: none; a time for each, such as 20us; measured (its "
          "processor time); paper (the time that its paper reports)",
          decision_cost_of)
      ->default_str(r.decision_cost);
}

void add_per_node(const CommandOptions& c, RunOptions& r) {
  c.text("--per-node", r.per_node,
         "NAME[:k=v,...]: two levels: the policy of --policy divides among nodes, and this one, in "
         "each node, what the node gets among its units");
}

void add_bounds(const CommandOptions& c, BoundsRequest& bounds) {
  auto* file = c.input("--expect", bounds.file,
                       "JSON file of bounds for the results (traces/README.md); exit 1 if a bound "
                       "is broken beyond noise");
  c.text("--junit", bounds.junit_file, "write a JUnit report of these bounds here")->needs(file);
}

/// `then`: what becomes of the file.
void add_experience(const CommandOptions& c, RunOptions& r, const std::string& then) {
  c.text("--experience", r.experience_file,
         "file of block times from earlier runs; policies that can use it start from it (" + then +
             ")");
}

void add_block_timeout(const CommandOptions& c, RunOptions& r) {
  c.value("--block-timeout", r.block_timeout,
          "a unit that keeps its blocks longer counts as lost: a time, e.g. 30s; auto: much longer "
          "than it and the others took so far (default of real runs); none: never (default of "
          "simulations)",
          block_timeout_of);
}

/// Under mpirun: what each rank has, which is known when all is parsed.
void add_ranks(const CommandOptions& c, RunOptions& r) {
  r.nodes = c.nodes;
  c.input(
      "--units-per-rank", r.units_per_rank_file,
      "under mpirun: a file with a line for each rank, of --unit KIND[,k=v,...] for each of its "
      "units, and perhaps --link-bandwidth and --link-latency; without it, each has those of "
      "--unit");
  c.value("--link-bandwidth", r.link_bytes_per_s,
          "under mpirun: holds what each rank sends and receives to this rate, e.g. 1Gb/s",
          parse_link_bandwidth);
  c.value("--link-latency", r.link_latency,
          "under mpirun: messages of a node take so much longer, e.g. 50us", parse_link_latency);
}

void add_units(const CommandOptions& c, RunOptions& r, bool required) {
  c.text("--unit", r.units,
         "KIND[,k=v,...], e.g. cpu,threads=1,slowdown=3; repeatable (see 'equipoise list units')")
      ->required(required && !c.nodes);
  add_ranks(c, r);
}

void add_meters(const CommandOptions& c, RunOptions& r) {
  c.either("--meters", r.meters,
           "on: energy is measured where there are meters, and recording stores the units' idle "
           "and busy watts; off: it is not, which saves some seconds before the runs");
}

void add_real_settings(const CommandOptions& c, RunOptions& r) {
  add_meters(c, r);
  add_block_timeout(c, r);
  c.value("--time-scale", r.time_scale,
          "of paced units: with 0.1 they are ten times as fast, so that the time of decisions "
          "weighs ten times as much; default: 1, or that of the run which is repeated",
          within(parse_number, 1e-6, 1e6, "give a number from 1e-6 to 1e6"));
}

/// Which of the policies do not take part.
void add_without(const CommandOptions& c, ComparisonOptions& r) {
  c.value<std::vector<std::string>>(
       "--without", r.without,
       "policies that --policy all leaves out: names, or patterns such as 'awf-*'; several with "
       "commas between them, or the option repeated",
       names_to_leave_out)
      ->delimiter(',');
  c.value("--blocks-max", r.blocks_max,
          "a policy is left out if a run of it makes more blocks than this; none: it never is; "
          "else that holds from 1e6 blocks on for what --policy all brings in",
          blocks_max_of);
}

void add_baseline(const CommandOptions& c, ComparisonOptions& r) {
  c.text("--baseline", r.baseline, "the policy that speedups refer to; it always runs")
      ->capture_default_str();
  c.value("--reps", r.reps, "repetitions of every policy",
          within(parse_items, Items{1}, Items{1'000'000},
                 "give a number of repetitions from 1 to 1e6"))
      ->default_str(fmt::format("{}", r.reps));
}

/// `file`: what becomes of the validations.
void add_intervals(const CommandOptions& c, ComparisonOptions& r, const std::string& file) {
  c.text("--validations", r.validations_file, file);
  c.value("--interval-runs", r.redrawn_runs,
          "simulations of each policy with other recorded times, which show how uncertain these "
          "are; 0: no intervals",
          within(parse_items, Items{0}, Items{10'000}, "give a number from 0 to 10000"))
      ->default_str(fmt::format("{}", r.redrawn_runs));
}

void add_seconds_max(const CommandOptions& c, double& seconds, const std::string& meaning) {
  c.value("--seconds-max", seconds, meaning,
          within(parse_seconds, above_0, any_number, "give a positive number of seconds"))
      ->default_str(fmt::format("{}", seconds));
}

/// Which rows and columns the table of a comparison has.
void add_table(const CommandOptions& c, TableChoice& table) {
  c.text("--sort", table.sort,
         "the column by which rows are sorted, by its heading or its name in results.json: "
         "makespan, 'times bound', energy_j");
  c.value("--top", table.top, "show so many rows, the fastest or by --sort, and the baseline",
          within(parse_items, Items{1}, Items{1'000'000}, "give a number of rows from 1 on"));
  c.flag("--brief", table.is_brief, "show only the columns that matter most, and no other tables");
}

/// Where one run is written, and what is printed of it.
void add_run_output(const CommandOptions& c, RunRequest& r) {
  add_out(c, r.out, "write the run file (JSON Lines) here");
  c.text("--report", r.report_file,
         "also write a page with the run's schedule here: one HTML file");
  add_output(c, r.json, &r.options.quiet);
}

// The commands that run something.

void add_simulate(const CommandOptions& program) {
  auto [c, r] =
      add(program, "simulate", "Simulates one policy on a platform, with recorded block times",
          simulate_command);
  add_simulation(c, r.options, true);
  add_workload(c, r.options);
  add_policies(c, r.policies);
  add_run_settings(c, r.options);
  add_per_node(c, r.options);
  add_experience(c, r.options, "this run is added to it");
  add_block_timeout(c, r.options);
  add_run_output(c, r);
  c.example(
      "equipoise simulate --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl "
      "--workload starpu_dgemm_gemm:items=2e6 --policy plb-hec --out run.jsonl");
}

void add_run(const CommandOptions& program) {
  auto [c, r] = add(program, "run", "Really runs one policy on this machine's units", run_command);
  RunOptions& o = r.options;
  o.on = "real";
  c.word("--on", o.on, "real; paced: workers wait as long as the hosts of a platform would take",
         {"real", "paced"});
  add_units(c, o, false);
  add_workload(c, o);
  add_policies(c, r.policies);
  c.input("--platform", o.platform_file, "platform whose hosts are paced (--on paced)");
  c.input("--trace", o.trace_files,
          "block times of paced units, and for policies that know speeds beforehand; repeatable");
  add_map(c, o);
  c.input("--scenario", o.scenario_file,
          "what really disturbs the run: JSON or CSV, see traces/README.md");
  c.either("--noise", o.noise, "of paced units; on: draw block times; off: take their means");
  add_seed(c, o.seed, "of the input data and of paced block times");
  add_per_node(c, o);
  add_real_settings(c, o);
  add_experience(c, o, "this run is added to it");
  c.text("--results", o.results_folder,
         "keep what the command of a work file leaves in this folder, which is new or empty");
  add_run_output(c, r);
  c.example(
      "equipoise run --unit cpu,threads=1 --unit cpu,threads=1,slowdown=3 --workload "
      "matmul:n=1536 --policy plb-hec --out run.jsonl");
}

void add_replay(const CommandOptions& program) {
  auto [c, r] =
      add(program, "replay",
          "Repeats a run from its file: checks its decisions, or hands out the same blocks again",
          replay_command);
  if (c.loop != nullptr) r.options.loop = c.loop->work;
  c.text("RUN", r.run_file, "the run file that --out of another command wrote")->required();
  c.flag("--check", r.check, "re-decides offline; reports the first decision that differs");
  c.flag("--decisions", r.decisions,
         "hands out the same blocks again in the same order, here or on another machine");
  c.word("--on", r.on,
         "where: sim, real or paced; else where the run was. paced alone: the policy re-decides, "
         "on units that take as long as the run says",
         {"sim", "real", "paced"});
  add_real_settings(c, r.options);
  add_units(c, r.options, false);
  c.input("--platform", r.options.platform_file, "in place of the recorded one");
  c.input("--trace", r.options.trace_files, "in place of the recorded ones; repeatable");
  add_map(c, r.options);
  add_out(c, r.out, "write the run file (JSON Lines) of the replay here");
  add_output(c, r.json, &r.options.quiet);
  c.example(
      "equipoise replay traces/runs/sirocco-gss.jsonl --check\n"
      "  equipoise replay traces/runs/sirocco-gss.jsonl --decisions --out again.jsonl");
}

void add_compare(const CommandOptions& program) {
  auto [c, r] =
      add(program, "compare", "Compares several policies over many runs, simulated, real or both",
          compare_command);
  ComparisonOptions& o = r.options;
  c.word("--on", o.on, "where the policies run", {"sim", "real", "both", "paced"});
  add_simulation(c, o, false);
  add_units(c, o, false);
  add_workload(c, o);
  add_policies(c, o.policies);
  add_without(c, o);
  add_run_settings(c, o);
  add_per_node(c, o);
  add_experience(c, o, "compare only reads it");
  add_baseline(c, o);
  add_intervals(c, o,
                "file that 'equipoise validate --validations' wrote: how far simulations of this "
                "machine were off; without it, those of the committed table count");
  c.flag("--explain-interval", r.explain_interval,
         "also print how much each cause contributes to the intervals of real runs");
  c.either("--best-known", r.best_known,
           "on: search for the best schedule, which the policy optimum then follows; off: faster, "
           "optimum uses its own division");
  c.value_or_empty(
      "--what-if", r.what_if,
      "simulate also with speeds, links and overheads higher and lower by this share, e.g. 0.3 or "
      "30%; says where another policy is the fastest",
      within(parse_share, above_0, any_number, "a share lies between 0 and 1; give 0.3 or 30%"));
  c.word("--runs", o.kept_runs,
         "run files that --out keeps, of each policy's first run: small (those under 16 MiB), all "
         "or none");
  add_real_settings(c, o);
  add_bounds(c, r.bounds);
  add_out(c, o.out,
          "write results.json, results.csv, report.html and the first runs into this folder");
  add_table(c, r.table);
  add_output(c, r.json, &o.quiet);
  c.example(
      "equipoise compare --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl "
      "--workload starpu_dgemm_gemm:items=2e6 --policy greedy,static,plb-hec,optimum --reps 10 "
      "--out cmp/");
}

void add_diff(const CommandOptions& program) {
  auto [c, r] = add(program, "diff",
                    "Compares two results of the same experiment, and tells changes from noise",
                    diff_command);
  c.text("OLD", r.before, "results.json, or the folder that compare --out wrote")->required();
  c.text("NEW", r.now, "the same of the other commit")->required();
  c.text("--quantity", r.quantity, "what is compared, e.g. energy_j")->capture_default_str();
  c.value_or_empty("--fail", r.fail_above,
                   "exit 1 if a policy is worse by more than this, beyond noise, e.g. 5%",
                   parse_share);
  c.value("--confidence", r.confidence, "of the confidence intervals",
          within(parse_share, above_0, 1.0, "an interval needs more than 0; give 95% or 99%"))
      ->default_str("95%");
  c.text("--junit", r.junit_file, "write a JUnit report here, one case a policy");
  add_json(c, r.json);
  c.example("equipoise diff cmp-before/ cmp-now/ --fail 5%");
}

void add_sweep(const CommandOptions& program) {
  auto [c, r] =
      add(program, "sweep",
          "Simulates a campaign of comparisons on all cores; resumes after a stop", sweep_command);
  c.text("CAMPAIGN", r.campaign_file, "the campaign (see tools/campaigns/README.md)")->required();
  add_out(c, r.out,
          "folder for points and results; a sweep that was stopped resumes when it is started "
          "again with the same folder")
      ->required();
  c.value_or_empty("--shard", r.shard, "I/N: simulate only part I of N, e.g. 3/16", parse_shard);
  c.text("--only", r.only,
         "only experiments with this name, or whose names match, e.g. 'sirocco-*'; repeatable");
  add_bounds(c, r.bounds);
  add_output(c, r.json, &r.quiet);
  c.example("equipoise sweep tools/campaigns/small.json --out sweep/");
}

void add_validate(const CommandOptions& program) {
  auto [c, r] =
      add(program, "validate", "Measures how far predictions are from real runs on this machine",
          validate_command);
  ComparisonOptions& o = r.options;
  o.on = "both";
  add_units(c, o, true);
  add_workload(c, o);
  add_policies(c, o.policies);
  add_without(c, o);
  add_per_node(c, o);
  c.input("--trace", o.trace_files, "times of paced units; repeatable");
  c.input("--scenario", o.scenario_file,
          "what disturbs the simulations and the runs, not the recording");
  add_baseline(c, o);
  add_seed(c, o.seed, "of the input data and of drawn block times");
  add_seconds_max(c, r.seconds_max, "time for recording each kernel, e.g. 10 or 10s");
  add_intervals(c, o,
                "adds what it finds to this file, from which intervals of later predictions learn "
                "the errors of simulations");
  add_meters(c, o);
  c.value_or_empty(
      "--max-error", r.error_max, "exit 1 if the error of a predicted makespan is larger, e.g. 8%",
      within(parse_ratio, 0.0, any_number, "an error is not negative; give a share such as 8%"));
  add_bounds(c, r.bounds);
  add_out(c, o.out,
          "folder for trace, platform, validation.json, results.json, results.csv, report.html "
          "and runs")
      ->required();
  add_output(c, r.json, &o.quiet);
  c.example(
      "equipoise validate --unit cpu --unit cpu,slowdown=3 --workload "
      "blackscholes:options=1e7,iterations=10 --policy plb-hec --policy equipoise --reps 5 "
      "--out validated/");
}

/// How much is recorded, and how.
void add_recording(const CommandOptions& c, RecordRequest& r) {
  add_seconds_max(c, r.seconds_max, "time for each unit, e.g. 10 or 10s");
  c.flag("--alone", r.alone,
         "one unit after the other, while the others rest; without it all units at a time: they "
         "share caches, memory bandwidth and turbo as in a run, but a CPU beside a GPU gets busy "
         "watts only with --alone");
  c.value<std::vector<std::string>>(
       "--sizes", r.sizes, "block sizes, in items, a,b,...; else they are chosen", sizes_of)
      ->delimiter(',');
  c.text("--platform-out", r.platform_out, "write the platform that matches it here");
}

void add_record(const CommandOptions& program) {
  auto [c, r] = add(program, "record",
                    "Measures block times on this machine's units; writes a trace and a platform",
                    record_command);
  add_units(c, r.options, true);
  add_workload(c, r.options);
  add_seed(c, r.options.seed, "of the input data");
  add_meters(c, r.options);
  add_recording(c, r);
  add_out(c, r.out, "write the trace (JSON Lines) here")->required();
  add_output(c, r.json, &r.options.quiet);
  c.example(
      "equipoise record --unit cpu,threads=1 --unit cpu,threads=1,slowdown=3 --workload "
      "blackscholes:options=1e7,iterations=10 --out here.jsonl --platform-out here.xml");
}

void add_optimum(const CommandOptions& program) {
  auto [c, r] =
      add(program, "optimum", "Searches for the best schedule, and computes the lower bound",
          optimum_command);
  add_simulation(c, r.options, true);
  add_workload(c, r.options);
  c.word("--objective", r.objective,
         "what to minimize; or pareto: all divisions that none beats in both time and energy; all "
         "but time need platforms with watts (edp: energy-delay product)");
  c.value("--pieces", r.pieces, "for pareto: equal pieces that the items are cut into; else 256",
          within(parse_items, Items{1}, most_pieces, "give a number of pieces from 1 to 4096"));
  c.text("--svg", r.svg,
         "for pareto: write a picture of the front here (-: print it, and nothing else)");
  add_output(c, r.json, &r.options.quiet);
  c.example(
      "equipoise optimum --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl "
      "--workload starpu_dgemm_gemm:items=2e6");
}

// The commands that show what was recorded.

void add_report(const CommandOptions& program) {
  auto [c, r] = add(program, "report",
                    "Writes runs and results as a page, a table, a picture, or for other viewers",
                    report_command);
  c.text("PATH", r.paths,
         "run files, results.json, traces, or folders that compare, validate or sweep wrote")
      ->required();
  c.text("--out", r.page, "the page; without any option it is report.html");
  c.text("--csv", r.csv,
         "a row for each repetition of results.json or, without one, for each block");
  c.text("--svg", r.svg,
         "a picture: makespans of results.json or, without one, the runs as a Gantt chart");
  c.text("--perfetto", r.perfetto, "the runs as Chrome trace events, for https://ui.perfetto.dev");
  c.text("--paje", r.paje, "the runs in the Paje format, for ViTE and pajeng");
  c.flag("--json", r.json, "print the numbers of the page as JSON");
  c.app.footer(
      "Every FILE but that of --out may be -, which prints it.\nExample:\n  equipoise report "
      "traces/runs/sirocco-gss.jsonl "
      "--out report.html --svg gantt.svg");
}

void add_show(const CommandOptions& program) {
  auto [c, r] = add(program, "show",
                    "Shows a run on the terminal (shares, idle time, Gantt chart), or a comparison",
                    show_command);
  c.text("PATH", r.path,
         "the run file that --out of another command wrote; or the folder of compare --out, or its "
         "results.json: the table again")
      ->required();
  add_table(c, r.table);
  add_output(c, r.json, &r.quiet);
  c.example("equipoise show traces/runs/sirocco-gss.jsonl");
}

// The commands about catalogs and files.

void add_list(const CommandOptions& program) {
  auto [c, r] = add(program, "list", "Lists policies, kernels, kinds of units, and known devices",
                    list_command);
  c.text("what", r.what, "what to list")->type_name("TEXT:{policies,kernels,units,devices}");
  c.text("NAME", r.name,
         "one of them, with all parameters; also the library of a policy: ./mine.so");
  add_output(c, r.json);
  c.example("equipoise list policies plb-hec");
}

void add_explain(const CommandOptions& program) {
  auto [c, r] =
      add(program, "explain", "Explains a word of the tables in one sentence", explain_command);
  c.text("WORD", r.words, "a word of a table or a name in results.json; none: all words");
  add_output(c, r.json);
  c.example("equipoise explain ends apart");
}

void add_file_command(const CommandOptions& above, const std::string& name,
                      const std::string& meaning, const std::string& example,
                      int (*run)(const FileRequest&)) {
  auto [c, r] = add(above, name, meaning, run);
  c.text("FILE", r.file, "the file")->required();
  add_json(c, r.json);
  c.example(example);
}

void add_import_starpu(const CommandOptions& import, const std::string& example) {
  auto [c, r] =
      add(import, "starpu", "Makes a platform and traces from StarPU's performance models",
          trace_import_starpu_command);
  c.text("--machine", r.options.machine, "sirocco, mirage, attila, idgraf, ...")->required();
  c.text("--kernel", r.kernels, "e.g. starpu_dgemm_gemm; none: all that can be used");
  c.text("--perfmodels", r.options.directory, "StarPU's sampling folder")->capture_default_str();
  c.either("--drivers", r.keep_drivers,
           "keep: count in the CPU core of each GPU that drives it; drive: leave it out",
           {"keep", "drive"}, "keep");
  c.either("--items-from", r.options.items_from_bytes,
           "flops: an item is 1 MFlop; bytes: 1 KiB of operands, for models without flops",
           {"flops", "bytes"}, "bytes");
  c.value_or_empty(
      "--flops", r.options.flops,
      "work of tasks whose model has no flops, as FACTOR*bytes^EXPONENT of the bytes of their "
      "operands: 0.017*bytes^1.5 for C += A B of square tiles of doubles",
      parse_flops);
  c.either("--bytes", r.options.operand_bytes,
           "operands: a block moves its operands; none: nothing moves", {"none", "operands"},
           "operands");
  add_out(c, r.out, "folder for MACHINE.xml and MACHINE-KERNEL.jsonl")->required();
  add_json(c, r.json);
  c.example(example);
}

void add_import_csv(const CommandOptions& import) {
  auto [c, r] =
      add(import, "csv", "Makes a trace from CSV tables of timings", trace_import_csv_command);
  c.text("FILE", r.files, "CSV with a header row; several: one trace of all")->required();
  c.described(r.table);
  r.table.called = option_called;
  add_out(c, r.out, "write the trace here")->required();
  add_json(c, r.json);
  c.example(
      "equipoise trace import csv a40.csv cpu.csv --unit gpu0 --unit cpu0 --kernel encode "
      "--items-column num_tokens --compute-column median --time-unit ms --out t.jsonl");
}

void add_trace(const CommandOptions& program) {
  const CommandOptions c =
      add_group(program, "trace", "Checks, shows and imports traces (files of block times)",
                "equipoise trace show traces/sirocco-dgemm.jsonl");
  add_file_command(c, "check", "Checks a trace: errors, and what is doubtful in it",
                   "equipoise trace check traces/sirocco-dgemm.jsonl", trace_check_command);
  add_file_command(c, "show", "Shows a trace as a table",
                   "equipoise trace show traces/sirocco-dgemm.jsonl", trace_show_command);
  const std::string example =
      "equipoise trace import starpu --machine sirocco --kernel starpu_dgemm_gemm --out here";
  const CommandOptions import =
      add_group(c, "import", "Imports timings of other programs", example);
  add_import_starpu(import, example);
  add_import_csv(import);
}

void add_platform(const CommandOptions& program) {
  const CommandOptions c =
      add_group(program, "platform", "Checks, shows, detects and generates platform files",
                "equipoise platform show platforms/sirocco.xml");
  add_file_command(c, "check", "Checks a platform: hosts, properties, routes",
                   "equipoise platform check platforms/sirocco.xml", platform_check_command);
  add_file_command(c, "show", "Shows a platform's units and their routes as a table",
                   "equipoise platform show platforms/sirocco.xml", platform_show_command);
  auto [detect, here] =
      add(c, "detect",
          "Describes this machine in a platform file, and measures the links of its GPUs; for "
          "predictions use the platform that 'record --platform-out' writes",
          platform_detect_command);
  add_out(detect, here.out, "write the XML here; else it is printed");
  add_json(detect, here.json);
  detect.example("equipoise platform detect --out here.xml");
  auto [generate, figures] =
      add(c, "generate", "Makes platforms and modelled traces from data-sheet figures",
          platform_generate_command);
  generate.text("--spec", figures.file, "the figures, JSON (platforms/README.md)")->required();
  add_out(generate, figures.out, "folder for the files")->required();
  add_json(generate, figures.json);
  generate.example("equipoise platform generate --spec platforms/example.json --out here");
}

}  // namespace

void add_loop_options(const CommandOptions& c, RunRequest& run, RecordRequest& record) {
  RunOptions& o = run.options;
  o.on = "real";
  add_units(c, o, false);
  add_policies(c, run.policies, false);
  add_out(c, run.out, "write the run file (JSON Lines) here");
  c.text("--report", run.report_file,
         "also write a page with the run's schedule here: one HTML file");
  c.value("--record", record.out,
          "before the run, measure block times and how items differ, and write the trace here",
          output_of);
  add_recording(c, record);
  add_experience(c, o, "this run is added to it");
  c.input("--trace", o.trace_files,
          "block times for policies that know speeds beforehand; repeatable");
  c.input("--scenario", o.scenario_file,
          "what really disturbs the run: JSON or CSV, see traces/README.md");
  add_meters(c, o);
  add_block_timeout(c, o);
  c.flag("--quiet", o.quiet, "show neither progress nor notes; warnings stay");
}

void add_commands(CLI::App& app, TypedCommand& typed, const LoopProgram* loop,
                  const std::shared_ptr<Nodes>& nodes) {
  const CommandOptions program{app, typed, loop, nodes};
  add_simulate(program);
  add_run(program);
  add_replay(program);
  add_compare(program);
  add_diff(program);
  add_sweep(program);
  add_validate(program);
  add_record(program);
  add_optimum(program);
  add_report(program);
  add_show(program);
  add_list(program);
  add_explain(program);
  add_trace(program);
  add_platform(program);
  add_completion(app, typed);
  add_own_commands(program);
}

}  // namespace equipoise
