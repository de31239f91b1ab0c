// The members of everything that is sent. Each struct is taken apart as a whole, so that a new
// member that is not sent does not compile.
#include "tools/simulations/simulation_messages.hpp"

#include <type_traits>

#include "shared_policies/run/recorded_run.hpp"
#include "tools/simulations/archive.hpp"

namespace equipoise {

// Found by the archive through the namespace of their arguments.
void fields(auto& archive, Of<Seconds> auto& seconds) {
  auto& [value] = seconds;
  archive(value);
}

void fields(auto& archive, Of<UnitId> auto& id) {
  auto& [index] = id;
  archive(index);
}

void fields(auto& archive, Of<Unit> auto& unit) {
  auto& [name, kind, node, is_remote, model, device, memory_bytes, copy_engines, slots, idle_w,
         busy_w, max_block_items] = unit;
  archive(name, kind, node, is_remote, model, device, memory_bytes, copy_engines, slots, idle_w,
          busy_w, max_block_items);
}

void fields(auto& archive, Of<Workload> auto& workload) {
  auto& [kernel, items, grain, iterations, in, out, resident, distribution, changed, kept, memory,
         flop, parameters, problem] = workload;
  archive(kernel, items, grain, iterations, in, out, resident, distribution, changed, kept, memory,
          flop, parameters, problem);
}

void fields(auto& archive, Of<Link> auto& link) {
  auto& [name, bandwidth, latency, shared] = link;
  archive(name, bandwidth, latency, shared);
}

void fields(auto& archive, Of<Route> auto& route) {
  auto& [links] = route;
  archive(links);
}

void fields(auto& archive, Of<PlatformUnit> auto& placed) {
  auto& [unit, trace_unit, in, out] = placed;
  archive(unit, trace_unit, in, out);
}

void fields(auto& archive, Of<Platform> auto& platform) {
  auto& [master, units, links] = platform;
  archive(master, units, links);
}

void fields(auto& archive, Of<PlatformSource> auto& source) {
  auto& [file, xml, profiles, greatest_bandwidths] = source;
  archive(file, xml, profiles, greatest_bandwidths);
}

void fields(auto& archive, Of<ProbedHost> auto& host) {
  auto& [name, cores, properties, has_routes, lacks_routes, in, out] = host;
  archive(name, cores, properties, has_routes, lacks_routes, in, out);
}

void fields(auto& archive, Of<ProbedPlatform> auto& platform) {
  auto& [transfers_add_up, master, hosts, links] = platform;
  archive(transfers_add_up, master, hosts, links);
}

void fields(auto& archive, Of<TraceSample> auto& sample) {
  auto& [unit, items, count, mean, sd, min, median, max, in_s, out_s, in_bytes, out_bytes,
         is_summary, is_outlier] = sample;
  archive(unit, items, count, mean, sd, min, median, max, in_s, out_s, in_bytes, out_bytes,
          is_summary, is_outlier);
}

void fields(auto& archive, Of<Trace> auto& trace) {
  auto& [source, kernel, item, provenance, machine, units, problem, grain, dispatch, unit_dispatch,
         resident, kept, memory, first_use, merge, samples] = trace;
  archive(source, kernel, item, provenance, machine, units, problem, grain, dispatch, unit_dispatch,
          resident, kept, memory, first_use, merge, samples);
}

void fields(auto& archive, Of<SpeedStep> auto& step) {
  auto& [since, factor] = step;
  archive(since, factor);
}

void fields(auto& archive, Of<Disturbance> auto& disturbance) {
  auto& [at, until, kind, target, amount, profile] = disturbance;
  archive(at, until, kind, target, amount, profile);
}

void fields(auto& archive, Of<Scenario> auto& scenario) {
  auto& [name, events] = scenario;
  archive(name, events);
}

void fields(auto& archive, Of<SimInputs> auto& inputs) {
  auto& [source, platform, transfers_add_up, traces, phases, scenario, scenario_files,
         dispatch_cost] = inputs;
  archive(source, platform, transfers_add_up, traces, phases, scenario, scenario_files,
          dispatch_cost);
}

void fields(auto& archive, Of<Block> auto& block) {
  auto& [id, first, items, phase, iteration, tag, group] = block;
  archive(id, first, items, phase, iteration, tag, group);
}

void fields(auto& archive, Of<StageTimes> auto& times) {
  auto& [setup, in, compute, out] = times;
  archive(setup, in, compute, out);
}

void fields(auto& archive, Of<BlockRecord> auto& record) {
  auto& [unit, block, assigned, times, begins, end, after_events] = record;
  archive(unit, block, assigned, times, begins, end, after_events);
}

void fields(auto& archive, Of<UnitEstimate> auto& estimate) {
  auto& [unit, cost, r2, r2_transfer, block_items] = estimate;
  archive(unit, cost, r2, r2_transfer, block_items);
}

void fields(auto& archive, Of<OwnDecisionKind> auto& kind) {
  auto& [word] = kind;
  archive(word);
}

void fields(auto& archive, Of<Decision> auto& decision) {
  auto& [unit, what, estimates] = decision;
  archive(unit, what, estimates);
}

void fields(auto& archive, Of<DecisionRecord> auto& record) {
  auto& [at, cost, end, decision] = record;
  archive(at, cost, end, decision);
}

void fields(auto& archive, Of<LostBlock> auto& lost) {
  auto& [unit, block, assigned, after_events, cap_items] = lost;
  archive(unit, block, assigned, after_events, cap_items);
}

void fields(auto& archive, Of<UnfinishedBlock> auto& left) {
  auto& [unit, block, assigned, after_events] = left;
  archive(unit, block, assigned, after_events);
}

void fields(auto& archive, Of<UnitLost> auto& lost) {
  auto& [unit] = lost;
  archive(unit);
}

void fields(auto& archive, Of<UnitJoined> auto& joined) {
  auto& [unit] = joined;
  archive(unit);
}

void fields(auto& archive, Of<Note> auto& note) {
  auto& [text] = note;
  archive(text);
}

void fields(auto& /*archive*/, Of<IterationBegin> auto& /*event*/) {}
void fields(auto& /*archive*/, Of<TimerEnd> auto& /*event*/) {}
void fields(auto& /*archive*/, Of<PolicyStall> auto& /*event*/) {}

void fields(auto& archive, Of<EventRecord> auto& record) {
  auto& [at, what] = record;
  archive(at, what);
}

void fields(auto& archive, Of<Measured> auto& measured) {
  auto& [at, domain, what, value] = measured;
  archive(at, domain, what, value);
}

void fields(auto& archive, Of<RecordedLine> auto& recorded) {
  auto& [line, what] = recorded;
  archive(line, what);
}

void fields(auto& archive, Of<RecordedRun> auto& run) {
  auto& [units, absent_at_start, phases, lines, is_whole] = run;
  archive(units, absent_at_start, phases, lines, is_whole);
}

void fields(auto& archive, Of<LearnedSize> auto& size) {
  auto& [items, blocks, seconds] = size;
  archive(items, blocks, seconds);
}

void fields(auto& archive, Of<LearnedCost> auto& cost) {
  auto& [alone, queued, stage_share, scatter, doubt] = cost;
  archive(alone, queued, stage_share, scatter, doubt);
}

/// Without its profile, which the server keeps.
void fields(auto& archive, Of<PolicyChoice> auto& choice) {
  auto& [info, spelling, parameters, profile, recorded, recorded_file, experience, typed,
         loaded_from, loaded_hash] = choice;
  std::string name = info == nullptr ? std::string() : info->name;
  archive(name, spelling, parameters, recorded, recorded_file, experience, typed, loaded_from,
          loaded_hash);
  constexpr bool is_read = !std::is_const_v<std::remove_reference_t<decltype(choice)>>;
  if constexpr (is_read) info = loaded_from.empty() ? &find_policy(name) : nullptr;
}

/// Without its inputs, which the server keeps.
void fields(auto& archive, Of<Simulation> auto& simulation) {
  auto& [inputs, phases, policy, schedule, seed, repetition, noise, decision_cost, block_timeout,
         lower_bound, settings, journal_file, learns] = simulation;
  archive(phases, policy, schedule, seed, repetition, noise, decision_cost, block_timeout,
          lower_bound, settings, journal_file, learns);
}

void fields(auto& archive, Of<UnitNumbers> auto& unit) {
  auto& [items, blocks, busy, occupied, last_end, energy] = unit;
  archive(items, blocks, busy, occupied, last_end, energy);
}

void fields(auto& archive, Of<UnitInPhase> auto& unit) {
  auto& [items, blocks, last_end] = unit;
  archive(items, blocks, last_end);
}

void fields(auto& archive, Of<Losses> auto& losses) {
  auto& [computing, link, copies, controller, training, barrier, tail, failure, longest_setup,
         merging] = losses;
  archive(computing, link, copies, controller, training, barrier, tail, failure, longest_setup,
          merging);
}

void fields(auto& archive, Of<RunNumbers> auto& numbers) {
  auto& [makespan, units, phases, items, blocks, rebalances, decisions, decisions_total,
         decisions_max, redone, extrapolated, energy, energy_from, energy_note, losses] = numbers;
  archive(makespan, units, phases, items, blocks, rebalances, decisions, decisions_total,
          decisions_max, redone, extrapolated, energy, energy_from, energy_note, losses);
}

void fields(auto& archive, Of<CoreUse> auto& use) {
  auto& [cores, other_programs] = use;
  archive(cores, other_programs);
}

void fields(auto& archive, Of<PolicyRun> auto& run) {
  auto& [numbers, verified, policy_stalled, repetition, core_use] = run;
  archive(numbers, verified, policy_stalled, repetition, core_use);
}

void fields(auto& archive, Of<RunOutcome> auto& outcome) {
  auto& [complete, interrupted, policy_stalled] = outcome;
  archive(complete, interrupted, policy_stalled);
}

void fields(auto& archive, Of<LoadNote> auto& load) {
  auto& [unit, at, share, measured_share] = load;
  archive(unit, at, share, measured_share);
}

void fields(auto& archive, Of<PacingNote> auto& pacing) {
  auto& [time_scale, late_mean, late_most] = pacing;
  archive(time_scale, late_mean, late_most);
}

void fields(auto& archive, Of<ExecutorNotes> auto& notes) {
  auto& [pacing, loads] = notes;
  archive(pacing, loads);
}

void fields(auto& archive, Of<UnitLoss> auto& loss) {
  auto& [unit, at, items] = loss;
  archive(unit, at, items);
}

void fields(auto& archive, Of<RunReport> auto& report) {
  auto& [run, outcome, problem, lower_bound, notes, shown, unit_losses] = report;
  archive(run, outcome, problem, lower_bound, notes, shown, unit_losses);
}

void fields(auto& archive, Of<MappedHosts> auto& map) {
  auto& [trace_unit, hosts] = map;
  archive(trace_unit, hosts);
}

void fields(auto& archive, Of<RoutesOf> auto& wanted) {
  auto& [trace_units, maps] = wanted;
  archive(trace_units, maps);
}

void fields(auto& archive, Of<OpenSimgrid> auto& request) {
  auto& [number] = request;
  archive(number);
}

void fields(auto& archive, Of<SimgridOpened> auto& reply) {
  auto& [number] = reply;
  archive(number);
}

void fields(auto& archive, Of<KeepInputs> auto& request) {
  auto& [number, inputs] = request;
  archive(number, inputs);
}

void fields(auto& archive, Of<KeepProfile> auto& request) {
  auto& [number, traces] = request;
  archive(number, traces);
}

void fields(auto& archive, Of<Forget> auto& request) {
  auto& [number] = request;
  archive(number);
}

void fields(auto& archive, Of<Simulate> auto& request) {
  auto& [number, at_once, inputs, profile, simulation] = request;
  archive(number, at_once, inputs, profile, simulation);
}

void fields(auto& archive, Of<Probe> auto& request) {
  auto& [number, source, wanted, missing] = request;
  archive(number, source, wanted, missing);
}

void fields(auto& /*archive*/, Of<Stop> auto& /*request*/) {}
void fields(auto& /*archive*/, Of<Cancel> auto& /*request*/) {}

void fields(auto& archive, Of<Simulated> auto& reply) {
  auto& [number, report] = reply;
  archive(number, report);
}

void fields(auto& archive, Of<Failed> auto& reply) {
  auto& [number, kind, where, why] = reply;
  archive(number, kind, where, why);
}

void fields(auto& archive, Of<Probing> auto& reply) {
  auto& [number, done, hosts] = reply;
  archive(number, done, hosts);
}

void fields(auto& archive, Of<Probed> auto& reply) {
  auto& [number, platform] = reply;
  archive(number, platform);
}

namespace {

template <class Message>
std::string written(const Message& message) {
  ArchiveWriter archive;
  archive(message);
  return archive.take();
}

template <class Message>
Message read(std::string_view bytes) {
  ArchiveReader archive(bytes);
  Message message;
  archive(message);
  EQ_CHECK(archive.is_at_end(), "a message is read as it was written");
  return message;
}

}  // namespace

std::string archived(const Request& request) { return written(request); }
std::string archived(const Reply& reply) { return written(reply); }
Request read_request(std::string_view message) { return read<Request>(message); }
Reply read_reply(std::string_view message) { return read<Reply>(message); }

}  // namespace equipoise
