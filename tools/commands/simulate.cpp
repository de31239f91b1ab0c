// `equipoise simulate` and `equipoise run`: one policy, one run.
#include "shared_policies/model/failure.hpp"
#include "tools/commands/commands.hpp"
#include "tools/report/console.hpp"
#include "tools/report/run_report.hpp"
#include "tools/search/schedule_search.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/real_world.hpp"
#include "tools/worlds/sim_world.hpp"
#include "tools/worlds/simulations.hpp"

namespace equipoise {
namespace {

PolicyChoice only_policy(const Options& options) {
  if (options.policies.size() != 1) {
    throw InputError("--policy", "give one policy; compare takes several");
  }
  return parse_policy(options.policies.front());
}

}  // namespace

int simulate_command(const Options& options) {
  const PolicyChoice choice = only_policy(options);
  SimWorld world = load_sim_world(options);
  check_out(options);
  catch_stop_signals();
  if (choice.info->foresight == Foresight::oracle) find_best_schedule(world, options);
  return report_run(run_simulation(simulation_of(world, choice, options, 0, options.out)), choice,
                    world.units, options);
}

int run_command(const Options& options) {
  const PolicyChoice choice = only_policy(options);
  RealWorld world = load_real_world(options);
  check_out(options);
  catch_stop_signals();
  if (world.platform && choice.info->foresight == Foresight::oracle) {
    find_best_schedule(*world.platform, options);
  }
  world.allocate(options.seed);
  return report_run(run_once(world, choice, options, 0, options.out), choice, world.units, options);
}

}  // namespace equipoise
