// The table of fields, and their values in tables, JSON and comma-separated values.
#include "tools/report/result_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/losses.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/json_values.hpp"
#include "tools/report/validation.hpp"
#include "tools/runs/policy_choice.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// A member of the result; of one with a number for each unit, an object with these.
template <auto member>
Json own(const OfResult& of) {
  const auto& value = of.result.*member;
  if constexpr (requires { by_unit(of.comparison.units, value); }) {
    return by_unit(of.comparison.units, value);
  } else {
    return json_of(value);
  }
}

/// The mean of a number of the runs.
template <auto member>
Json mean_of(const OfResult& of) {
  return json_of(of.result.means.of<member>());
}

/// The ends of the phases, and the shares of each unit in them; null for runs of one phase.
Json phases_json(const OfResult& of) {
  if (of.result.phases.size() < 2) return {};
  Json phases = Json::array();
  double begin_s = 0.0;
  for (const PhaseResult& phase : of.result.phases) {
    phases.push_back({{"end_s", phase.end_s},
                      {"duration_s", phase.end_s - begin_s},
                      {"share_by_unit", by_unit(of.comparison.units, phase.share_by_unit)}});
    begin_s = phase.end_s;
  }
  return phases;
}

Json repetitions_json(const OfResult& of) {
  Json repetitions = Json::array();
  for (const Repetition& r : of.result.repetitions) {
    Json& one = repetitions.emplace_back(Json{{"repetition", r.repetition}});
    r.figures.for_each([&](const MemberFacts& facts, std::optional<double> value, bool is_count) {
      put(one, facts.name,
          value && is_count ? Json(static_cast<std::int64_t>(*value)) : json_of(value));
    });
    one["verified"] = verified_json(r.verified, r.unchecked);
  }
  return repetitions;
}

/// A part of the loss, or all of it.
Json loss_of(const OfResult& of, Seconds Losses::*cause) {
  const std::optional<Losses>& loss = of.result.loss;
  if (!loss) return {};
  return (cause == nullptr ? total(*loss) : (*loss).*cause).value;
}

const PolicyChoice& choice_of(const OfResult& of) {
  const auto found =
      std::ranges::find(of.comparison.policies, of.result.spelling, &PolicyChoice::spelling);
  EQ_CHECK(found != of.comparison.policies.end(), "a result is of a policy of its comparison");
  return *found;
}

