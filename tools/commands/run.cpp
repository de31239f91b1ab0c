// `equipoise simulate` and `equipoise run`: one policy, one run.
#include <memory>
#include <string>

#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/page/report_contents.hpp"
#include "tools/page/report_page.hpp"
#include "tools/report/report_text.hpp"
#include "tools/runs/block_count.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/worlds/experiment_facts.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/kept_experience.hpp"
#include "tools/worlds/world.hpp"
#include "traces/files/locked_file.hpp"

namespace equipoise {
namespace {

PolicyChoice only_policy(const Options& options) {
  if (options.policies.size() != 1) {
    throw InputError("--policy", "give one policy; compare takes several");
  }
  return parse_policy(options.policies.front());
}

/// Writes the page of the run file. A stop ends the program at once until the file is opened: a
/// page of many blocks takes seconds, and the run file and the experience are complete.
void write_page(const Options& options) {
  if (stop_signal() != 0) throw Interrupted(stop_signal());
  end_on_stop_signals();
  PageContents page = contents_of({options.out});
  page.environment = environment_of(options.command_line);
  const std::string text = report_page(page);
  catch_stop_signals();
  write_whole_file(options.report_file, text);
}

}  // namespace

int run_command(const Options& options, const std::string& command) {
  PolicyChoice choice = only_policy(options);
  const std::unique_ptr<World> world = open_world(options, command);
  const KeptExperience experience(options, ExperienceUse::extend);
  check_out(options);
  if (!options.report_file.empty()) {
    if (options.out.empty()) {
      throw InputError("--report", "the page shows the run file; give --out, too");
    }
    if (is_same_path(options.report_file, options.out)) {
      throw InputError("--report", "is the run file of --out, too; give it another name");
    }
    check_writable(options.report_file, "--report");
    expect_no_inputs({options.report_file}, "--report");
  }
  experience.give(choice, *world);
  const OutputLock out = OutputLock::of_file(options.out, "--out");
  catch_stop_signals();
  if (world->platform() != nullptr && choice.info->foresight == Foresight::oracle) {
    find_best_schedule(*world->platform(), options);
  }
  if (const std::string text = many_blocks_text({&choice, 1}, world->phases()); !text.empty()) {
    warn(text);
  }
  world->prepare();
  const RunReport report = world->run(choice, 0, options.out);
  const int exit_code =
      report_run(report, choice, world->units(), options, resident_path(world->platform()));
  experience.add(report, *world);
  if (!options.report_file.empty() && !report.outcome.interrupted) write_page(options);
  return exit_code;
}

}  // namespace equipoise
