// The command line of the commands that show what was recorded: options, and help with an example.
#include <CLI/CLI.hpp>

#include "tools/commands/command_line_options.hpp"

namespace equipoise {
namespace {

void add_report(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand(
      "report", "Writes runs and results as a page, a table, a picture, or for other viewers");
  c->add_option("PATH", r.report.paths,
                "run files, results.json, traces, or folders that compare, validate or sweep wrote")
      ->required();
  c->add_option("--out", r.report.page, "the page; without any option it is report.html");
  c->add_option("--csv", r.report.csv,
                "a row for each repetition of results.json or, without one, for each block");
  c->add_option("--svg", r.report.svg,
                "a picture: makespans of results.json or, without one, the runs as a Gantt chart");
  c->add_option("--perfetto", r.report.perfetto,
                "the runs as Chrome trace events, for https://ui.perfetto.dev");
  c->add_option("--paje", r.report.paje, "the runs in the Paje format, for ViTE and pajeng");
  c->add_flag("--json", r.report.json, "print the numbers of the page as JSON");
  c->footer(
      "Every FILE but that of --out may be -, which prints it.\nExample:\n  equipoise report "
      "traces/runs/sirocco-gss.jsonl "
      "--out report.html --svg gantt.svg");
  c->callback([&r] { r.command = [&r] { return report_command(r.report); }; });
}

void add_show(CLI::App& app, Request& r) {
  CLI::App* c =
      app.add_subcommand("show", "Shows a run on the terminal: shares, idle time, Gantt chart");
  c->add_option("RUN", r.file, "the run file that --out of another command wrote")->required();
  add_output(*c, r);
  add_help(*c, "equipoise show traces/runs/sirocco-gss.jsonl");
  c->callback([&r] { r.command = [&r] { return show_command(r.file, r.options.json); }; });
}

}  // namespace

void add_report_commands(CLI::App& app, Request& r) {
  add_report(app, r);
  add_show(app, r);
}

}  // namespace equipoise
