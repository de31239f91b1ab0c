// Matches units with kernels; profiles come from recorded whole blocks.
#include "tools/real_world.hpp"

#include <fmt/format.h>

#include <utility>

#include "real/kernels/catalog.hpp"
#include "real/machine.hpp"
#include "real/real_executor.hpp"
#include "shared_policies/fit/timing_curve.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/spec.hpp"
#include "tools/console.hpp"
#include "tools/inputs.hpp"
#include "tools/json_text.hpp"
#include "tools/workload_choice.hpp"

namespace equipoise {
namespace {

/// The trace with copies counted into compute: what a block takes on a unit of this machine.
Trace whole_blocks(Trace trace) {
  for (TraceSample& sample : trace.samples) {
    sample.compute_mean_s += sample.in_s.value_or(0.0) + sample.out_s.value_or(0.0);
    sample.in_bytes.reset();
    sample.out_bytes.reset();
  }
  return trace;
}

}  // namespace

KnownCosts known_costs(const std::vector<Workload>& phases, const std::vector<Unit>& units,
                       const std::vector<Trace>& traces) {
  KnownCosts known;
  known.phases.clear();
  for (const Workload& workload : phases) {
    KnownCosts::Phase& phase = known.phases.emplace_back();
    for (const Unit& unit : units) {
      const auto place = find_timing(traces, workload.kernel, unit.name);
      phase.push_back(nullptr);
      if (!place) continue;
      TimingCurve::Moving moving;
      moving.dispatch = place->trace->dispatch.value_or(Seconds{});
      phase.back() = std::make_unique<TimingCurve>(
          BlockTiming(whole_blocks(*place->trace), place->unit), moving);
    }
  }
  return known;
}

void RealWorld::allocate(std::uint64_t seed) {
  for (const std::unique_ptr<Kernel>& kernel : kernels) kernel->allocate(seed);
}

RealWorld load_real_world(const Options& options) {
  RealWorld world;
  world.traces = read_traces(options.trace_files);
  for (const std::string& spelling : options.workloads) {
    const Spec spec = parse_spec(spelling, ':', "--workload");
    world.kernels.push_back(make_kernel(spec.name, spec.parameters, "--workload"));
    world.phases.push_back(world.kernels.back()->workload());
    for (std::size_t i = 0; i < world.traces.size(); ++i) {
      if (world.traces[i].kernel != spec.name) continue;
      check_problem(world.traces[i], options.trace_files[i],
                    {world.phases.back(), world.kernels.back()->problem()});
    }
  }
  for (UnitSpec& spec : parse_units(options.units)) {
    if (!takes_part(spec.unit, world.phases)) continue;
    world.units.push_back(spec.unit);
    world.specs.push_back(std::move(spec));
  }
  if (world.specs.empty()) {
    throw InputError("--unit", "no unit can take part; give units with more memory");
  }
  for (const std::string& warning : place_units(world.specs, this_machine()).warnings) {
    warn(warning);
  }
  check_memory(world.kernels, world.specs, available_memory_bytes(), "--workload");
  world.settings = json_object({{"workload_spellings", json_strings(options.workloads)},
                                {"unit_spellings", json_strings(options.units)},
                                {"traces", json_strings(options.trace_files)}});
  return world;
}

void check_policy(const RealWorld& world, const PolicyChoice& choice) {
  const KnownCosts known = known_costs(world.phases, world.units, profile_of(choice, world.traces));
  static_cast<void>(make_policy(*choice.info, {choice.parameters, &known, world.units}));
}

RunReport run_once(const RealWorld& world, const PolicyChoice& choice, const Options& options,
                   std::uint64_t repetition, const std::string& journal_file) {
  RunPlan plan;
  plan.units = world.units;
  plan.phases = world.phases;
  plan.policy = choice;
  const KnownCosts known = known_costs(world.phases, world.units, profile_of(choice, world.traces));
  plan.known = &known;
  plan.on = "real";
  plan.seed = options.seed;
  plan.repetition = repetition;
  plan.decision_cost = "measured";
  plan.settings = world.settings;
  plan.journal_file = journal_file;
  plan.stop_requested = [] { return stop_signal() != 0; };
  RealSetup setup;
  setup.units = world.specs;
  for (const std::unique_ptr<Kernel>& kernel : world.kernels) setup.phases.push_back(kernel.get());
  setup.stop_requested = plan.stop_requested;
  setup.warn = warn;
  const std::unique_ptr<Executor> executor = make_real_executor(std::move(setup));
  return run_plan(plan, *executor, [&world] {
    for (const std::unique_ptr<Kernel>& kernel : world.kernels) {
      const Verification found = kernel->verify();
      if (!found.passed) return found.what;
    }
    return std::string();
  });
}

}  // namespace equipoise
