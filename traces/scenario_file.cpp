// Reads scenarios: events in JSON with their profiles of speeds, or a table of shares; and refuses
// events that contradict one another. Every error message names its line.
#include "traces/scenario_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/machine/scenario.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "shared_policies/text/words.hpp"
#include "traces/csv_reader.hpp"
#include "traces/json_document.hpp"

namespace equipoise {
namespace {

/// The contents of a profile's file.
struct SpeedProfile {
  std::vector<SpeedStep> steps;  ///< at least one, times ascend
  bool is_simgrid = false;  ///< lines `TIME VALUE` as SimGrid has them. Of a link, the values are
                            ///< bytes/s then, not factors
  /// Of SimGrid's LOOPAFTER and PERIODICITY: so long after the last step, the profile begins again;
  /// 0: it does not.
  Seconds loop_after;
};

constexpr std::size_t most_steps = 100'000;

/// Adds the step of a row or line with these two values.
void add_step(const std::vector<std::string>& values, const std::string& where,
              SpeedProfile& profile) {
  if (profile.loop_after > Seconds{}) {
    throw InputError(where, "a line behind LOOPAFTER or PERIODICITY; make that the last line");
  }
  const double since_s = csv_number(values[0], "time_s", where);
  const double factor = csv_number(values[1], "factor", where);
  if (since_s < 0.0 || (!profile.steps.empty() && since_s <= profile.steps.back().since.value)) {
    throw InputError(where,
                     fmt::format("time_s is {}; times start at 0 or later and ascend", values[0]));
  }
  if (factor <= 0.0) {
    throw InputError(where, fmt::format("factor is {}; it must be more than 0 (a unit that stops "
                                        "is an event of kind fail)",
                                        values[1]));
  }
  profile.steps.push_back({Seconds{since_s}, factor});
}

/// Reads a line of a profile of SimGrid.
void read_line(const std::vector<std::string>& words, const std::string& where,
               SpeedProfile& profile) {
  const bool loops = words[0] == "LOOPAFTER" || words[0] == "PERIODICITY";
  if (!loops) return add_step(words, where, profile);
  const double after_s = csv_number(words[1], words[0], where);
  if (after_s <= 0.0 || profile.loop_after > Seconds{}) {
    throw InputError(where, words[0] + " must stand once, with a time above 0; correct it");
  }
  profile.loop_after = Seconds{after_s};
}

/// Reads rows `time_s,factor` (a header row with these names is skipped), or a profile of SimGrid:
/// lines `TIME VALUE`, comments that begin with #, and `LOOPAFTER SECONDS` or `PERIODICITY
/// SECONDS`. Throws InputError with FILE:LINE for a file without rows, times that do not ascend
/// from 0 on, values that are not above 0, and lines of neither form.
SpeedProfile read_speed_profile(const std::string& path) {
  CsvReader reader(path);
  SpeedProfile profile;
  bool is_first = true;
  for (std::vector<std::string> fields; reader.next(fields);) {
    if (fields[0].starts_with('#')) continue;
    const std::string where = reader.where();
    const std::vector<std::string> words = split_at_blanks(fields[0]);
    const bool is_simgrid = fields.size() == 1 && words.size() == 2;
    if (is_first) profile.is_simgrid = is_simgrid;
    const bool is_header = fields == std::vector<std::string>{"time_s", "factor"};
    if ((!is_simgrid && fields.size() != 2) || is_simgrid != profile.is_simgrid) {
      throw InputError(where, fmt::format("{} fields where a speed profile has two; write rows of "
                                          "time_s,factor, or lines TIME VALUE as for SimGrid",
                                          fields.size()));
    }
    if (is_simgrid) {
      read_line(words, where, profile);
    } else if (!is_first || !is_header) {
      add_step(fields, where, profile);
    }
    is_first = false;
  }
  if (profile.steps.empty()) {
    throw InputError(path, "the speed profile has no rows; write rows of time_s,factor");
  }
  return profile;
}

/// The steps of `profile` up to `span` after its begin, repeated if it loops. Throws InputError at
/// `where` if it loops and `span` is infinite, or if there would be more than 100,000 steps.
std::vector<SpeedStep> steps_within(const SpeedProfile& profile, Seconds span,
                                    const std::string& where) {
  if (profile.loop_after == Seconds{}) return profile.steps;
  if (!(span < Seconds::infinity())) {
    throw InputError(where, "its profile repeats for ever; add until_s");
  }
  std::vector<SpeedStep> steps;
  const Seconds period = profile.steps.back().since + profile.loop_after;
  for (Seconds begin; begin < span; begin += period) {
    for (const SpeedStep& step : profile.steps) {
      if (begin + step.since >= span) break;
      if (steps.size() == most_steps) {
        throw InputError(where, fmt::format("its profile has more than {} steps until then; give "
                                            "an earlier until_s",
                                            most_steps));
      }
      steps.push_back({begin + step.since, step.factor});
    }
  }
  return steps;
}

/// Limits of the product of all disturbances of one target's speed or bandwidth.
constexpr double least_factor = 1e-12;
constexpr double most_factor = 1e12;

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

/// Throws InputError at the line of an event that contradicts another one of its target: the same
/// event twice, a `fail` of an absent unit or a `join` of a present one, or events whose combined
/// factor of a speed or bandwidth is below 1e-12 or above 1e12.
void check_contradictions(const ScenarioFile& file) {
  std::map<std::pair<bool, std::string>, Places> by_target;
  for (std::size_t i = 0; i < file.scenario.events.size(); ++i) {
    const Disturbance& event = file.scenario.events[i];
    by_target[{event.kind == DisturbanceKind::bandwidth, event.target}].push_back(i);
  }
  for (const auto& [target, places] : by_target) TargetCheck(file, places).check();
}

/// A share from a time on.
struct Share {
  Seconds since;
  double share = 1.0;
  std::string where;
};

/// The rows of one unit or link.
struct Rows {
  std::string target;
  std::vector<Share> shares;  ///< at least one, times ascend
};

/// Reads the header row. Returns whether the table is of links.
bool is_of_links(CsvReader& reader, const std::string& path) {
  std::vector<std::string> header;
  if (!reader.next(header)) throw InputError(path, "the file is empty; give a table of shares");
  for (const char* target : {"unit", "link"}) {
    if (header == std::vector<std::string>{"time_s", target, "share"}) return target[0] == 'l';
  }
  throw InputError(reader.where(),
                   "a table as a scenario begins with the header row "
                   "time_s,unit,share or time_s,link,share; add it");
}

Share read_share(const std::vector<std::string>& fields, const std::string& where, bool of_links) {
  if (fields.size() != 3) {
    throw InputError(
        where, fmt::format("{} fields where the header row has 3; correct the row", fields.size()));
  }
  Share row{Seconds{csv_number(fields[0], "time_s", where)}, csv_number(fields[2], "share", where),
            where};
  if (row.since < Seconds{}) throw InputError(where, "time_s is below 0; a run starts at 0");
  if (of_links && row.share <= 0.0) {
    throw InputError(where, "the share of a link must be above 0; give a small one");
  }
  if (!of_links && (row.share < 0.0 || row.share > 1.0)) {
    throw InputError(where, fmt::format("share is {}; it must be from 0 (absent) to 1", fields[2]));
  }
  return row;
}

std::vector<Rows> read_rows(CsvReader& reader, bool of_links) {
  std::vector<Rows> all;
  for (std::vector<std::string> fields; reader.next(fields);) {
    Share row = read_share(fields, reader.where(), of_links);
    auto rows = std::ranges::find(all, fields[1], &Rows::target);
    if (rows == all.end()) rows = all.insert(all.end(), {fields[1], {}});
    if (!rows->shares.empty() && row.since <= rows->shares.back().since) {
      throw InputError(row.where,
                       fmt::format("time_s is {}, and {} is later; sort the rows by time",
                                   row.since.value, rows->shares.back().where));
    }
    rows->shares.push_back(row);
  }
  return all;
}

/// The shares above 0 as a profile.
void add_profile(const Rows& rows, bool of_links, ScenarioFile& file) {
  Disturbance event;
  event.kind = of_links ? DisturbanceKind::bandwidth : DisturbanceKind::profile;
  event.target = rows.target;
  for (const Share& row : rows.shares) {
    if (row.share > 0.0) event.profile.push_back({row.since, row.share});
  }
  const auto is_whole = [](const SpeedStep& step) { return step.factor == 1.0; };
  if (std::ranges::all_of(event.profile, is_whole)) return;
  file.add(std::move(event), rows.shares.front().where, false);
}

void add_absences(const Rows& rows, ScenarioFile& file) {
  for (auto row = rows.shares.begin(); row != rows.shares.end(); ++row) {
    if (row->share > 0.0) continue;
    const auto end =
        std::find_if(row, rows.shares.end(), [](const Share& later) { return later.share > 0.0; });
    Disturbance event;
    event.target = rows.target;
    const bool joins = row->since == Seconds{} && end != rows.shares.end();
    event.kind = joins ? DisturbanceKind::join : DisturbanceKind::fail;
    event.at = joins ? end->since : row->since;
    if (!joins && end != rows.shares.end()) event.until = end->since;
    file.add(std::move(event), row->where, false);
    if (end == rows.shares.end()) return;
    row = end;
  }
}

/// Adds the events of the CSV file at `path` to `file`. Its header row is `time_s,unit,share` or
/// `time_s,link,share`; from each row's time on, the unit or link has this share of its speed or
/// bandwidth, before its first row all of it. A unit with share 0 is absent. Shares of units are
/// from 0 to 1, those of links above 0. The rows of one unit or link have ascending times.
///
/// Each unit or link becomes one profile, and each absence one `fail` until the unit's next row
/// with a share above 0; an absence from time 0 on becomes a `join` at its end.
void read_availability_table(const std::string& path, ScenarioFile& file) {
  CsvReader reader(path);
  const bool of_links = is_of_links(reader, path);
  for (const Rows& rows : read_rows(reader, of_links)) {
    add_profile(rows, of_links, file);
    if (!of_links) add_absences(rows, file);
  }
}

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