/// What a reader of the table should know about a result.
Json remarks(const OfResult& of) {
  const PolicyResult& result = of.result;
  std::vector<std::string> words;
  const Foresight foresight = foresight_of(of.comparison, result);
  if (foresight == Foresight::oracle) words.emplace_back(result_field("oracle").heading);
  if (foresight == Foresight::informed) words.emplace_back(result_field("informed").heading);
  if (knows_costs(of.comparison, of.result)) {
    words.emplace_back(result_field("knows_costs").heading);
  }
  if (choice_of(of).is_experienced()) words.emplace_back(result_field("experienced").heading);
  if (result.policy_stalled) words.emplace_back(result_field("policy_stalled").heading);
  if (!result.verified) words.emplace_back("NOT VERIFIED");
  if (result.verified && result.unchecked) words.emplace_back("unverified");
  const ResultField& extrapolated = result_field("extrapolated_share");
  const std::string percent =
      number_text(extrapolated, *result.means.of<&RunNumbers::extrapolated_share>());
  if (percent != number_text(extrapolated, 0.0))
    words.push_back(percent + " % " + extrapolated.heading);
  if (const double items = *result.means.of<&RunNumbers::items_redone>(); items > 0.0) {
    const ResultField& redone = result_field("items_redone");
    words.push_back(number_text(redone, items) + " " + redone.heading);
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The statistics, and where a single real run is expected.
Json makespan_json(const OfResult& of) {
  Json json = json_of(of.result.makespan_s);
  const auto& interval95_s = of.result.prediction.interval95_s;
  json["interval95"] = interval95_s ? Json(*interval95_s) : Json();
  return json;
}

/// An end of the interval of a single real run.
template <std::size_t end>
Json interval_end(const OfResult& of) {
  const auto& interval95_s = of.result.prediction.interval95_s;
  return interval95_s ? Json((*interval95_s)[end]) : Json();
}

/// Why there is no interval, or what would narrow it.
Json interval_note(const OfResult& of) {
  const Prediction& prediction = of.result.prediction;
  if (!prediction.note.empty() || prediction.interval95_s) return text_or_null(prediction.note);
  return is_simulated(of.result) ? "intervals were not asked for" : "measured, not predicted";
}

Json p_faster_json(const OfResult& of) {
  Json json = Json::object();
  for (const auto& [policy, p] : of.result.prediction.p_faster) json[policy] = p;
  return json;
}

/// How probable it is that the fastest result of the same world is faster than this one.
Json p_of_fastest(const OfResult& of) {
  const PolicyResult* const fastest = fastest_result(of.comparison, of.result.on);
  return fastest == nullptr ? Json() : json_of(probability_faster(*fastest, of.result.spelling));
}

bool knows_order(const Comparison& comparison) {
  return std::ranges::any_of(comparison.results, [](const PolicyResult& result) {
    return !result.prediction.p_faster.empty();
  });
}

constexpr NumberFormat to_digits(int digits) { return {Notation::significant, digits}; }
constexpr NumberFormat to_decimals(int decimals) { return {Notation::fixed, decimals}; }
constexpr NumberFormat in_percent(int decimals) { return {Notation::percent, decimals}; }
/// Files for programs.
constexpr unsigned in_data = in_json | in_csv;
constexpr unsigned in_all = in_data | in_text | in_html;

using Of = const OfResult&;

// Columns: name, heading, unit, explanation, outputs, what it is and how it is written, value,
// is_known.
/// The fields that stand before the causes of loss.
constexpr std::array fields_before_losses{
    ResultField{"policy", "", "", "The policy's name in the catalog.", in_data, FieldKind::text,
                [](Of of) -> Json { return choice_of(of).info->name; }},
    ResultField{
        "spelling", "policy", "",
        "What decides which unit gets how many items, and when; with its parameters as typed.",
        in_all, FieldKind::text, own<&PolicyResult::spelling>},
    ResultField{"on", "on", "", "Where it ran: sim, real or paced.", in_all, FieldKind::text,
                own<&PolicyResult::on>},
    ResultField{"reps", "runs", "", "The number of runs.", in_data | in_html, FieldKind::count,
                [](Of of) -> Json { return of.result.reps; }},
    ResultField{"parameters", "", "", "The policy's parameters, defaults included.", in_json,
                FieldKind::parameters,
                [](Of of) { return json_of(parameter_facts(all_parameters(choice_of(of)))); }},
    ResultField{"makespan_s", "makespan", "s", "The time until the last unit has finished.", in_all,
                Shown(FieldKind::makespan, to_digits(4)), makespan_json},
    ResultField{"makespan_s", "", "s", "The mean makespan.", in_sweep, to_digits(4),
                [](Of of) -> Json { return of.result.makespan_s.mean; }},
    ResultField{"makespan_half_ci95_s", "±", "s",
                "Half the width of the mean makespan's 95 % confidence interval.", in_text,
                to_digits(2),
                [](Of of) -> Json {
                  if (of.result.reps < 2) return {};
                  return half_width(of.result.makespan_s);
                }},
    ResultField{
        "makespan_low_s", "95 % from", "s",
        "The lower end of the interval in which a single real run ends with 95 % probability.",
        in_text, to_digits(4), interval_end<0>, knows_intervals},
    ResultField{"makespan_high_s", "95 % to", "s", "The upper end of that interval.", in_text,
                to_digits(4), interval_end<1>, knows_intervals},
    ResultField{"interval_note", "", "", "Why there is no such interval, or what would narrow it.",
                in_data, FieldKind::text, interval_note},
    ResultField{"p_fastest", "* is faster", "%",
                "The probability that the policy marked * has the shorter mean makespan.", in_text,
                in_percent(0), p_of_fastest, knows_order},
    ResultField{"p_faster", "", "",
                "The probability that its mean makespan is less than that of each other policy.",
                in_json, Shown(FieldKind::by_unit, in_percent(0)), p_faster_json},
    ResultField{"timings", "", "",
                "Where the block times of simulated units come from: recorded, imported or "
                "modelled.",
                in_data, FieldKind::text,
                [](Of of) -> Json {
                  const auto& timings = of.result.timings;
                  return timings ? Json(timings->source) : Json();
                }},
    ResultField{"recorded_busy", "", "%",
                "The share of the cores that other programs had while block times were recorded.",
                in_data, in_percent(1),
                [](Of of) -> Json {
                  const auto& timings = of.result.timings;
                  return timings ? json_of(timings->recorded_busy) : Json();
                }},
    ResultField{"makespan_relative_sd", "", "",
                "The standard deviation of the makespans over their mean; none for one run.",
                in_data, in_percent(1), [](Of of) { return json_of(relative_sd(of.result)); }},
    ResultField{"other_load_share", "", "",
                "The share of the units' cores that other programs used during real runs.", in_data,
                in_percent(1), [](Of of) { return json_of(share_of_others(of.result.core_use)); }},
    ResultField{"too_noisy", "", "", "Whether real runs are too imprecise to judge a prediction.",
                in_data, FieldKind::flag,
                [](Of of) -> Json {
                  return is_simulated(of.result) ? Json() : Json(is_too_noisy(of.result));
                }},
    ResultField{"speedup_vs_baseline", "speedup", "",
                "The baseline's mean makespan divided by this one's: 2 means twice as fast.",
                in_all | in_sweep, to_decimals(2), own<&PolicyResult::speedup_vs_baseline>},
    ResultField{"over_lower_bound", "times bound", "",
                "The mean makespan divided by the lower bound: without noise, at least 1.",
                in_all | in_sweep, to_decimals(3), own<&PolicyResult::over_lower_bound>},
    ResultField{"over_best_known", "times best known", "",
                "The mean makespan divided by the best known one under the same noise.", in_sweep,
                to_decimals(3),
                [](Of of) { return json_of(over_best_known(of.comparison, of.result)); }},
    ResultField{"loss_s.total", "loss", "s",
                "The time beyond the lower bound, by cause; tables show it in % of the bound.",
                in_data, to_digits(4), [](Of of) { return loss_of(of, nullptr); }},
};

/// Those that stand behind the causes of loss.
constexpr std::array fields_after_losses{
    ResultField{
        "longest_setup_s", "", "s",
        "The longest time of preparing a unit before its first block (first use, resident data).",
        in_data, to_digits(4), [](Of of) { return loss_of(of, &Losses::longest_setup); }},
    ResultField{"paired_ratio", "", "",
                "The makespan divided by the reference policy's, repetition by repetition.",
                in_data | in_sweep, Shown(FieldKind::statistics, to_decimals(4)),
                own<&PolicyResult::paired_ratio>},
    ResultField{"idle_fraction.mean", "idle", "%",
                "The share of the run in which units neither compute nor copy.", in_all,
                in_percent(1), own<&PolicyResult::idle_fraction>},
    ResultField{"idle_fraction.by_unit", "", "%", "The idle share of each unit.", in_data,
                Shown(FieldKind::by_unit, in_percent(1)), own<&PolicyResult::idle_by_unit>},
    ResultField{"share_by_unit", "", "%", "The share of the items that each unit did.", in_data,
                Shown(FieldKind::by_unit, in_percent(1)), own<&PolicyResult::share_by_unit>},
    ResultField{"repetitions", "", "", "The numbers of each run.", in_json, FieldKind::repetitions,
                repetitions_json},
    ResultField{"phases", "", "%", "The end of each phase, and the units' shares in it.", in_json,
                Shown(FieldKind::phases, in_percent(1)), phases_json},
    ResultField{"blocks", "blocks", "", "The number of completed blocks.", in_all, to_decimals(0),
                mean_of<&RunNumbers::blocks>},
    ResultField{"rebalances", "rebalances", "",
                "How often the policy stopped to choose new block sizes.", in_all, to_decimals(1),
                mean_of<&RunNumbers::rebalances>},
    ResultField{"decisions.count", "decisions", "",
                "How often the policy solved its model of block times.", in_data | in_html,
                to_decimals(1), mean_of<&RunNumbers::decisions>},
    ResultField{"decisions.total_s", "deciding", "s",
                "The time that was charged for the policy's decisions, see --decision-cost.",
                in_data | in_html, to_digits(3), mean_of<&RunNumbers::decisions_total>},
    ResultField{"decisions.max_s", "", "s", "The longest time that was charged for one decision.",
                in_data, to_digits(3), own<&PolicyResult::decisions_max_s>},
    ResultField{"finish_spread_s", "ends apart", "s",
                "The time from the first unit's end to the last's.", in_all, to_digits(3),
                mean_of<&finish_spread>},
    ResultField{"energy_j", "energy", "J", "The energy of all units.", in_all, to_digits(4),
                mean_of<&RunNumbers::energy_j>, knows_energy},
    ResultField{"energy_from", "energy from", "",
                "Where the energy comes from: measured by meters, or modelled from watts.", in_all,
                FieldKind::text,
                [](Of of) -> Json {
                  const EnergySource source = of.result.energy_from;
                  return source == EnergySource::unknown ? Json() : json_of(source);
                },
                knows_energy},
    ResultField{"energy_note", "", "", "Why the energy is unknown, or what was measured.", in_data,
                FieldKind::text, [](Of of) { return text_or_null(of.result.energy_note); }},
    ResultField{
        "edp_js", "EDP", "J s", "The energy-delay product: mean energy times mean makespan.",
        in_data | in_html, to_digits(4),
        [](Of of) -> Json {
          const std::optional<double> energy_j = of.result.means.of<&RunNumbers::energy_j>();
          if (!energy_j) return {};
          return *energy_j * of.result.makespan_s.mean;
        },
        knows_energy},
    ResultField{"energy_by_unit_j", "", "J", "The energy of each unit.", in_data,
                Shown(FieldKind::by_unit, to_digits(4)), own<&PolicyResult::energy_by_unit_j>},
    ResultField{"items_redone", "items redone", "items",
                "Items that were done again after a loss, or twice.", in_data, to_digits(4),
                mean_of<&RunNumbers::items_redone>},
    ResultField{"informed", "knows speeds", "", "The policy knows unit speeds beforehand.", in_data,
                FieldKind::flag, [](Of of) -> Json { return choice_of(of).is_informed(); }},
    ResultField{"oracle", "knows mean times", "",
                "The policy is given this run's mean block times, which no real policy can know.",
                in_data, FieldKind::flag, [](Of of) -> Json { return choice_of(of).is_oracle(); }},
    ResultField{"knows_costs", "knows costs", "",
                "The policy is given what each item costs, and items differ.", in_data,
                FieldKind::flag,
                [](Of of) -> Json { return knows_costs(of.comparison, of.result); }},
    ResultField{"experienced", "experienced", "",
                "The policy used block times from earlier runs (--experience).", in_data,
                FieldKind::flag, [](Of of) -> Json { return choice_of(of).is_experienced(); }},
    ResultField{"policy_stalled", "stalled", "",
                "The policy left work undone, which was then done greedily.", in_data,
                FieldKind::flag, own<&PolicyResult::policy_stalled>},
    ResultField{
        "verified", "verified", "",
        "Whether every item was accepted exactly once and all checked results are right; "
        "\"unverified\" if own work has no check.",
        in_data | in_html, FieldKind::flag,
        [](Of of) -> Json { return verified_json(of.result.verified, of.result.unchecked); }},
    ResultField{
        "extrapolated_share", "extrapolated", "%",
        "The share of items in blocks smaller or larger than any whose time is known; their times "
        "are less certain.",
        in_data, in_percent(1), mean_of<&RunNumbers::extrapolated_share>},
    ResultField{"remarks", "remarks", "", "What to know before you compare this result.", in_text,
                FieldKind::text, remarks},
};

template <std::size_t cause>
Json loss_to(Of of) {
  return loss_of(of, loss_causes[cause].member);
}

/// Adds a field for each cause of loss.
template <std::size_t... cause>
void add_losses(std::vector<ResultField>& fields, std::index_sequence<cause...> /*all*/) {
  static const std::array names = {fmt::format("loss_s.{}", loss_causes[cause].name)...};
  static const std::array explanations = {
      fmt::format("Time lost to {}.", loss_causes[cause].explanation)...};
  (fields.push_back({names[cause].c_str(), loss_causes[cause].name, "s",
                     explanations[cause].c_str(), in_data, to_digits(4), loss_to<cause>}),
   ...);
}

std::vector<ResultField> all_fields() {
  std::vector<ResultField> fields(fields_before_losses.begin(), fields_before_losses.end());
  add_losses(fields, std::make_index_sequence<loss_causes.size()>());
  fields.insert(fields.end(), fields_after_losses.begin(), fields_after_losses.end());
  return fields;
}

/// What is left of `path` after the name of `field`: empty, or ".rest". nullopt if it is not the
/// field's.
std::optional<std::string_view> rest_of(const ResultField& field, std::string_view path) {
  const std::string_view name = field.name;
  if ((field.outputs & in_json) == 0 || !path.starts_with(name)) return std::nullopt;
  const std::string_view rest = path.substr(name.size());
  if (!rest.empty() && rest.front() != '.') return std::nullopt;
  return rest;
}

using Numbers = std::vector<std::pair<std::string, double>>;

/// Adds the numbers in `value`, each with its path, which begins with `path`.
void add_numbers(Numbers& numbers, const std::string& path, const Json& value) {
  if (value.is_number()) numbers.emplace_back(path, value.get<double>());
  if (!value.is_structured()) return;
  std::size_t position = 0;
  for (const auto& [name, one] : value.items()) {
    ++position;
    add_numbers(numbers,
                fmt::format("{}.{}", path, value.is_array() ? std::to_string(position) : name),
                one);
  }
}

/// The numbers in a value of the field, each with the end of its path.
Numbers numbers_in(const ResultField& field, Json value) {
  const FieldKind kind = field.shown.kind;
  if (kind == FieldKind::parameters || kind == FieldKind::repetitions) return {};
  Numbers numbers;
  const bool has_mean = kind == FieldKind::statistics || kind == FieldKind::makespan;
  if (has_mean && !value.is_null()) {
    numbers.emplace_back("", value["mean"].get<double>());
    value.erase("ci95");
  }
  add_numbers(numbers, "", value);
  return numbers;
}

std::string cell_of(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return csv_quoted(value.get<std::string>());
  if (value.is_number_float()) return csv_number(value.get<double>());
  return value.dump();  // true, false, or a whole number
}

/// The cells of a value, and what distinguishes their headings.
struct Cells {
  std::vector<std::string> headings;  ///< added to the field's name
  std::vector<std::string> texts;
};

/// None for null; one for each member of an object, but two for an interval.
Cells cells_of(const Json& value) {
  if (value.is_null()) return {};
  if (!value.is_object()) return {{""}, {cell_of(value)}};
  Cells cells;
  const auto add = [&](const std::string& heading, const Json& one) {
    cells.headings.push_back("." + heading);
    cells.texts.push_back(cell_of(one));
  };
  for (const auto& [name, one] : value.items()) {
    if (one.is_array()) {
      add(name + "_low", one[0]);
      add(name + "_high", one[1]);
    } else {
      add(name, one);
    }
  }
  return cells;
}

/// A comparison with one result, in which all numbers are known.
Comparison complete_example(const std::vector<std::string>& policies,
                            const std::vector<std::string>& units, std::size_t phases) {
  constexpr const char* policy = "greedy";
  Comparison comparison;
  comparison.units = units;
  comparison.policies = {parse_policy(policy)};
  PolicyResult& result = comparison.results.emplace_back();
  result.spelling = policy;
  result.reps = 2;
  result.core_use = {1.0, 0.0};
  result.speedup_vs_baseline = result.over_lower_bound = 1.0;
  result.timings = TimingsFacts{"recorded", 0.0};
  result.prediction.interval95_s = {1.0, 1.0};
  for (const std::string& other : policies) result.prediction.p_faster.emplace_back(other, 0.5);
  result.means.of<&RunNumbers::energy_j>() = 1.0;
  result.paired_ratio = Statistics{};
  result.loss = Losses{};
  result.idle_by_unit = result.share_by_unit = std::vector<double>(units.size());
  result.energy_by_unit_j = std::vector<std::optional<double>>(units.size(), 1.0);
  result.phases = std::vector<PhaseResult>(phases, {0.0, std::vector<double>(units.size())});
  return comparison;
}

}  // namespace

std::span<const ResultField> result_fields() {
  static const std::vector<ResultField> fields = all_fields();
  return fields;
}

const ResultField& result_field(std::string_view name) {
  const std::span<const ResultField> fields = result_fields();
  const auto found = std::ranges::find(
      fields, name, [](const ResultField& f) { return std::string_view(f.name); });
  EQ_CHECK(found != fields.end(), "a field that is asked for is in the table");
  return *found;
}

std::vector<const ResultField*> columns_of(Output output, const Comparison& comparison) {
  std::vector<const ResultField*> columns;
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & output) == 0 || *field.heading == '\0') continue;
    if (field.is_known == nullptr || field.is_known(comparison)) columns.push_back(&field);
  }
  return columns;
}

