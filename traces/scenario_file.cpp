// Converts JSON events to disturbances. Every error message names its line.
#include "traces/scenario_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/name_pattern.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "traces/availability_table.hpp"
#include "traces/json_document.hpp"
#include "traces/scenario_check.hpp"
#include "traces/speed_profile.hpp"

namespace equipoise {
namespace {

constexpr double largest_number = std::numeric_limits<double>::max();
constexpr std::int64_t most_times = 10'000;
constexpr std::size_t most_events = 1'000'000;

/// The members that an event of a kind has.
struct KindWords {
  DisturbanceKind kind;
  const char* target;  ///< the member that names the unit or the link
  const char* amount;  ///< the member with its strength, or null if it has none
  bool ends;           ///< whether it may have `until_s`, and be repeated
};

constexpr std::array<KindWords, 6> kinds = {{{DisturbanceKind::compete, "unit", "share", true},
                                             {DisturbanceKind::slow, "unit", "factor", true},
                                             {DisturbanceKind::profile, "unit", "file", true},
                                             {DisturbanceKind::bandwidth, "link", "factor", true},
                                             {DisturbanceKind::fail, "unit", nullptr, true},
                                             {DisturbanceKind::join, "unit", nullptr, false}}};

KindWords words_of(const JsonObject& event) {
  const std::string& name = event.text("kind");
  std::vector<std::string> known;
  for (const KindWords& words : kinds) {
    if (name == to_string(words.kind)) return words;
    known.emplace_back(to_string(words.kind));
  }
  throw InputError(event.where(event.at("kind")), unknown_name("kind of event", name, known));
}

/// Reads one event of the file, which may be several disturbances.
class EventReader {
 public:
  EventReader(const JsonValue& value, const std::string& path)
      : words_(words_of(JsonObject(value, path, "an event",
                                   {"at_s", "until_s", "every_s", "times", "kind", "unit", "link",
                                    "share", "factor", "file", "note"}))),
        event_(value, path, fmt::format("a {} event", to_string(words_.kind)), members(words_)),
        path_(path) {}

  /// Adds the disturbances to `scenario`, and the profile's file, if there is one.
  void read_into(ScenarioFile& scenario) const {
    Disturbance event;
    event.kind = words_.kind;
    event.at = Seconds{event_.quantity("at_s", -largest_number, largest_number)};
    if (event.at < Seconds{}) refuse("at_s", "it must be 0 or more");
    if (event_.find("until_s") != nullptr) {
      event.until = Seconds{event_.quantity("until_s", -largest_number, largest_number)};
      if (event.until <= event.at) refuse("until_s", "it must be later than 'at_s'");
    }
    if (event_.find("note") != nullptr) static_cast<void>(event_.text("note"));
    const bool in_bytes_per_s = read_amount(event, scenario);
    const auto [every, times] = read_repetition(event);
    for (const std::string& target : read_targets()) {
      for (std::int64_t i = 0; i < times; ++i) {
        Disturbance again = event;
        again.target = target;
        again.at += static_cast<double>(i) * every;
        again.until += static_cast<double>(i) * every;
        scenario.add(std::move(again), event_.where(), in_bytes_per_s);
      }
    }
  }

 private:
  static std::vector<std::string> members(const KindWords& words) {
    std::vector<std::string> names = {"at_s", "kind", words.target, "note"};
    if (words.amount != nullptr) names.emplace_back(words.amount);
    if (words.kind == DisturbanceKind::bandwidth) names.emplace_back("file");
    if (words.ends) names.insert(names.end(), {"until_s", "every_s", "times"});
    return names;
  }

  /// The names of the units or links: a text or a list of texts.
  [[nodiscard]] std::vector<std::string> read_targets() const {
    std::vector<std::string> targets;
    if (event_.at(words_.target).kind == JsonValue::Kind::list) {
      for (const JsonValue& value : event_.list(words_.target)) {
        if (value.kind != JsonValue::Kind::text) {
          throw InputError(event_.where(value),
                           fmt::format("'{}' must hold texts; quote them", words_.target));
        }
        targets.push_back(value.text);
      }
    } else {
      targets.push_back(event_.text(words_.target));
    }
    if (targets.empty() || std::ranges::count(targets, "") > 0) {
      refuse(words_.target, fmt::format("name a {}", words_.target));
    }
    return targets;
  }

  /// How often, and how many times.
  [[nodiscard]] std::pair<Seconds, std::int64_t> read_repetition(const Disturbance& event) const {
    if (event_.find("every_s") == nullptr && event_.find("times") == nullptr) return {Seconds{}, 1};
    const Seconds every{event_.quantity("every_s", 0.0, largest_number)};
    const std::int64_t times = event_.whole("times", 1, most_times);
    if (!(event.until < Seconds::infinity())) {
      throw InputError(event_.where(), "an event that is repeated needs an end; add until_s");
    }
    if (every < event.until - event.at) {
      refuse("every_s", fmt::format("it must be at least the {} s from at_s to until_s",
                                    (event.until - event.at).value));
    }
    return {every, times};
  }

  /// Returns whether the profile is of bandwidths in bytes/s.
  bool read_amount(Disturbance& event, ScenarioFile& scenario) const {
    if (words_.amount == nullptr) return false;
    if (event_.find("file") != nullptr || event.kind == DisturbanceKind::profile) {
      if (event_.find("factor") != nullptr) refuse("factor", "it stands beside 'file'; keep one");
      return read_profile(event, scenario);
    }
    event.amount = event_.number(words_.amount, -largest_number, largest_number);
    if (event.kind != DisturbanceKind::compete) {
      if (event.amount <= 0.0) refuse("factor", "it must be more than 0");
    } else if (event.amount < 0.0 || event.amount >= 1.0) {
      refuse("share", "it must be from 0 on and less than 1");
    }
    return false;
  }

