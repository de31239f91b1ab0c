// Converts JSON events to disturbances. Every error message names its line.
#include "traces/scenario_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/nearest_name.hpp"
#include "traces/csv_reader.hpp"
#include "traces/json_document.hpp"

namespace equipoise {
namespace {

constexpr double largest_number = std::numeric_limits<double>::max();
/// Limits of the product of all disturbances of one target's speed or bandwidth.
constexpr double least_factor = 1e-12;
constexpr double most_factor = 1e12;

/// The members that an event of a kind has.
struct KindWords {
  DisturbanceKind kind;
  const char* target;  ///< the member that names the unit or the link
  const char* amount;  ///< the member with its strength, or null if it has none
  bool ends;           ///< whether it may have `until_s`
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

bool is_row(const std::vector<std::string>& fields, std::initializer_list<const char*> names) {
  return std::equal(fields.begin(), fields.end(), names.begin(), names.end());
}

/// Reads the rows `time_s,factor` of a speed profile. A header row with these names is skipped.
std::vector<SpeedStep> read_profile(const std::string& path) {
  CsvReader reader(path);
  std::vector<SpeedStep> steps;
  bool is_first = true;
  for (std::vector<std::string> fields; reader.next(fields); is_first = false) {
    const std::string where = reader.where();
    if (is_first && is_row(fields, {"time_s", "factor"})) continue;
    if (fields.size() != 2) {
      throw InputError(where, fmt::format("{} fields where a speed profile has two; write rows of "
                                          "time_s,factor",
                                          fields.size()));
    }
    const double since_s = csv_number(fields[0], "time_s", where);
    const double factor = csv_number(fields[1], "factor", where);
    if (since_s < 0.0 || (!steps.empty() && since_s <= steps.back().since.value)) {
      throw InputError(
          where, fmt::format("time_s is {}; times start at 0 or later and ascend", fields[0]));
    }
    if (factor <= 0.0) {
      throw InputError(where, fmt::format("factor is {}; it must be more than 0 (a unit that stops "
                                          "is an event of kind fail)",
                                          fields[1]));
    }
    steps.push_back({Seconds{since_s}, factor});
  }
  if (steps.empty()) {
    throw InputError(path, "the speed profile has no rows; write rows of time_s,factor");
  }
  return steps;
}

/// Reads one event.
class EventReader {
 public:
  EventReader(const JsonValue& value, const std::string& path)
      : words_(words_of(JsonObject(
            value, path, "an event",
            {"at_s", "until_s", "kind", "unit", "link", "share", "factor", "file", "note"}))),
        event_(value, path, fmt::format("a {} event", to_string(words_.kind)), members(words_)),
        path_(path) {}

  [[nodiscard]] Disturbance read() const {
    Disturbance event;
    event.kind = words_.kind;
    event.at = Seconds{event_.number("at_s", -largest_number, largest_number)};
    if (event.at < Seconds{}) refuse("at_s", "it must be 0 or more");
    if (event_.find("until_s") != nullptr) {
      event.until = Seconds{event_.number("until_s", -largest_number, largest_number)};
      if (event.until <= event.at) refuse("until_s", "it must be later than 'at_s'");
    }
    event.target = event_.text(words_.target);
    if (event.target.empty()) refuse(words_.target, fmt::format("name a {}", words_.target));
    if (event_.find("note") != nullptr) static_cast<void>(event_.text("note"));
    read_amount(event);
    return event;
  }

  [[nodiscard]] std::string where() const { return event_.where(); }
  /// The path of a profile's file.
  [[nodiscard]] std::string file() const {
    return (std::filesystem::path(path_).parent_path() / event_.text("file")).string();
  }

 private:
  static std::vector<std::string> members(const KindWords& words) {
    std::vector<std::string> names = {"at_s", "kind", words.target, "note"};
    if (words.amount != nullptr) names.emplace_back(words.amount);
    if (words.ends) names.emplace_back("until_s");
    return names;
  }

