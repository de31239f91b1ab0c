// The command line of the commands about files: options, and help with a working example.
#include <CLI/CLI.hpp>

#include "shared_policies/model/failure.hpp"
#include "tools/commands/command_line_options.hpp"

namespace equipoise {
namespace {

void add_list(CLI::App& app, Request& r) {
  CLI::App* c =
      app.add_subcommand("list", "Lists policies, kernels, kinds of units, and known devices");
  c->add_option("what", r.what, "what to list")->type_name("TEXT:{policies,kernels,units,devices}");
  c->add_option("NAME", r.name,
                "one of them, with all parameters; also the library of a policy: ./mine.so");
  add_output(*c, r);
  add_help(*c, "equipoise list policies plb-hec");
  c->callback([&r] { r.command = [&r] { return list_command(r.what, r.name, r.options); }; });
}

void add_explain(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("explain", "Explains a word of the tables in one sentence");
  c->add_option("WORD", r.words, "a word of a table or a name in results.json; none: all words");
  add_output(*c, r);
  add_help(*c, "equipoise explain ends apart");
  c->callback([&r] { r.command = [&r] { return explain_command(r.words, r.options.json); }; });
}

void add_file_command(CLI::App& parent, Request& r, const std::string& name,
                      const std::string& meaning, const std::string& example,
                      int (*command)(const std::string&, const Options&)) {
  CLI::App* c = parent.add_subcommand(name, meaning);
  c->add_option("FILE", r.file, "the file")->required();
  add_json(*c, r);
  add_help(*c, example);
  c->callback([&r, command] { r.command = [&r, command] { return command(r.file, r.options); }; });
}

void add_import_starpu(CLI::App& import, Request& r) {
  CLI::App* c = import.add_subcommand(
      "starpu", "Makes a platform and traces from StarPU's performance models");
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
  c->add_option("--flops", r.flops,
                "work of tasks whose model has no flops, as FACTOR*bytes^EXPONENT of the bytes of "
                "their operands: 0.017*bytes^1.5 for C += A B of square tiles of doubles");
  c->add_option("--bytes", r.bytes, "operands: a block moves its operands; none: nothing moves")
      ->check(CLI::IsMember({"none", "operands"}))
      ->capture_default_str();
  c->add_option("--out", r.starpu.out, "folder for MACHINE.xml and MACHINE-KERNEL.jsonl")
      ->required();
  add_json(*c, r);
  add_help(*c,
           "equipoise trace import starpu --machine sirocco --kernel starpu_dgemm_gemm --out here");
  c->callback([&r] {
    r.starpu.keep_drivers = r.drivers == "keep";
    r.starpu.options.items_from_bytes = r.items_from == "bytes";
    r.starpu.options.operand_bytes = r.bytes == "operands";
    if (!r.flops.empty()) r.starpu.options.flops = parse_flops(r.flops, "--flops");
    if (r.starpu.options.flops && r.starpu.options.items_from_bytes) {
      throw InputError("--flops",
                       "beside --items-from bytes it says twice what the work is; keep "
                       "one of them");
    }
    r.command = [&r] { return trace_import_starpu_command(r.starpu, r.options); };
  });
}

void add_import_csv(CLI::App& import, Request& r) {
  CLI::App* c = import.add_subcommand("csv", "Makes a trace from CSV tables of timings");
  c->add_option("FILE", r.csv_files, "CSV with a header row; several: one trace of all")
      ->required();
  c->add_option("--unit", r.csv.units,
                "unit that was timed; with several files, once for each, in their order")
      ->allow_extra_args(false);
  c->add_option("--unit-column", r.csv.unit_column,
                "column that names each row's unit, in place of --unit");
  c->add_option("--kind", r.csv.kind,
                "cpu, gpu or mic; by default what each unit's name begins with");
  c->add_option(
      "--model", r.csv.model,
      "hardware model of the units, e.g. 'A40'; runs warn if a platform's host is another model");
  c->add_option("--where", r.csv.where, "COLUMN=VALUE: only these rows; repeatable")
      ->allow_extra_args(false);
  c->add_option("--items-column", r.csv.items_column, "block sizes")->required();
  c->add_option("--items-pattern", r.csv.items_pattern,
                "form of sizes within text: with '*x*_mask3', 128x128_mask3 is 128 * 128 items, "
                "and rows with other sizes are left out");
  c->add_option("--compute-column", r.csv.compute_column, "times, or mean times")->required();
  c->add_option("--time-unit", r.csv.time_unit, "s, ms, us or ns")->capture_default_str();
  c->add_option("--sd-column", r.csv.sd_column, "standard deviations");
  c->add_option("--min-column", r.csv.min_column, "least times");
  c->add_option("--max-column", r.csv.max_column, "longest times");
  c->add_option("--count-column", r.csv.count_column, "numbers of samples");
  c->add_option("--in-column", r.csv.in_column, "copy-in times");
  c->add_option("--out-column", r.csv.out_column, "copy-out times");
  c->add_option("--in-bytes-column", r.csv.in_bytes_column, "bytes that a block copies in");
  c->add_option("--out-bytes-column", r.csv.out_bytes_column, "bytes that a block copies out");
  c->add_option("--max-block-items", r.csv.max_block_items,
                "largest block that a unit may get; 'recorded': its largest recorded size");
  c->add_option("--kernel", r.csv.kernel,
                "name of the kernel; by default the first file's name without its ending");
  c->add_option("--item", r.csv.item, "what one item is, in words")->capture_default_str();
  c->add_option("--grain-items", r.csv.grain_items, "block sizes are multiples of this");
  c->add_option("--provenance", r.csv.provenance,
                "where the table comes from, and under what licence; for the trace's header");
  c->add_option("--out", r.options.out, "write the trace here")->required();
  add_json(*c, r);
  add_help(*c,
           "equipoise trace import csv a40.csv cpu.csv --unit gpu0 --unit cpu0 --kernel encode "
           "--items-column num_tokens --compute-column median --time-unit ms --out t.jsonl");
  c->callback([&r] {
    r.command = [&r] { return trace_import_csv_command(r.csv_files, r.csv, r.options); };
  });
}

void add_trace(CLI::App& app, Request& r) {
  CLI::App* c =
      app.add_subcommand("trace", "Checks, shows and imports traces (files of block times)");
  c->require_subcommand(1);
  add_help(*c, "equipoise trace show traces/sirocco-dgemm.jsonl");
  add_file_command(*c, r, "check", "Checks a trace: errors, and what is doubtful in it",
                   "equipoise trace check traces/sirocco-dgemm.jsonl", trace_check_command);
  add_file_command(*c, r, "show", "Shows a trace as a table",
                   "equipoise trace show traces/sirocco-dgemm.jsonl", trace_show_command);
  CLI::App* import = c->add_subcommand("import", "Imports timings of other programs");
  import->require_subcommand(1);
  add_help(*import,
           "equipoise trace import starpu --machine sirocco --kernel starpu_dgemm_gemm --out here");
  add_import_starpu(*import, r);
  add_import_csv(*import, r);
}

void add_platform(CLI::App& app, Request& r) {
  CLI::App* c =
      app.add_subcommand("platform", "Checks, shows, detects and generates platform files");
  c->require_subcommand(1);
  add_help(*c, "equipoise platform show platforms/sirocco.xml");
  add_file_command(*c, r, "check", "Checks a platform: hosts, properties, routes",
                   "equipoise platform check platforms/sirocco.xml", platform_check_command);
  add_file_command(*c, r, "show", "Shows a platform's units and their routes as a table",
                   "equipoise platform show platforms/sirocco.xml", platform_show_command);
  CLI::App* detect = c->add_subcommand(
      "detect",
      "Describes this machine in a platform file, and measures the links of its GPUs; for "
      "predictions use the platform that 'record --platform-out' writes");
  detect->add_option("--out", r.options.out, "write the XML here; else it is printed");
  add_json(*detect, r);
  add_help(*detect, "equipoise platform detect --out here.xml");
  detect->callback([&r] { r.command = [&r] { return platform_detect_command(r.options); }; });
  CLI::App* generate =
      c->add_subcommand("generate", "Makes platforms and modelled traces from data-sheet figures");
  generate->add_option("--spec", r.file, "the figures, JSON (platforms/README.md)")->required();
  generate->add_option("--out", r.options.out, "folder for the files")->required();
  add_json(*generate, r);
  add_help(*generate, "equipoise platform generate --spec platforms/example.json --out here");
  generate->callback(
      [&r] { r.command = [&r] { return platform_generate_command(r.file, r.options); }; });
}

}  // namespace

void add_file_commands(CLI::App& app, Request& r) {
  add_list(app, r);
  add_explain(app, r);
  add_trace(app, r);
  add_platform(app, r);
}

}  // namespace equipoise
