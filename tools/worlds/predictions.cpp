// Decides whether a prediction can be made, and collects what it is made of.
#include "tools/worlds/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include "real/machine.hpp"
#include "shared_policies/machine/redrawn_trace.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "tools/console/terminal.hpp"
#include "tools/console/text_table.hpp"
#include "traces/files/input_file.hpp"
#include "traces/files/locked_file.hpp"
#include "traces/validations_file.hpp"

namespace equipoise {
namespace {

/// The names of sources, the most certain first.
constexpr std::array sources = {"recorded", "imported", "modelled"};

/// The mean time of a unit for a block.
double block_seconds(const PolicyResult& result) {
  const double blocks = result.means.of<&RunNumbers::blocks>().value_or(0.0);
  if (!(blocks > 0.0)) return 0.0;
  const auto units = static_cast<double>(result.share_by_unit.size());
  return result.makespan_s.mean * units * (1.0 - result.idle_fraction) / blocks;
}

/// The makespans of the runs of a policy; empty if not all of `count` are there and complete.
std::vector<double> makespans_of(const RunsByPolicy& runs, const std::string& policy,
                                 std::size_t count) {
  const auto found = runs.find(policy);
  if (found == runs.end() || found->second.size() != count) return {};
  std::vector<double> makespans_s;
  for (const PolicyRun& run : found->second) {
    if (!run.verified) return {};
    makespans_s.push_back(run.numbers.makespan.value);
  }
  return makespans_s;
}

/// What the simulations of a comparison show beside its repetitions.
struct Redrawn {
  RunsByPolicy means;
  RunsByPolicy ends;  ///< of policies that had blocks outside the recorded sizes
};

Redrawn redraw(const Comparison& comparison, World& world, const ComparisonOptions& options,
               bool& failed) {
  std::vector<PolicyChoice> all;
  std::vector<PolicyChoice> beyond;  // those that had blocks outside the recorded sizes
  for (const PolicyChoice& choice : comparison.policies) {
    const PolicyResult* const result = find_result(comparison, choice.spelling, "sim");
    if (result == nullptr) continue;
    all.push_back(choice);
    all.back().blocks_max.reset();  // the repetitions kept to it
    const double share = result->means.of<&RunNumbers::extrapolated_share>().value_or(0.0);
    if (share > 0.0) beyond.push_back(all.back());
  }
  Redrawn redrawn;
  redrawn.means = world.run_redrawn(all, options, {.means = true}, failed);
  if (!beyond.empty() && stop_signal() == 0) {
    redrawn.ends = world.run_redrawn(beyond, options, {.ends = true}, failed);
  }
  return redrawn;
}

/// What would narrow an interval, if something that can be recorded makes half of it.
std::string advice_on(const Prediction& prediction) {
  double all = 0.0;
  for (const double half : prediction.half_widths) all += half * half;
  const auto is_large = [&](Uncertainty cause) {
    const double half = prediction.half_widths[static_cast<std::size_t>(cause)];
    return half > 0.05 && half * half > 0.5 * all;
  };
  if (is_large(Uncertainty::means)) {
    return "recorded means are uncertain: record with a larger --seconds-max";
  }
  if (is_large(Uncertainty::ends)) {
    return "blocks are outside the recorded sizes: record this workload, or give --sizes";
  }
  if (is_large(Uncertainty::drift) || is_large(Uncertainty::repeatability)) {
    return "the machine varied while it was recorded: record it again when nothing else runs";
  }
  return {};
}

/// Why nothing can be predicted with these options; empty if nothing forbids it.
std::string reason_against(const ComparisonOptions& options) {
  if (options.redrawn_runs == 0) return "not asked for (--interval-runs 0)";
  if (!options.noise) return "without noise (--noise off), simulations show no scatter";
  if (options.reps < 2) return "one repetition shows no scatter: give more --reps";
  return {};
}

/// Says why nothing is known of real runs.
void explain_absence(Comparison& comparison, const std::string& why) {
  for (PolicyResult& result : comparison.results) {
    if (is_simulated(result)) result.prediction.note = why;
  }
}

/// Whether a phase takes its times from `trace`.
bool is_used(const Trace& trace, const std::vector<Workload>& phases) {
  return std::ranges::any_of(phases,
                             [&](const Workload& phase) { return phase.kernel == trace.kernel; });
}

/// The first trace that is used. There is one.
const Trace& used_trace(const std::vector<Trace>& traces, const std::vector<Workload>& phases) {
  return *std::ranges::find_if(traces, [&](const Trace& one) { return is_used(one, phases); });
}

}  // namespace

std::optional<TimingsFacts> timings_of(const std::vector<Trace>& traces,
                                       const std::vector<Workload>& phases) {
  if (traces.empty()) return std::nullopt;
  TimingsFacts facts;
  std::size_t worst = 0;
  for (const Trace& trace : traces) {
    if (!is_used(trace, phases)) continue;
    const auto at =
        static_cast<std::size_t>(std::ranges::find(sources, trace.source) - sources.begin());
    worst = std::max(worst, std::min(at, sources.size() - 1));
    if (!trace.recording || !trace.recording->others_share) continue;
    facts.recorded_busy =
        std::max(facts.recorded_busy.value_or(0.0), *trace.recording->others_share);
  }
  facts.source = sources[worst];
  return facts;
}

std::string machine_of(const Trace& trace) {
  std::string host;
  std::string cpu;
  for (const auto& [name, fact] : trace.machine) {
    const auto* const text = std::get_if<std::string>(&fact.value);
    if (text == nullptr) continue;
    if (name == "host") host = *text;
    if (name == "cpu") cpu = *text;
  }
  return host + ", " + cpu;
}

std::optional<MachineVariation> variation_of(const std::vector<Trace>& traces,
                                             const std::vector<Workload>& phases,
                                             std::string& why) {
  MachineVariation most;
  for (const Trace& trace : traces) {
    if (!is_used(trace, phases)) continue;
    if (trace.source == "modelled") {
      why = "block times are modelled from data sheets, so no real run can be compared with them";
      return std::nullopt;
    }
    if (trace.source == "imported") {
      why =
          "imported block times do not show how much the machine varies; those of 'equipoise "
          "record' do";
      return std::nullopt;
    }
    const std::optional<RecordingFacts>& facts = trace.recording;
    if (!facts || !facts->pass_sd || !facts->run_sd || !facts->run) {
      why = fmt::format(
          "the trace of {} does not show how much the machine varies: {}", trace.kernel,
          !facts            ? "record it again"
          : facts->together ? "record for longer (--seconds-max; of validate also --reps)"
                            : "record all units together, without --alone");
      return std::nullopt;
    }
    most.recorded_busy = std::max(most.recorded_busy, facts->others_share.value_or(0.0));
    most.drift_sd = std::max(most.drift_sd, *facts->pass_sd);
    if (*facts->run_sd > most.run_sd) {
      most.run_sd = *facts->run_sd;
      most.run_s = facts->run->value;
    }
  }
  return most;
}

void check_validations(const std::string& file) {
  if (file.empty()) return;
  if (!std::filesystem::exists(file)) {
    throw InputError(file, "there is no such file; equipoise validate --validations makes it");
  }
  static_cast<void>(read_validations(file));
}

KnownValidations known_validations(const std::string& file, const std::string& machine) {
  KnownValidations known;
  if (!file.empty()) known.cases = read_validations(file);
  std::vector<ValidatedCase> own = known.cases;
  std::erase_if(own, [&](const ValidatedCase& one) { return one.machine != machine; });
  if (own.size() >= enough_validations) {
    return {own, fmt::format("{} of this machine", counted(own.size(), "validation"))};
  }
  const std::size_t given = known.cases.size();
  for (const EmbeddedFile& committed : committed_validations()) {
    std::ranges::move(parse_validations(std::string(committed.text), std::string(committed.name)),
                      std::back_inserter(known.cases));
  }
  const std::string own_text =
      own.empty() ? "" : fmt::format(", and {} of this machine,", own.size());
  known.from = fmt::format("the program's {}{}", counted(known.cases.size() - given, "validation"),
                           own_text);
  return known;
}

void add_validation(const std::string& path, const ValidatedCase& one) {
  constexpr std::chrono::seconds patience{30};
  const LockedFile locked(path, patience);
  std::vector<ValidatedCase> cases = read_validations(path);  // others may have added to it
  cases.push_back(one);
  forget_input(path);
  write_whole_file(path, validations_text(cases));
}

void add_predictions(Comparison& comparison, World& world, const ComparisonOptions& options,
                     bool is_validation, bool& failed) {
  if (world.name() != "sim") return;
  std::string why = reason_against(options);
  const auto variation = why.empty() ? variation_of(world.traces(), world.phases(), why)
                                     : std::optional<MachineVariation>();
  if (!variation) return explain_absence(comparison, why);
  const Trace& trace = used_trace(world.traces(), world.phases());
  const KnownValidations known = known_validations(options.validations_file, machine_of(trace));
  const bool is_enough = known.cases.size() >= enough_validations;
  const std::string too_few = fmt::format(
      "{} of how far simulations are off, and {} are needed: make some with 'equipoise "
      "validate --validations FILE'",
      known.cases.empty() ? "there is no validation"
                          : "there are only " + counted(known.cases.size(), "validation"),
      enough_validations);
  if (!is_enough && !is_validation) return explain_absence(comparison, too_few);
  const Redrawn redrawn = redraw(comparison, world, options, failed);
  if (stop_signal() != 0) return;
  const auto count = static_cast<std::size_t>(options.redrawn_runs);
  std::vector<PolicyResult*> predicted;
  std::vector<SimulatedMakespans> simulated;
  for (PolicyResult& result : comparison.results) {
    if (!is_simulated(result)) continue;
    SimulatedMakespans one{
        result.spelling, makespans_of(result), makespans_of(redrawn.means, result.spelling, count),
        makespans_of(redrawn.ends, result.spelling, count), block_seconds(result)};
    const double beyond = result.means.of<&RunNumbers::extrapolated_share>().value_or(0.0);
    const bool is_whole = result.verified && one.redrawn_s.size() == count &&
                          (beyond == 0.0 || one.ends_s.size() == count) &&
                          result.reps == static_cast<std::size_t>(options.reps);
    if (!is_whole) {
      result.prediction.note = "some of its simulations failed";
      continue;
    }
    predicted.push_back(&result);
    simulated.push_back(std::move(one));
  }
  std::vector<Prediction> predictions = predict(simulated, *variation, known.cases, options.seed);
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    predictions[i].note = is_enough ? advice_on(predictions[i]) : too_few;
    predicted[i]->prediction = std::move(predictions[i]);
  }
  if (is_enough) comparison.model_errors_from = known.from;
}

