// The command line of the commands for policies of one's own: options, and help with a working
// example.
#include <CLI/CLI.hpp>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "tools/commands/command_line_options.hpp"

namespace equipoise {
namespace {

void add_new(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("new", "Starts a project for a policy of your own");
  c->require_subcommand(1);
  add_help(*c, "equipoise new policy mine");
  CLI::App* policy = c->add_subcommand(
      "policy", "Writes a project with a working policy, its test and its build files");
  policy->add_option("NAME", r.name, "of the policy, such as my-policy")->required();
  policy->add_option("--out", r.options.out, "the folder for it; else one called NAME");
  add_help(*policy, "equipoise new policy mine && cd mine && cmake --workflow --preset all");
  policy->callback(
      [&r] { r.command = [&r] { return new_policy_command(r.name, r.options.out); }; });
}

void add_check(CLI::App& app, Request& r) {
  CLI::App* c = app.add_subcommand("check", "Tests a policy of your own on random machines");
  c->require_subcommand(1);
  add_help(*c, "equipoise check policy mine/build/mine.so");
  CLI::App* policy = c->add_subcommand("policy",
                                       "Tests on random machines what every policy must keep: each "
                                       "item done once, losses, phases, ...");
  policy->add_option("POLICY", r.name, "NAME[:k=v,...] or ./LIBRARY.so[:k=v,...]")->required();
  policy->add_option("--seed", r.seed, "of the random machines")->capture_default_str();
  policy
      ->add_option("--seconds-max", r.check_seconds_max,
                   "time for each test; a policy that takes longer counts as never ending, as does "
                   "one whose answer takes longer than 10 s (its answer_limit_s)")
      ->capture_default_str();
  policy->add_option("--machines", r.check_machines,
                     "random machines for each test; by default 40 to 100");
  add_output(*policy, r);
  add_help(*policy, "equipoise check policy mine/build/mine.so:share=0.3");
  policy->callback([&r] {
    r.command = [&r] {
      const double seconds_max = parse_number(r.check_seconds_max, "--seconds-max");
      if (!(seconds_max > 0.0 && seconds_max <= 1e5)) {
        throw InputError("--seconds-max", "give a number of seconds above 0, up to 1e5");
      }
      PolicyCheckRequest request{r.name, seconds_max, {}};
      if (!r.check_machines.empty()) {
        const Items machines = parse_items(r.check_machines, "--machines");
        if (machines < 1 || machines > 1'000'000) {
          throw InputError("--machines", "give a number of machines from 1 to 1e6");
        }
        request.machines = static_cast<int>(machines);
      }
      return check_policy_command(request, r.options);
    };
  });
}

}  // namespace

void add_policy_commands(CLI::App& app, Request& r) {
  add_new(app, r);
  add_check(app, r);
}

}  // namespace equipoise