std::string number_text(const NumberFormat& format, double number) {
  const int digits = format.digits;
  switch (format.notation) {
    case Notation::significant:
      return significant(number, digits);
    case Notation::fixed:
      return fmt::format("{:.{}f}", number, digits);
    case Notation::percent:
      return fmt::format("{:.{}f}", 100.0 * number, digits);
  }
  return {};
}

std::string number_text(const ResultField& field, double number) {
  return number_text(field.shown.format, number);
}

double half_width(const Statistics& times) {
  constexpr double rounding = 1e-9;  // equal times differ by less when they are averaged
  const double half = times.half_ci95();
  return half < rounding * times.mean ? 0.0 : half;
}

std::string heading_of(const ResultField& field, const Prefix& prefix) {
  const std::string unit = field.unit;
  return unit.empty() ? field.heading : field.heading + (" " + prefix.name) + unit;
}

std::string cell_text(const ResultField& field, const OfResult& of, const char* none,
                      const Prefix& prefix) {
  Json value = field.value(of);
  if (value.is_object()) value = value["mean"];
  if (value.is_null()) return none;
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_string()) return value.get<std::string>();
  return number_text(field, value.get<double>() / prefix.factor);
}

std::vector<ResultNumber> numbers_at(const OfResult& of, std::string_view path) {
  std::vector<ResultNumber> found;
  for (const ResultField& field : result_fields()) {
    const auto rest = rest_of(field, path);
    if (!rest) continue;
    const bool all = rest->empty() && field.shown.kind == FieldKind::by_unit;
    for (const auto& [end, number] : numbers_in(field, field.value(of))) {
      if (!all && end != *rest) continue;
      const bool is_time = std::string_view(field.name) == "phases" && end.ends_with("_s");
      found.push_back({field.name + end, number, is_time ? "s" : field.unit,
                       is_time ? NumberFormat{Notation::significant, 4} : field.shown.format});
    }
  }
  return found;
}

