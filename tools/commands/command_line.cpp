// Parses the arguments, runs the command, and turns failures into messages and exit codes.
#include "tools/commands/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>

#include "shared_policies/model/failure.hpp"
#include "tools/commands/command_line_options.hpp"
#include "tools/commands/console.hpp"
#include "tools/commands/version.hpp"
#include "tools/worlds/parallel_runs.hpp"

namespace equipoise {
namespace {

constexpr int unusable_input = 2;
constexpr int work_failed = 1;

void add_all(CLI::App& app, Request& r) {
  app.set_version_flag("--version", built_with_text());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  add_help(app, "equipoise list policies");
  add_run_commands(app, r);
  add_file_commands(app, r);
}

int say(const std::string& what, int exit_code) {
  say_error(what);
  return exit_code;
}

}  // namespace

int run_program(int argc, char** argv) {
  ::signal(SIGXFSZ, SIG_IGN);  // a file at its size limit is a write that fails
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
