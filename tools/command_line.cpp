// The one file that knows CLI11: commands, options, help with an example that works as typed.
#include "tools/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/spec.hpp"
#include "tools/commands.hpp"
#include "tools/console.hpp"
#include "tools/cost_meters.hpp"
#include "tools/parallel_runs.hpp"
#include "tools/version.hpp"

namespace equipoise {
namespace {

constexpr int unusable_input = 2;
constexpr int work_failed = 1;

/// Everything that the parser fills, and the command that it chose.
struct Request {
  Options options;
  std::string noise = "on";
  std::string seed = "1";
  std::string dispatch_cost;
  std::string reps = "10";
  std::string seconds_max = "5";
  std::string what;  ///< of `list`
  std::string file;
  std::string shard;
  StarpuImportRequest starpu;
  std::string drivers = "drive";
  std::string items_from = "flops";
  std::string bytes = "none";
  CsvImportOptions csv;
  std::function<int()> command;
};

void add_help(CLI::App& command, const std::string& example) {
  command.footer("Example:\n  " + example);
}

void add_out(CLI::App& command, Request& r, const std::string& meaning) {
  command.add_option("--out", r.options.out, meaning);
}

void add_output(CLI::App& command, Request& r) {
  command.add_flag("--json", r.options.json, "print JSON instead of tables");
  command.add_flag("--quiet", r.options.quiet, "show no progress");
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
  command.add_option("--scenario", r.options.scenario_file,
                     "what disturbs the runs: JSON, see traces/README.md");
  command.add_option("--dispatch-cost", r.dispatch_cost,
                     "seconds for handing out one block; else the trace's, else 5e-6");
  command.add_option("--noise", r.noise, "on: draw block times; off: take their means")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
}

void add_policies(CLI::App& command, Request& r) {
  command
      .add_option("--policy", r.options.policies,
                  "NAME[:k=v,...], e.g. plb-hec:threshold=0.2 (see 'equipoise list policies')")
      ->required();
}

void add_run_settings(CLI::App& command, Request& r) {
  command.add_option("--seed", r.seed, "of block times and of input data")->capture_default_str();
  command
      .add_option("--decision-cost", r.options.decision_cost,
                  "what a simulated decision costs: none, paper, measured, or seconds")
      ->capture_default_str();
}

void add_units(CLI::App& command, Request& r, bool required) {
  auto* unit = command.add_option("--unit", r.options.units,
                                  "KIND[,k=v,...], e.g. cpu,threads=1,slowdown=3; repeatable (see "
                                  "'equipoise list units')");
  if (required) unit->required();
}

void add_simulate(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("simulate", "One policy on SimGrid: platform + trace -> run");
  add_simulation(*c, r, true);
  add_workload(*c, r);
  add_policies(*c, r);
  add_run_settings(*c, r);
  add_out(*c, r, "write the run file (JSON Lines) here");
  add_output(*c, r);
  add_help(*c,
           "equipoise simulate --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl "
           "--workload starpu_dgemm_gemm:items=2e6 --policy plb-hec --out run.jsonl");
  c->callback([&r] { r.command = [&r] { return simulate_command(r.options); }; });
}

void refuse_scenario(const Request& r) {
  if (r.options.scenario_file.empty()) return;
  throw InputError("--scenario",
                   "real units cannot be disturbed yet; simulate the scenario, or leave it out");
}

void add_run(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("run", "One policy on this machine's real workers -> run");
  add_units(*c, r, true);
  add_workload(*c, r);
  add_policies(*c, r);
  c->add_option("--trace", r.options.trace_files,
                "profile for informed policies and oracles; repeatable");
  c->add_option("--scenario", r.options.scenario_file)->group("");  // refused, see below
  c->add_option("--seed", r.seed, "of the input data")->capture_default_str();
  add_out(*c, r, "write the run file (JSON Lines) here");
  add_output(*c, r);
  add_help(*c,
           "equipoise run --unit cpu,threads=1 --unit cpu,threads=1,slowdown=3 --workload "
           "matmul:n=1536 --policy plb-hec --out run.jsonl");
  c->callback([&r] {
    refuse_scenario(r);
    r.command = [&r] { return run_command(r.options); };
  });
}

void add_compare(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand(
      "compare", "Several policies, simulated, really run, or both, repeated -> table and files");
  c->add_option("--on", r.options.on, "where the policies run")
      ->check(CLI::IsMember({"sim", "real", "both"}))
      ->capture_default_str();
  add_simulation(*c, r, false);
  add_units(*c, r, false);
  add_workload(*c, r);
  add_policies(*c, r);
  add_run_settings(*c, r);
  c->add_option("--baseline", r.options.baseline, "what speedups refer to; always run")
      ->capture_default_str();
  c->add_option("--reps", r.reps, "repetitions of every policy")->capture_default_str();
  add_out(*c, r, "write results.json, report.html and the first runs into this folder");
  add_output(*c, r);
  add_help(
      *c,
      "equipoise compare --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl "
      "--workload starpu_dgemm_gemm:items=2e6 --policy greedy --policy static --policy plb-hec "
      "--policy optimum --reps 10 --out cmp/");
  c->callback([&r] {
    const bool simulates = r.options.on != "real";
    if (simulates && (r.options.platform_file.empty() || r.options.trace_files.empty())) {
      throw InputError("compare", "to simulate, give --platform and --trace; or say --on real");
    }
    if (r.options.on != "sim" && r.options.units.empty()) {
      throw InputError("compare", "to run for real, give --unit; or say --on sim");
    }
    if (r.options.on != "sim") refuse_scenario(r);
    r.command = [&r] { return compare_command(r.options); };
  });
}

void add_sweep(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand(
      "sweep", "A campaign of comparisons from one JSON file: parallel, resumable, shardable");
  c->add_option("CAMPAIGN", r.file, "the campaign (see tests/campaigns/README.md)")->required();
  c->add_option("--out", r.options.out,
                "folder for points and results; a sweep into the same folder goes on where the "
                "last one stopped")
      ->required();
  c->add_option("--shard", r.shard, "I/N: simulate only part I of N, e.g. 3/16");
  add_output(*c, r);
  add_help(*c, "equipoise sweep tests/campaigns/small.json --out sweep/");
  c->callback([&r] { r.command = [&r] { return sweep_command(r.file, r.shard, r.options); }; });
}

void add_record(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand(
      "record", "Times a kernel's blocks on this machine's units -> trace, and a platform");
  add_units(*c, r, true);
  add_workload(*c, r);
  c->add_option("--seed", r.seed, "of the input data")->capture_default_str();
  c->add_option("--seconds-max", r.seconds_max, "time for each unit, in seconds")
      ->capture_default_str();
  c->add_option("--out", r.options.out, "write the trace (JSON Lines) here")->required();
  c->add_option("--platform-out", r.options.platform_out,
                "write the platform that matches it here");
  add_output(*c, r);
  add_help(*c,
           "equipoise record --unit cpu,threads=1 --unit cpu,threads=1,slowdown=3 --workload "
           "blackscholes:options=2e6 --out here.jsonl --platform-out here.xml");
  c->callback([&r] { r.command = [&r] { return record_command(r.options); }; });
}

void add_optimum(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("optimum", "The best schedule found, and the lower bound");
  add_simulation(*c, r, true);
  add_workload(*c, r);
  c->add_option("--objective", r.options.objective,
                "what is to be least; energy and edp need platforms with watts")
      ->check(CLI::IsMember({"time", "energy", "edp"}))
      ->capture_default_str();
  add_output(*c, r);
  add_help(*c,
           "equipoise optimum --platform platforms/sirocco.xml --trace traces/sirocco-dgemm.jsonl "
           "--workload starpu_dgemm_gemm:items=2e6");
  c->callback([&r] { r.command = [&r] { return optimum_command(r.options); }; });
}

void add_list(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("list", "What there is, with parameters, defaults and sources");
  c->add_option("what", r.what, "policies, kernels or units")->required();
  add_output(*c, r);
  add_help(*c, "equipoise list policies");
  c->callback([&r] { r.command = [&r] { return list_command(r.what, r.options.json); }; });
}

void add_file_command(CLI::App& parent, Request& r, const std::string& name,
                      const std::string& meaning, const std::string& example,
                      int (*command)(const std::string&)) {
  CLI::App* c = parent.add_subcommand(name, meaning);
  c->add_option("FILE", r.file, "the file")->required();
  add_help(*c, example);
  c->callback([&r, command] { r.command = [&r, command] { return command(r.file); }; });
}

void add_import_starpu(CLI::App& import, Request& r) {
  CLI::App* c = import.add_subcommand(
      "starpu", "Platform and traces from the performance models that StarPU recorded");
  c->add_option("--machine", r.starpu.options.machine, "sirocco, mirage, attila, idgraf, ...")
      ->required();
  c->add_option("--kernel", r.starpu.kernels, "e.g. starpu_dgemm_gemm; none: all that can be used");
  c->add_option("--perfmodels", r.starpu.options.directory, "StarPU's sampling folder")
      ->capture_default_str();
  c->add_option("--drivers", r.drivers,
                "keep: count in the CPU core of each GPU that drives it; drive: leave it out")
      ->check(CLI::IsMember({"keep", "drive"}))
      ->capture_default_str();
  c->add_option("--items-from", r.items_from,
                "flops: an item is 1 MFlop; bytes: 1 KiB of operands, for models without flops")
      ->check(CLI::IsMember({"flops", "bytes"}))
      ->capture_default_str();
  c->add_option("--bytes", r.bytes, "operands: a block moves its operands; none: nothing moves")
      ->check(CLI::IsMember({"none", "operands"}))
      ->capture_default_str();
  c->add_option("--out", r.starpu.out, "folder for MACHINE.xml and MACHINE-KERNEL.jsonl")
      ->required();
  add_help(*c,
           "equipoise trace import starpu --machine sirocco --kernel starpu_dgemm_gemm --out here");
  c->callback([&r] {
    r.starpu.keep_drivers = r.drivers == "keep";
    r.starpu.options.items_from_bytes = r.items_from == "bytes";
    r.starpu.options.operand_bytes = r.bytes == "operands";
    r.command = [&r] { return trace_import_starpu_command(r.starpu); };
  });
}

void add_import_csv(CLI::App& import, Request& r) {
  CLI::App* c = import.add_subcommand("csv", "A trace from a table of timings");
  c->add_option("FILE", r.file, "CSV with a header row")->required();
  c->add_option("--unit", r.csv.unit, "the unit that all rows time")->capture_default_str();
  c->add_option("--kind", r.csv.kind, "cpu, gpu or mic; else as the unit's name begins");
  c->add_option("--items-column", r.csv.items_column, "block sizes")->required();
  c->add_option("--compute-column", r.csv.compute_column, "times, or their means")->required();
  c->add_option("--time-unit", r.csv.time_unit, "s, ms, us or ns")->capture_default_str();
  c->add_option("--sd-column", r.csv.sd_column, "deviations");
  c->add_option("--count-column", r.csv.count_column, "numbers of samples");
  c->add_option("--in-column", r.csv.in_column, "copy-in times");
  c->add_option("--out-column", r.csv.out_column, "copy-out times");
  c->add_option("--kernel", r.csv.kernel, "its name; else the file's without its ending");
  c->add_option("--item", r.csv.item, "what one item is, in words")->capture_default_str();
  c->add_option("--out", r.options.out, "write the trace here")->required();
  add_help(*c,
           "equipoise trace import csv timings.csv --unit gpu0 --items-column num_tokens "
           "--compute-column median --time-unit ms --out t.jsonl");
  c->callback([&r] {
    r.command = [&r] { return trace_import_csv_command(r.file, r.csv, r.options.out); };
  });
}

void add_trace(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("trace", "Recorded block times: check, show, import");
  c->require_subcommand(1);
  add_help(*c, "equipoise trace show traces/sirocco-dgemm.jsonl");
  add_file_command(*c, r, "check", "Whether a trace is legal, and what is doubtful in it",
                   "equipoise trace check traces/sirocco-dgemm.jsonl", trace_check_command);
  add_file_command(*c, r, "show", "A trace as a table",
                   "equipoise trace show traces/sirocco-dgemm.jsonl", trace_show_command);
  CLI::App* import = c->add_subcommand("import", "Traces from other programs' timings");
  import->require_subcommand(1);
  add_help(*import,
           "equipoise trace import starpu --machine sirocco --kernel starpu_dgemm_gemm --out here");
  add_import_starpu(*import, r);
  add_import_csv(*import, r);
}

void add_platform(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("platform", "Platform files: check, show, detect, generate");
  c->require_subcommand(1);
  add_help(*c, "equipoise platform show platforms/sirocco.xml");
  add_file_command(*c, r, "check", "Whether a platform is legal: hosts, properties, routes",
                   "equipoise platform check platforms/sirocco.xml", platform_check_command);
  add_file_command(*c, r, "show", "A platform's units and their routes as a table",
                   "equipoise platform show platforms/sirocco.xml", platform_show_command);
  CLI::App* detect = c->add_subcommand("detect", "This machine as a platform file");
  detect->add_option("--out", r.options.out, "write the XML here; else it is printed");
  add_help(*detect, "equipoise platform detect --out here.xml");
  detect->callback([&r] { r.command = [&r] { return platform_detect_command(r.options.out); }; });
  CLI::App* generate = c->add_subcommand(
      "generate", "Platforms and modelled traces of machines that are known by their figures");
  generate->add_option("--spec", r.file, "the figures, JSON (platforms/README.md)")->required();
  generate->add_option("--out", r.options.out, "folder for the files")->required();
  add_help(*generate, "equipoise platform generate --spec platforms/example.json --out here");
  generate->callback(
      [&r] { r.command = [&r] { return platform_generate_command(r.file, r.options.out); }; });
}

void add_all(CLI::App& app, Request& r) {
  app.set_version_flag("--version", built_with_text());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  add_help(app, "equipoise list policies");
  add_simulate(app, r);
  add_run(app, r);
  add_compare(app, r);
  add_sweep(app, r);
  add_record(app, r);
  add_optimum(app, r);
  add_list(app, r);
  add_trace(app, r);
  add_platform(app, r);
}

/// What the parser leaves as text.
void finish_options(Request& r) {
  r.options.noise = r.noise == "on";
  while (r.options.out.size() > 1 && r.options.out.back() == '/') r.options.out.pop_back();
  const Items seed = parse_items(r.seed, "--seed");
  if (seed < 0) throw InputError("--seed", "a seed is not negative; give a whole number from 0 on");
  r.options.seed = static_cast<std::uint64_t>(seed);
  const Items reps = parse_items(r.reps, "--reps");
  if (reps < 1 || reps > 1'000'000) {
    throw InputError("--reps", "give a number of repetitions from 1 to 1e6");
  }
  r.options.reps = static_cast<int>(reps);
  r.options.seconds_max = parse_number(r.seconds_max, "--seconds-max");
  if (r.options.seconds_max <= 0.0) {
    throw InputError("--seconds-max", "give a positive number of seconds");
  }
  static_cast<void>(make_cost_meter(r.options.decision_cost, 0.0));  // refuses what it cannot read
  if (r.dispatch_cost.empty()) return;
  const double seconds = parse_number(r.dispatch_cost, "--dispatch-cost");
  if (seconds < 0.0)
    throw InputError("--dispatch-cost", "a cost is not negative; give seconds from 0 on");
  r.options.dispatch_cost = Seconds{seconds};
}

int say(const std::string& what, int exit_code) {
  say_error(what);
  return exit_code;
}
}  // namespace
int run_program(int argc, char** argv) {
  CLI::App app("Compares load-balancing policies on SimGrid and on real workers.", "equipoise");
  Request request;
  try {
    add_all(app, request);
    app.parse(argc, argv);
    finish_options(request);
    return request.command();
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return say(fmt::format("{}; see equipoise --help", error.what()), unusable_input);
  } catch (const InputError& error) {
    return say(error.what(), unusable_input);
  } catch (const Interrupted& stop) {
    return say("interrupted", 128 + stop.signal());
  } catch (const std::exception& failure) {
    return say(failure.what(), work_failed);
  }
}
}  // namespace equipoise
