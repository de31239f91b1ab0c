// Puts the largest causes of a loss into words.
#include "tools/report/why_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "shared_policies/policies/catalog.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/console/text_table.hpp"
#include "tools/report/stored_comparison.hpp"

namespace equipoise {
namespace {

/// A loss below this share of the bound needs no explanation.
constexpr double least_loss = 0.01;
/// A cause, or a wait for one unit, counts from this share of the loss on.
constexpr double least_cause = 0.1;
constexpr std::size_t most_causes = 3;
constexpr std::size_t most_names = 3;
/// A makespan so little over the best known is as good.
constexpr double as_good = 0.005;
/// Shares of the items that differ by less, or by less than this factor, differ little.
constexpr double least_difference = 0.02;
constexpr double least_factor = 1.25;

std::string seconds(double s) { return quantity_text(s, "s", 3); }
std::string percent(double share) { return fmt::format("{:.1f} %", 100.0 * share); }

/// A share in percent; from 1000 % on, "42.1 times as much".
std::string ratio_text(double share) {
  constexpr double many = 10.0;
  return share < many ? percent(share) : significant(share, 3) + " times as much";
}

/// "a, b and c", or "a, b, c and 5 more units".
std::string list_of(std::vector<std::string> names) {
  if (names.size() == 1) return names.front();
  std::string last = names.back();
  if (names.size() > most_names + 1) {
    last = fmt::format("{} more units", names.size() - most_names);
    names.resize(most_names + 1);
  }
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

/// What was lost to a cause, so that it can stand behind "12 ms to". `copies` are the other ones
/// only behind those that waited for links.
std::string words_of(const LossCause& cause, const Shortfall& of, bool is_after_link) {
  if (cause.member == &Losses::copies && !is_after_link) {
    return "copies that did not overlap with computing";
  }
  if (cause.member != &Losses::unused) return cause.explanation;
  std::vector<std::string> without_items;
  for (std::size_t i = 0; i < of.shares.size(); ++i) {
    if (of.shares[i] == 0.0) without_items.push_back(of.units[i]);
  }
  if (without_items.empty()) return cause.explanation;
  return "giving no items to " + list_of(std::move(without_items));
}

/// "gss lost 0.5 s over the lower bound of 2 s (25.0 %): 0.3 s to ...; 0.2 s to ...".
std::string causes_text(const Shortfall& of, double lost_s) {
  std::vector<std::pair<double, const LossCause*>> causes;
  for (const LossCause& cause : loss_causes) {
    const double part_s = (of.loss.*cause.member).value;
    if (part_s >= least_cause * lost_s) causes.emplace_back(part_s, &cause);
  }
  std::ranges::stable_sort(causes, std::greater<>(), [](const auto& cause) { return cause.first; });
  causes.resize(std::min(causes.size(), most_causes));
  std::vector<std::string> parts;
  bool after_link = false;
  for (const auto& [part_s, cause] : causes) {
    parts.push_back(fmt::format("{} to {}", seconds(part_s), words_of(*cause, of, after_link)));
    after_link = after_link || cause->member == &Losses::link;
  }
  return fmt::format("{} lost {} over the lower bound of {} ({}){}{}.", of.policy, seconds(lost_s),
                     seconds(of.bound_s), ratio_text(lost_s / of.bound_s),
                     parts.empty() ? "" : ": ", fmt::join(parts, "; "));
}

/// Whether the policy with this spelling knows the mean times.
bool is_oracle(const std::string& spelling) {
  const std::string name = spelling.substr(0, spelling.find(':'));
  return std::ranges::any_of(policy_catalog(), [&](const PolicyInfo& info) {
    return info.name == name && info.foresight == Foresight::oracle;
  });
}

std::string avoidable_text(const Shortfall& of) {
  if (!of.best_known) return {};
  const auto& [best_s, spelling] = *of.best_known;
  if (of.makespan_s <= (1.0 + as_good) * best_s) return " Nothing clearly faster is known.";
  const double avoidable_s = std::min(of.makespan_s - best_s, total(of.loss).value);
  return fmt::format(" At least {} of this can be avoided: {}{} took {}.", seconds(avoidable_s),
                     spelling, is_oracle(spelling) ? ", which knows the mean times," : "",
                     seconds(best_s));
}

/// Which unit the others waited for at the end of a run.
std::string last_text(const Shortfall& of, double lost_s) {
  if (of.last_ends_s.size() < 2) return {};
  const auto last = std::ranges::max_element(of.last_ends_s);
  double before_s = 0.0;
  for (auto at = of.last_ends_s.begin(); at != of.last_ends_s.end(); ++at) {
    if (at != last) before_s = std::max(before_s, *at);
  }
  if (*last - before_s < least_cause * lost_s || of.loss.tail.value < least_cause * lost_s) {
    return {};
  }
  return fmt::format(" {} ended last, {} after all others.",
                     of.units[static_cast<std::size_t>(last - of.last_ends_s.begin())],
                     seconds(*last - before_s));
}

/// "gss gave a 10.0 % of the items (optimum: 40.0 %)", of units that differ most from the oracle.
std::string shares_text(const Shortfall& of) {
  if (of.oracle.empty()) return {};
  std::size_t fewest = 0;
  std::size_t most = 0;
  const auto beyond = [&](std::size_t i) { return of.shares[i] - of.oracle_shares[i]; };
  for (std::size_t i = 1; i < of.units.size(); ++i) {
    if (beyond(i) < beyond(fewest)) fewest = i;
    if (beyond(i) > beyond(most)) most = i;
  }
  std::vector<std::string> parts;
  for (const std::size_t i : {fewest, most}) {
    const auto& [low, high] = std::minmax(of.shares[i], of.oracle_shares[i]);
    if (high - low < least_difference || high < least_factor * low) continue;
    parts.push_back(fmt::format("{} {}{} ({}: {})", of.units[i], percent(of.shares[i]),
                                parts.empty() ? " of the items" : "", of.oracle,
                                percent(of.oracle_shares[i])));
  }
  if (parts.empty()) return {};
  return fmt::format(" {} gave {}.", of.policy, fmt::join(parts, " and "));
}

/// Adds the units of a result and their shares.
void add_shares(const JsonValue& result, std::vector<std::string>& units,
                std::vector<double>& shares) {
  const JsonValue* const by_unit = member(result, "share_by_unit");
  if (by_unit == nullptr) return;
  for (const JsonMember& unit : by_unit->object) {
    units.push_back(unit.name);
    shares.push_back(unit.value.number);
  }
}

}  // namespace

std::string why_text(const Shortfall& of) {
  const double lost_s = total(of.loss).value;
  if (!(lost_s >= least_loss * of.bound_s)) return {};
  return causes_text(of, lost_s) + avoidable_text(of) +
         (of.last_ends_s.empty() ? shares_text(of) : last_text(of, lost_s));
}

std::string why_text(const RunReport& report, const std::string& policy,
                     const std::vector<Unit>& units) {
  const std::optional<Losses> loss = loss_of(report);
  if (!loss) return {};
  const RunNumbers& numbers = report.run.numbers;
  Shortfall of{policy, numbers.makespan.value, *report.lower_bound_s, *loss, names_of(units)};
  for (std::size_t i = 0; i < units.size(); ++i) {
    of.shares.push_back(share(numbers, i));
    of.last_ends_s.push_back(numbers.units[i].last_end.value);
  }
  return why_text(of);
}

std::string why_text(const Comparison& comparison, const PolicyResult& result) {
  if (!result.loss || !comparison.lower_bound_s) return {};
  Shortfall of{result.spelling,
               result.makespan_s.mean,
               *comparison.lower_bound_s,
               *result.loss,
               comparison.units,
               result.share_by_unit,
               {},
               is_simulated(result) ? comparison.best_known : std::nullopt};
  for (const PolicyResult& other : comparison.results) {
    if (other.on != result.on || foresight_of(comparison, other) != Foresight::oracle) continue;
    of.oracle = other.spelling;
    of.oracle_shares = other.share_by_unit;
    break;
  }
  return why_text(of);
}

std::string why_text(const JsonValue& results, const JsonValue& result) {
  const std::optional<Losses> loss = stored_loss(result);
  const std::optional<double> bound_s = number_at(results, "lower_bound_s");
  if (!loss || !bound_s) return {};
  Shortfall of{
      text_at(result, "spelling"), number_at(result, "makespan_s.mean", 0.0), *bound_s, *loss, {}};
  add_shares(result, of.units, of.shares);
  const std::string on = text_at(result, "on");
  const std::optional<double> best_s = number_at(results, "best_known_s");
  if (best_s && on == "sim") of.best_known = {*best_s, text_at(results, "best_known_by")};
  for (const JsonValue& other : member(results, "results")->list) {
    if (!is_true_at(other, "oracle") || text_at(other, "on") != on) continue;
    std::vector<std::string> units;
    add_shares(other, units, of.oracle_shares);
    if (units == of.units) of.oracle = text_at(other, "spelling");
    break;
  }
  return why_text(of);
}

std::string why_text_of_run(const std::string& policy, const JsonValue& summary) {
  const std::optional<Losses> loss = stored_loss(summary);
  const std::optional<double> bound_s = number_at(summary, "lower_bound_s");
  const JsonValue* const by_unit = member(summary, "by_unit");
  if (!loss || !bound_s || by_unit == nullptr) return {};
  Shortfall of{policy, number_at(summary, "makespan_s", 0.0), *bound_s, *loss, {}};
  for (const JsonMember& unit : by_unit->object) {
    of.units.push_back(unit.name);
    of.shares.push_back(number_at(unit.value, "share", 0.0));
    of.last_ends_s.push_back(number_at(unit.value, "last_end_s", 0.0));
  }
  return why_text(of);
}

}  // namespace equipoise
