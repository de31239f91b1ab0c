// `equipoise simulate` and `equipoise run`: one policy, one run.
#include <memory>
#include <string>

#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/once.hpp"
#include "tools/console/console.hpp"
#include "tools/page/report_page.hpp"
#include "tools/report/report_text.hpp"
#include "tools/worlds/experiment_facts.hpp"
#include "tools/worlds/kept_experience.hpp"
#include "tools/worlds/world.hpp"
#include "traces/files/locked_file.hpp"

namespace equipoise {
namespace {

/// Throws InputError unless all files can be written, and none of them is another or an input.
void check_outputs(const RunRequest& request) {
  const std::string& out = request.out;
  const std::string& page = request.report_file;
  expect_different(
      {{"--experience", request.options.experience_file}, {"--out", out}, {"--report", page}});
  if (!out.empty()) check_writable(out, "--out");
  if (page.empty()) return;
  if (out.empty()) throw InputError("--report", "the page shows the run file; give --out, too");
  check_writable(page, "--report");
}

/// Writes the page of the run file. A stop ends the program at once until the file is opened: a
/// page of many blocks takes seconds, and the run file and the experience are complete.
void write_page(const RunRequest& request) {
  if (stop_signal() != 0) throw Interrupted(stop_signal());
  end_on_stop_signals();
  PageContents page = contents_of({request.out});
  page.environment = environment_now();
  const std::string text = report_page(page);
  catch_stop_signals();
  write_whole_file(request.report_file, text);
}

}  // namespace

void run_once(const RunRequest& request, const std::string& command,
              const std::function<void(const FinishedRun& run)>& tell) {
  if (request.policies.size() != 1) {
    throw InputError("--policy", "give one policy; compare takes several");
  }
  PolicyChoice choice = parse_policy(request.policies.front(), "--policy");
  const std::unique_ptr<World> world = open_world(request.options, command);
  const KeptExperience experience(request.options, ExperienceUse::extend);
  check_outputs(request);
  experience.give(choice, *world);
  const OutputLock out = OutputLock::of_file(request.out, "--out");
  catch_stop_signals();
  Reference reference = world->reference();
  if (choice.is_oracle()) reference.find_schedule(request.options);
  if (const std::string text = many_blocks_text({&choice, 1}, world->phases()); !text.empty()) {
    warn(text);
  }
  world->prepare();
  const RunReport report = world->run(choice, 0, {request.out});
  tell({report, choice, world->units(), reference.resident()});
  experience.add(report, *world);
  if (report.outcome.complete) {
    warn_of_late_events(world->scenario(), report.run.numbers.makespan);
  }
  if (!request.report_file.empty() && !report.outcome.interrupted) write_page(request);
}

namespace {

/// `command`: what the user typed.
int run_and_print(const RunRequest& request, const std::string& command) {
  int exit_code = 0;
  run_once(request, command, [&](const FinishedRun& run) {
    exit_code =
        report_run(run.report, run.choice, run.units, request.out, request.json, run.resident);
  });
  return exit_code;
}

}  // namespace

int simulate_command(const RunRequest& request) { return run_and_print(request, "simulate"); }

int run_command(const RunRequest& request) { return run_and_print(request, "run"); }

}  // namespace equipoise
