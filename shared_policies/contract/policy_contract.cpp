// The promises, each checked by a function on one random machine.
#include "shared_policies/contract/policy_contract.hpp"

#include <fmt/format.h>

#include <array>
#include <random>
#include <utility>
#include <vector>

#include "shared_policies/contract/memory_journal.hpp"
#include "shared_policies/contract/random_machine.hpp"
#include "shared_policies/policies/unheard_copies.hpp"
#include "shared_policies/run/metrics.hpp"
#include "shared_policies/solve/lower_bound.hpp"

namespace equipoise {
namespace {

/// A description of what is wrong with a run; nothing if the run is correct.
using Finding = std::optional<std::string>;

/// A run with its journal.
struct Ran {
  RunOutcome outcome;
  MemoryJournal journal;
  RunNumbers numbers;
};

std::unique_ptr<Ran> run(const RandomMachine& machine, const PolicyMaker& make) {
  auto ran = std::make_unique<Ran>();
  const auto policy = make({{}, &machine.known, machine.run.units});
  const auto executor = make_fake_executor(machine.fake);
  ran->outcome = run_policy(*executor, *policy, machine.run, ran->journal);
  Metrics metrics(machine.run.units);
  for (const BlockRecord& record : ran->journal.blocks) metrics.block(record);
  ran->numbers = metrics.numbers();
  return ran;
}

/// Checks that all items were done. That each is done exactly once is checked by the run loop
/// itself, which stops the program otherwise.
Finding all_done(const RandomMachine& machine, const Ran& ran) {
  if (!ran.outcome.complete) return "the run ended before all items were done";
  if (ran.outcome.policy_stalled) {
    return "the policy left work undone while units were idle and nothing was outstanding";
  }
  if (ran.numbers.items != machine.items()) {
    return fmt::format("{} items were done of {}", ran.numbers.items, machine.items());
  }
  return std::nullopt;
}

/// The lower bound for all phases; each phase starts at the bound of the one before.
double bound_s(const RandomMachine& machine) {
  Seconds end;
  for (std::size_t phase = 0; phase < machine.run.phases.size(); ++phase) {
    std::vector<const BlockTiming*> timings;
    for (const BlockTiming& timing : machine.timings[phase]) timings.push_back(&timing);
    end += Seconds{lower_bound(machine.platform, machine.run.phases[phase], timings,
                               machine.fake.scenario, end, machine.fake.merge,
                               machine.fake.items[phase].get())
                       .seconds};
  }
  return end.value;
}

Finding all_done_not_under_the_bound(const RandomMachine& machine, const PolicyMaker& make) {
  const auto ran = run(machine, make);
  if (Finding finding = all_done(machine, *ran)) return finding;
  const double least_s = bound_s(machine);
  if (ran->numbers.makespan.value >= least_s * (1.0 - 1e-9)) return std::nullopt;
  return fmt::format("the run took {} s, less than its lower bound of {} s",
                     ran->numbers.makespan.value, least_s);
}

Finding does_all_items(std::mt19937& random, int /*round*/, const PolicyMaker& make) {
  return all_done_not_under_the_bound(random_machine(random), make);
}

Finding does_phases(std::mt19937& random, int /*round*/, const PolicyMaker& make) {
  return all_done_not_under_the_bound(random_machine_with_phases(random), make);
}

Finding survives_losses(std::mt19937& random, int /*round*/, const PolicyMaker& make) {
  RandomMachine machine = random_machine(random);
  add_faults(machine, random);
  return all_done(machine, *run(machine, make));
}

Finding survives_scenarios(std::mt19937& random, int round, const PolicyMaker& make) {
  RandomMachine machine =
      round % 4 == 0 ? random_machine_with_phases(random) : random_machine(random);
  add_scenario(machine, random);
  return all_done_not_under_the_bound(machine, make);
}

/// All units but one, or all units, join during the run. In the second case nothing happens until
/// the first one joins.
Finding uses_late_units(std::mt19937& random, int round, const PolicyMaker& make) {
  RandomMachine machine = random_machine(random);
  const double alone_s = run(machine, make)->numbers.makespan.value;
  for (std::size_t unit = round % 2 == 0 ? 0 : 1; unit < machine.run.units.size(); ++unit) {
    const double at_s = std::uniform_real_distribution<double>(0.0, alone_s)(random);
    machine.fake.scenario.events.push_back({.at = Seconds{at_s},
                                            .kind = DisturbanceKind::join,
                                            .target = machine.run.units[unit].name,
                                            .profile = {}});
  }
  machine.run.absent_at_start = absent_at_start(machine.fake);
  const auto ran = run(machine, make);
  if (Finding finding = all_done(machine, *ran)) return finding;
  for (const BlockRecord& record : ran->journal.blocks) {
    const std::string& unit = machine.run.units[record.unit.index].name;
    const Presence presence = machine.fake.scenario.presence_of(unit);
    if (!presence.at_start && record.assigned < presence.changes.front().at) {
      return fmt::format("{} was given a block at {} s and joined at {} s", unit,
                         record.assigned.value, presence.changes.front().at.value);
    }
  }
  return std::nullopt;
}

Finding decides_the_same(std::mt19937& random, int /*round*/, const PolicyMaker& make) {
  RandomMachine machine = random_machine_with_phases(random);
  add_faults(machine, random);
  add_scenario(machine, random);
  const auto a = run(machine, make);
  const auto b = run(machine, make);
  if (a->journal.blocks.size() != b->journal.blocks.size()) {
    return fmt::format("{} blocks in one run, {} in a repetition of the same run",
                       a->journal.blocks.size(), b->journal.blocks.size());
  }
  for (std::size_t i = 0; i < a->journal.blocks.size(); ++i) {
    const BlockRecord& x = a->journal.blocks[i];
    const BlockRecord& y = b->journal.blocks[i];
    if (x.block.first != y.block.first || x.block.items != y.block.items || x.unit != y.unit ||
        x.end != y.end) {
      return fmt::format("block {} differs in a repetition of the same run", i);
    }
  }
  return std::nullopt;
}

/// Takes blocks of a policy back and gives them twice, at random, up to 40 times each.
class Meddled final : public Policy {
 public:
  Meddled(std::unique_ptr<Policy> policy, std::uint32_t seed)
      : policy_(std::move(policy)), random_(seed) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (copies_.hears(event)) policy_->decide(view, event, decisions);
    const UnitState& unit = view.units()[draw(view.units().size())];
    const UnitState& other = view.units()[draw(view.units().size())];
    if (unit.outstanding.empty()) return;
    const std::uint64_t block = unit.outstanding[draw(unit.outstanding.size())].block.id;
    const std::size_t choice = draw(8);
    if (choice == 0 && taken_back_ < 40) {
      taken_back_ += decisions.take_back(unit.id, block) ? 1 : 0;
    } else if (choice == 1 && given_twice_ < 40) {
      given_twice_ += copies_.give_twice(view, decisions, block, unit.id, other.id) ? 1 : 0;
    }
  }