std::vector<std::string> number_paths(std::string_view path,
                                      const std::vector<std::string>& policies,
                                      const std::vector<std::string>& units, std::size_t phases) {
  const Comparison example = complete_example(policies, units, phases);
  std::vector<std::string> paths;
  for (const ResultNumber& number : numbers_at({example, example.results.front()}, path)) {
    paths.push_back(number.path);
  }
  return paths;
}

Json result_json(const OfResult& of, Output output) {
  Json json = Json::object();
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & output) == 0) continue;
    put(json, field.name, field.value(of));
  }
  return json;
}

std::string results_text(const Comparison& comparison) {
  Json results = Json::array();
  for (const PolicyResult& r : comparison.results) {
    results.push_back(result_json({comparison, r}, in_json));
  }
  const std::optional<BestReached>& best = comparison.best_known;
  Json document = {{"schema", "equipoise.results/1"},
                   {"environment", json_of(comparison.environment)},
                   {"experiment", json_of(comparison.experiment)},
                   {"lower_bound_s", json_of(comparison.lower_bound_s)},
                   {"best_known_s", best ? Json(best->seconds) : Json()},
                   {"best_known_by", best ? Json(best->spelling) : Json()},
                   {"model_errors_from", text_or_null(comparison.model_errors_from)},
                   {"assumptions", text_or_null(comparison.assumptions)},
                   {"reference", text_or_null(comparison.reference)},
                   {"interrupted", comparison.interrupted},
                   {"results", std::move(results)}};
  if (comparison.what_if) document["what_if"] = json_of(*comparison.what_if);
  return document_of(document);
}

std::string results_csv(const Comparison& comparison) {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> lines(comparison.results.size());
  for (const ResultField& field : result_fields()) {
    if ((field.outputs & in_csv) == 0) continue;
    std::vector<Cells> cells;
    for (const PolicyResult& result : comparison.results) {
      cells.push_back(cells_of(field.value({comparison, result})));
    }
    // Where one result has no value, the others say how many columns there are.
    const auto widest =
        std::ranges::max_element(cells, {}, [](const Cells& one) { return one.headings.size(); });
    const bool is_known = widest != cells.end() && !widest->headings.empty();
    const std::vector<std::string> parts =
        is_known ? widest->headings : std::vector<std::string>{""};
    for (const std::string& part : parts) headings.push_back(csv_quoted(field.name + part));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      cells[i].texts.resize(parts.size());
      lines[i].insert(lines[i].end(), cells[i].texts.begin(), cells[i].texts.end());
    }
  }
  std::string text = fmt::format("{}\n", fmt::join(headings, ","));
  for (const auto& line : lines) text += fmt::format("{}\n", fmt::join(line, ","));
  return text;
}

std::string csv_quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return '"' + boost::replace_all_copy(text, "\"", "\"\"") + '"';
}

std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

}  // namespace equipoise