ValidatedCase validated_case(const Comparison& comparison, const ComparisonOptions& options,
                             const SimMachine& machine) {
  const std::vector<Trace>& traces = machine.inputs->traces;
  ValidatedCase validated;
  validated.machine = machine_of(used_trace(traces, machine.setup.phases));
  validated.date = utc_now();
  validated.workload = in_one_line(options.workloads);
  validated.units = options.units;
  validated.recorded_busy = timings_of(traces, machine.setup.phases)->recorded_busy.value_or(0.0);
  for (const PolicyResult& real : comparison.results) {
    const PolicyResult* const sim = find_result(comparison, real.spelling, "sim");
    if (is_simulated(real) || sim == nullptr || !sim->prediction.known_sd) continue;
    if (!real.verified) continue;
    validated.policies.push_back({real.spelling, sim->makespan_s.mean, *sim->prediction.known_sd,
                                  block_seconds(*sim), makespans_of(real)});
  }
  return validated;
}

std::string staleness_text(const Comparison& comparison, const std::vector<Trace>& traces,
                           const std::vector<Workload>& phases) {
  std::vector<double> errors;
  bool all_slower = true;
  bool all_faster = true;
  for (const PolicyResult& real : comparison.results) {
    const PolicyResult* const sim = find_result(comparison, real.spelling, "sim");
    if (is_simulated(real) || sim == nullptr || !sim->prediction.interval95_s) continue;
    if (!real.verified) continue;
    all_slower = all_slower && real.makespan_s.mean > (*sim->prediction.interval95_s)[1];
    all_faster = all_faster && real.makespan_s.mean < (*sim->prediction.interval95_s)[0];
    errors.push_back(std::log(real.makespan_s.mean / sim->makespan_s.mean));
  }
  std::string why;
  const std::optional<MachineVariation> variation = variation_of(traces, phases, why);
  if (errors.empty() || !variation || !(all_slower || all_faster)) return {};
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  if (std::abs(*middle) <= 2.0 * variation->drift_sd) return {};
  return fmt::format("this machine was {:.0f} % {} than when it was recorded ({}); record it again",
                     100.0 * std::abs(std::expm1(*middle)), all_slower ? "slower" : "faster",
                     used_trace(traces, phases).recording->date);
}

}  // namespace equipoise