 private:
  std::size_t draw(std::size_t count) { return static_cast<std::size_t>(random_() % count); }

  std::unique_ptr<Policy> policy_;
  std::mt19937 random_;
  UnheardCopies copies_;
  int taken_back_ = 0;
  int given_twice_ = 0;
};

Finding survives_take_backs(std::mt19937& random, int round, const PolicyMaker& make) {
  RandomMachine machine = random_machine(random);
  if (round % 2 == 1) add_scenario(machine, random);
  const auto seed = static_cast<std::uint32_t>(random());
  return all_done_not_under_the_bound(machine, [&](const PolicyInputs& inputs) {
    return std::make_unique<Meddled>(make(inputs), seed);
  });
}

using Round = Finding (*)(std::mt19937& random, int round, const PolicyMaker& make);

template <Round ask>
std::optional<Breach> in_rounds(const PolicyMaker& make, std::uint32_t seed, int rounds) {
  std::mt19937 random{seed};
  for (int round = 0; round < rounds; ++round) {
    if (Finding finding = ask(random, round, make)) return Breach{round, std::move(*finding)};
  }
  return std::nullopt;
}

}  // namespace

std::span<const Promise> policy_contract() {
  static const std::array<Promise, 7> promises = {{
      {"DoesAllItems",
       "Does all items of every iteration, and is never faster than the lower bound.", 100,
       in_rounds<does_all_items>},
      {"DoesPhases", "Does several phases of different kernels, one after another.", 40,
       in_rounds<does_phases>},
      {"SurvivesLosses", "Does all items although units fail and come back.", 100,
       in_rounds<survives_losses>},
      {"SurvivesScenarios",
       "Does all items while speeds and bandwidths change and units fail, come back or come late.",
       100, in_rounds<survives_scenarios>},
      {"UsesLateUnits", "Waits for units that come late and gives them nothing before.", 50,
       in_rounds<uses_late_units>},
      {"SurvivesTakeBacks",
       "Does all items although blocks are taken back, and others are given to two units.", 100,
       in_rounds<survives_take_backs>},
      {"DecidesTheSame", "Decides the same for the same events.", 40, in_rounds<decides_the_same>},
  }};
  return promises;
}

}  // namespace equipoise