  void read_amount(Disturbance& event) const {
    if (words_.amount == nullptr) return;
    if (event.kind == DisturbanceKind::profile) {
      event.profile = read_profile(file());
      return;
    }
    event.amount = event_.number(words_.amount, -largest_number, largest_number);
    if (event.kind != DisturbanceKind::compete) {
      if (event.amount <= 0.0) refuse("factor", "it must be more than 0");
    } else if (event.amount < 0.0 || event.amount >= 1.0) {
      refuse("share", "it must be from 0 on and less than 1");
    }
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

bool tell_the_same(const Disturbance& a, const Disturbance& b) {
  const auto same_step = [](const SpeedStep& s, const SpeedStep& t) {
    return s.since == t.since && s.factor == t.factor;
  };
  return a.kind == b.kind && a.target == b.target && a.at == b.at && a.until == b.until &&
         a.amount == b.amount &&
         std::equal(a.profile.begin(), a.profile.end(), b.profile.begin(), b.profile.end(),
                    same_step);
}

/// Positions in Scenario::events.
using Places = std::vector<std::size_t>;

/// Refuses contradictory events of one target.
class TargetCheck {
 public:
  TargetCheck(const ScenarioFile& file, const Places& places) : file_(file), places_(places) {}

  void check() const {
    check_repetitions();
    check_presence();
    const std::string& target = event(places_.front()).target;
    const bool is_link = event(places_.front()).kind == DisturbanceKind::bandwidth;
    check_range(is_link ? file_.scenario.bandwidth_of(target) : file_.scenario.speed_of(target),
                is_link ? "bandwidth" : "speed");
  }

 private:
  /// A unit leaves or joins at time `at`, because of the event at position `place`.
  struct Change {
    Seconds at;
    bool present;
    std::size_t place;
  };

  [[nodiscard]] const Disturbance& event(std::size_t place) const {
    return file_.scenario.events[place];
  }

  void check_repetitions() const {
    Places sorted = places_;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [this](auto a, auto b) { return event(a).at < event(b).at; });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      for (std::size_t j = i + 1; j < sorted.size(); ++j) {
        if (event(sorted[j]).at > event(sorted[i]).at) break;
        if (!tell_the_same(event(sorted[i]), event(sorted[j]))) continue;
        throw InputError(file_.where[sorted[j]],
                         fmt::format("the same event stands at {} already; leave one out, or make "
                                     "them differ",
                                     file_.where[sorted[i]]));
      }
    }
  }

  void check_presence() const {
    std::vector<Change> changes;
    for (const std::size_t place : places_) {
      const Disturbance& e = event(place);
      if (e.kind == DisturbanceKind::join) changes.push_back({e.at, true, place});
      if (e.kind != DisturbanceKind::fail) continue;
      changes.push_back({e.at, false, place});
      if (e.until < Seconds::infinity()) changes.push_back({e.until, true, place});
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.at < b.at; });
    for (std::size_t i = 1; i < changes.size(); ++i) {
      const Change& before = changes[i - 1];
      const Change& now = changes[i];
      if (before.at < now.at && before.present != now.present) continue;
      const std::size_t place = std::max(before.place, now.place);
      throw InputError(
          file_.where[place],
          fmt::format(
              "{0} {1} at {2} s and {3} at {4} s; `fail` and `join` of a unit must alternate",
              event(place).target, before.present ? "joins" : "fails", before.at.value,
              now.present ? "joins" : "fails", now.at.value));
    }
  }

  void check_range(const StepFunction& function, const char* of_what) const {
    std::vector<Seconds> times = function.changes();
    times.push_back(Seconds{});
    for (const Seconds time : times) {
      const double factor = function.at(time);
      if (factor >= least_factor && factor <= most_factor) continue;
      throw InputError(
          file_.where[places_.back()],
          fmt::format(
              "from {:.6g} s on the {} of {} is {:.3g} times the original; keep it from {:g} to "
              "{:g}",
              time.value, of_what, event(places_.back()).target, factor, least_factor,
              most_factor));
    }
  }

  const ScenarioFile& file_;
  const Places& places_;
};

void check_contradictions(const ScenarioFile& file) {
  std::map<std::pair<bool, std::string>, Places> by_target;
  for (std::size_t i = 0; i < file.scenario.events.size(); ++i) {
    const Disturbance& event = file.scenario.events[i];
    by_target[{event.kind == DisturbanceKind::bandwidth, event.target}].push_back(i);
  }
  for (const auto& [target, places] : by_target) TargetCheck(file, places).check();
}

}  // namespace

ScenarioFile read_scenario(const std::string& path) {
  const JsonValue root = read_json_file(path);
  const JsonObject top(root, path, "a scenario", {"schema", "events", "note"});
  expect_schema(top.text("schema"), "equipoise.scenario/1", top.where(top.at("schema")));
  if (top.find("note") != nullptr) static_cast<void>(top.text("note"));
  ScenarioFile file;
  file.scenario.name = path;
  file.files = {path};
  for (const JsonValue& value : top.list("events")) {
    const EventReader reader(value, path);
    file.scenario.events.push_back(reader.read());
    file.where.push_back(reader.where());
    if (file.scenario.events.back().kind == DisturbanceKind::profile) {
      file.files.push_back(reader.file());
    }
  }
  check_contradictions(file);
  return file;
}

void check_targets(const ScenarioFile& file, const std::vector<std::string>& units,
                   const std::vector<std::string>& links) {
  for (std::size_t i = 0; i < file.scenario.events.size(); ++i) {
    const Disturbance& event = file.scenario.events[i];
    const bool is_link = event.kind == DisturbanceKind::bandwidth;
    const std::vector<std::string>& known = is_link ? links : units;
    if (std::find(known.begin(), known.end(), event.target) != known.end()) continue;
    throw InputError(
        file.where[i],
        fmt::format("no {} is called '{}'; there {} {}",
                    is_link ? "link of the platform" : "unit that takes part", event.target,
                    known.size() == 1 ? "is" : "are",
                    known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
  }
}

}  // namespace equipoise
