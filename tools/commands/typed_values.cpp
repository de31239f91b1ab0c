// Reads values of options that are more than a number or a text.
#include "tools/commands/typed_values.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/console/console.hpp"
#include "tools/runs/cost_meters.hpp"
#include "tools/runs/policy_choice.hpp"
#include "traces/run_settings.hpp"

namespace equipoise {

namespace {

/// Warns if `text`, a number without a unit, was probably meant in microseconds.
void doubt_unit(const std::string& text, double seconds, const std::string& name,
                const char* what) {
  constexpr double plausible_s = 0.01;
  if (!as_number(text) || seconds <= plausible_s || seconds > most_cost_s) return;
  warn(
      fmt::format("{0} {1} is {1} s for each {2}; for microseconds write {1}us", name, text, what));
}

}  // namespace

Seconds dispatch_cost_of(const std::string& text, const std::string& name) {
  const double seconds = parse_quantity(text, "s", name);
  doubt_unit(text, seconds, name, "block");
  if (seconds >= 0.0 && seconds <= most_cost_s) return Seconds{seconds};
  throw InputError(name, "handing out a block costs from 0 to 1e6 seconds; give that");
}

ControllerWork controller_cost_of(const std::string& text, const std::string& name) {
  std::array<double, 3> seconds{};
  std::size_t count = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++count) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (count == seconds.size()) {
      throw InputError(name, text + " has more than three times; give REPORT,BLOCK,BYTE");
    }
    const double most_s = count < 2 ? most_cost_s : 1.0;
    const std::string part = text.substr(begin, end - begin);
    seconds.at(count) = parse_quantity(part, "s", name);
    if (count < 2) doubt_unit(part, seconds.at(count), name, count == 0 ? "report" : "block");
    if (!(seconds.at(count) >= 0.0 && seconds.at(count) <= most_s)) {
      throw InputError(name, count < 2
                                 ? "a report or a block costs from 0 to 1e6 seconds; give that"
                                 : "a byte costs from 0 to 1 second; give that");
    }
    begin = end + 1;
  }
  return {Seconds{seconds[0]}, Seconds{seconds[1]}, seconds[2]};
}

BlockTimeout block_timeout_of(const std::string& text, const std::string& name) {
  if (text == "none") return {};
  if (text == word_of(TimeoutWord::automatic)) return BlockTimeout::automatic();
  double seconds = 0.0;
  try {
    seconds = parse_quantity(text, "s", name);
  } catch (const InputError& refusal) {
    throw InputError(name, refusal.why() + ", or auto or none");
  }
  if (seconds > 0.0) return BlockTimeout::fixed(Seconds{seconds});
  throw InputError(name, "give a positive number of seconds, or auto or none");
}

std::string decision_cost_of(const std::string& text, const std::string& name) {
  static_cast<void>(make_cost_meter(text, {}, name));  // throws if it is unreadable
  return text;
}

std::vector<std::string> names_to_leave_out(const std::vector<std::string>& patterns,
                                            const std::string& name) {
  std::vector<std::string> known;
  for (const PolicyInfo& info : policy_catalog()) known.push_back(info.name);
  for (const std::string& pattern : patterns) {
    if (names_like(pattern, known).empty()) static_cast<void>(find_policy(pattern, name));
  }
  return patterns;
}

BlocksMax blocks_max_of(const std::string& text, const std::string& name) {
  if (text == "none") return {};
  if (const std::optional<double> blocks = as_number(text); blocks && *blocks >= 1.0) {
    return {static_cast<std::uint64_t>(parse_items(text, name))};
  }
  throw InputError(name, fmt::format("'{}' is no number of blocks; write 1e6, or none", text));
}

}  // namespace equipoise