  bool read_profile(Disturbance& event, ScenarioFile& scenario) const {
    const std::string file =
        (std::filesystem::path(path_).parent_path() / event_.text("file")).string();
    std::error_code error;
    if (!std::filesystem::exists(file, error) && !error) {
      throw InputError(file, fmt::format("no such file; {} names it, and paths begin in its folder",
                                         event_.where(event_.at("file"))));
    }
    const SpeedProfile profile = read_speed_profile(file);
    event.profile = steps_within(profile, event.until - event.at, event_.where());
    scenario.files.push_back(file);
    return profile.is_simgrid && event.kind == DisturbanceKind::bandwidth;
  }

  [[noreturn]] void refuse(const char* member, const std::string& rule) const {
    const JsonValue& value = event_.at(member);
    throw InputError(
        event_.where(value),
        fmt::format("'{}' is {}; {}", member, value.text.empty() ? "empty" : value.text, rule));
  }

  const KindWords words_;
  JsonObject event_;
  const std::string& path_;
};

/// Throws all refusals as one, at the place of the first, if there are any.
void throw_together(const std::vector<InputError>& refusals) {
  constexpr std::size_t most_told = 10;
  if (refusals.empty()) return;
  std::string why = refusals.front().why();
  for (std::size_t i = 1; i < std::min(refusals.size(), most_told); ++i) {
    const std::string& where = refusals[i].where();
    const std::size_t colon = where.rfind(':');
    const bool is_here = colon != std::string::npos &&
                         refusals.front().where().starts_with(where.substr(0, colon + 1));
    why += is_here ? fmt::format("; line {}: {}", where.substr(colon + 1), refusals[i].why())
                   : fmt::format("; {}", refusals[i].what());
  }
  if (refusals.size() > most_told) why += fmt::format("; and {} more", refusals.size() - most_told);
  throw InputError(refusals.front().where(), why);
}

bool is_of_link(const Disturbance& event) { return event.kind == DisturbanceKind::bandwidth; }

/// Divides the bandwidths of a profile by that of the link.
void make_relative(Disturbance& event, const std::vector<Link>& links, const std::string& where) {
  const auto link = std::ranges::find(links, event.target, &Link::name);
  if (link->bandwidth_bytes_per_s <= 0.0) {
    throw InputError(where, fmt::format("the profile of SimGrid has bytes/s, and the bandwidth of "
                                        "{} is not known; give rows of time_s,factor",
                                        event.target));
  }
  for (SpeedStep& step : event.profile) step.factor /= link->bandwidth_bytes_per_s;
}

}  // namespace

void ScenarioFile::add(Disturbance event, std::string place, bool has_bytes_per_s) {
  if (scenario.events.size() == most_events) {
    throw InputError(place, fmt::format("more than {} events; give fewer 'times'", most_events));
  }
  scenario.events.push_back(std::move(event));
  where.push_back(std::move(place));
  in_bytes_per_s.push_back(has_bytes_per_s);
}

ScenarioFile read_scenario(const std::string& path) {
  ScenarioFile file;
  file.scenario.name = path;
  file.files = {path};
  if (std::filesystem::path(path).extension() == ".csv") {
    read_availability_table(path, file);
    check_contradictions(file);
    return file;
  }
  const JsonValue root = read_json_file(path);
  const JsonObject top(root, path, "a scenario", {"schema", "events", "note"});
  expect_schema(top.text("schema"), "equipoise.scenario/1", top.where(top.at("schema")));
  if (top.find("note") != nullptr) static_cast<void>(top.text("note"));
  std::vector<InputError> refusals;
  for (const JsonValue& value : top.list("events")) {
    try {
      EventReader(value, path).read_into(file);
    } catch (const InputError& refusal) {
      refusals.push_back(refusal);
    }
  }
  throw_together(refusals);
  check_contradictions(file);
  return file;
}

void find_targets(ScenarioFile& file, const std::vector<std::string>& units,
                  const std::vector<Link>& links) {
  std::vector<std::string> names;
  for (const Link& link : links) names.push_back(link.name);
  ScenarioFile found;
  std::vector<InputError> refusals;
  std::set<std::string> told;  // of which kinds a refusal lists what there is
  for (std::size_t i = 0; i < file.scenario.events.size(); ++i) {
    const Disturbance& event = file.scenario.events[i];
    const std::vector<std::string>& known = is_of_link(event) ? names : units;
    const std::vector<std::string> targets = names_like(event.target, known);
    if (targets.empty()) {
      const std::string what = is_of_link(event) ? "link of the platform" : "unit that takes part";
      const std::string there =
          fmt::format("; there {} {}", known.size() == 1 ? "is" : "are",
                      known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
      refusals.emplace_back(file.where[i], fmt::format("no {} is called '{}'{}", what, event.target,
                                                       told.insert(what).second ? there : ""));
    }
    for (const std::string& target : targets) {
      Disturbance own = event;
      own.target = target;
      if (file.in_bytes_per_s[i]) make_relative(own, links, file.where[i]);
      found.add(std::move(own), file.where[i], false);
    }
  }
  throw_together(refusals);
  found.scenario.name = file.scenario.name;
  found.files = std::move(file.files);
  file = std::move(found);
  check_contradictions(file);
}

}  // namespace equipoise
