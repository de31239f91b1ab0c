// `equipoise simulate` and `equipoise run`: one policy, one run.
#include <cstdio>

#include "shared_policies/model/failure.hpp"
#include "tools/commands.hpp"
#include "tools/console.hpp"
#include "tools/json_text.hpp"
#include "tools/real_world.hpp"
#include "tools/report_text.hpp"
#include "tools/schedule_search.hpp"
#include "tools/sim_world.hpp"

namespace equipoise {
namespace {

/// Prints the report; the exit code says how the run went.
int report(const RunReport& report, const PolicyChoice& choice, const std::vector<Unit>& units,
           const Options& options) {
  if (report.outcome.interrupted) {
    std::fprintf(stderr, "equipoise: error: interrupted%s\n",
                 options.out.empty() ? "" : ("; " + options.out + " holds the run so far").c_str());
    return 128 + stop_signal();
  }
  if (options.json) {
    std::printf("%s\n", run_summary_text(report, names_of(units)).c_str());
  } else {
    std::printf("%s", run_table(report, choice, units).c_str());
    if (!options.out.empty()) std::printf("run file: %s\n", options.out.c_str());
  }
  warn_of_extrapolation(choice.spelling, report.run.numbers.extrapolated_share);
  if (report.run.verified) return 0;
  std::fprintf(stderr, "equipoise: error: the run is not verified: %s\n", report.problem.c_str());
  return 1;
}

PolicyChoice only_policy(const Options& options) {
  if (options.policies.size() != 1) {
    throw InputError("--policy", "give one policy; compare takes several");
  }
  return parse_policy(options.policies.front());
}

}  // namespace

int simulate_command(const Options& options) {
  const PolicyChoice choice = only_policy(options);
  if (!options.out.empty()) check_writable(options.out, "--out");
  SimWorld world = load_sim_world(options);
  catch_stop_signals();
  if (choice.info->foresight == Foresight::oracle) know_best_schedule(world, options);
  return report(simulate_once(world, choice, options, 0, options.out), choice, world.units,
                options);
}

int run_command(const Options& options) {
  const PolicyChoice choice = only_policy(options);
  if (!options.out.empty()) check_writable(options.out, "--out");
  RealWorld world = load_real_world(options);
  catch_stop_signals();
  if (world.platform && choice.info->foresight == Foresight::oracle) {
    know_best_schedule(*world.platform, options);
  }
  world.allocate(options.seed);
  return report(run_once(world, choice, options, 0, options.out), choice, world.units, options);
}

}  // namespace equipoise
