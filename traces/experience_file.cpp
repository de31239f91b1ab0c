// The format of experience files, and which of their entries a run may use.
#include "traces/experience_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/experience_journal.hpp"

namespace equipoise {
namespace {

using nlohmann::ordered_json;

constexpr const char* schema = "equipoise.experience/1";
constexpr double fresh_doubt = 0.05;
constexpr double month_doubt = 0.14;  // 15 % after a month, together with the fresh one
constexpr double other_doubt = 1.0;   // another machine or model

constexpr double most_number = std::numeric_limits<double>::max();
constexpr int most_runs = std::numeric_limits<int>::max();

ordered_json sizes_json(const std::vector<LearnedSize>& sizes) {
  ordered_json list = ordered_json::array();
  for (const LearnedSize& size : sizes) {
    list.push_back({{"items", size.items}, {"blocks", size.blocks}, {"seconds", size.seconds}});
  }
  return list;
}

ordered_json cost_json(const LearnedCost& cost) {
  return {{"alone", sizes_json(cost.alone)},
          {"queued", sizes_json(cost.queued)},
          {"stage_share", cost.stage_share},
          {"scatter", cost.scatter},
          {"doubt", cost.doubt}};
}

std::vector<LearnedSize> sizes_of(const JsonObject& cost, const std::string& name,
                                  const std::string& file) {
  std::vector<LearnedSize> sizes;
  for (const JsonValue& value : cost.list(name)) {
    const JsonObject read(value, file, "a size", {"items", "blocks", "seconds"});
    constexpr double least = std::numeric_limits<double>::min();
    sizes.push_back({read.number("items", 1.0, 1e18), read.number("blocks", least, 1e18),
                     read.number("seconds", least, 1e18)});
    if (sizes.size() > 1 && sizes.back().items <= sizes[sizes.size() - 2].items) {
      throw InputError(read.where(), "sizes must ascend");
    }
  }
  return sizes;
}

std::string date_text(std::chrono::sys_days date) {
  const std::chrono::year_month_day day(date);
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::chrono::sys_days date_of(const std::string& text, const std::string& where) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  char more = '\0';
  const int found = std::sscanf(text.c_str(), "%4d-%2u-%2u%c", &year, &month, &day, &more);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (found != 3 || !date.ok()) {
    throw InputError(where, fmt::format("'{}' is no date; write 2026-11-23", text));
  }
  return date;
}

ExperienceEntry entry_of(const JsonValue& value, const std::string& path) {
  const JsonObject read(value, path, "an entry",
                        {"kernel", "problem", "unit", "model", "machine", "date", "runs", "cost"});
  ExperienceEntry entry;
  entry.kernel = read.text("kernel");
  if (const JsonValue* problem = read.find("problem")) {
    const JsonObject parameters(*problem, path, "a problem");
    for (const JsonMember& member : problem->object) {
      entry.problem[member.name] = parameters.number(member.name, -most_number, most_number);
    }
  }
  entry.unit = read.text("unit");
  entry.model = read.text("model");
  entry.machine = read.text("machine");
  entry.date = date_of(read.text("date"), read.where(read.at("date")));
  entry.runs = static_cast<int>(read.whole("runs", 1, most_runs));
  entry.cost = learned_cost_of(read.at("cost"), path);
  return entry;
}

/// Whether there is an empty file at `path`: a program that keeps it locked has just made it.
bool is_empty_file(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && std::filesystem::is_empty(path, error);
}

bool is_of(const ExperienceEntry& entry, const Workload& workload, const Unit& unit) {
  return entry.kernel == workload.kernel && entry.problem == workload.problem &&
         entry.unit == unit.name;
}

/// `cost` without blocks that are larger than all work, which can be no blocks of it.
LearnedCost within(LearnedCost cost, const Workload& workload) {
  for (std::vector<LearnedSize>* const sizes : {&cost.alone, &cost.queued}) {
    std::erase_if(*sizes, [&](const LearnedSize& size) {
      return size.items > static_cast<double>(workload.items);
    });
  }
  return cost;
}

}  // namespace

double doubt_of(const ExperienceEntry& entry, const std::string& model, const RunPlace& place) {
  const auto days =
      static_cast<double>(std::max<std::int64_t>((place.today - entry.date).count(), 0));
  const bool is_other = entry.machine != place.machine || entry.model != model;
  return std::hypot(fresh_doubt, month_doubt * std::sqrt(days / 30.0),
                    is_other ? other_doubt : 0.0);
}

Experience known_before(const ExperienceFile& file, const std::vector<Workload>& phases,
                        const std::vector<Unit>& units, const RunPlace& place) {
  Experience known;
  for (const Workload& workload : phases) {
    auto& of_phase = known.emplace_back(units.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
      for (const ExperienceEntry& entry : file.entries) {
        if (!is_of(entry, workload, units[i])) continue;
        LearnedCost cost = within(entry.cost, workload);
        if (cost.empty()) continue;
        cost.doubt = doubt_of(entry, units[i].model, place);
        of_phase[i] = std::move(cost);
      }
    }
  }
  return known;
}

void add_run(ExperienceFile& file, const std::vector<Workload>& phases,
             const std::vector<Unit>& units, const RunPlace& place, const Experience& shown) {
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      const auto& cost = shown[phase][i];
      if (!cost) continue;
      const Unit& unit = units[i];
      auto entry = std::ranges::find_if(
          file.entries, [&](const ExperienceEntry& of) { return is_of(of, phases[phase], unit); });
      if (entry == file.entries.end()) {
        file.entries.push_back(
            {phases[phase].kernel, phases[phase].problem, unit.name, {}, {}, {}, 0, {}});
        entry = std::prev(file.entries.end());
      }
      LearnedCost before = entry->cost;
      before.doubt = entry->runs == 0 ? 0.0 : doubt_of(*entry, unit.model, place);
      entry->cost = with_new_run(before, *cost);
      entry->cost.doubt = 0.0;
      entry->model = unit.model;
      entry->machine = place.machine;
      entry->date = place.today;
      entry->runs = entry->runs == most_runs ? most_runs : entry->runs + 1;
    }
  }
}

ExperienceFile read_experience(const std::string& path) {
  ExperienceFile file;
  if (!std::filesystem::exists(path) || is_empty_file(path)) return file;
  const JsonValue document = read_json_file(path);
  const JsonObject read(document, path, "experience", {"schema", "learned"});
  expect_schema(read.text("schema"), schema, read.where(read.at("schema")));
  for (const JsonValue& value : read.list("learned")) file.entries.push_back(entry_of(value, path));
  return file;
}

std::string experience_text(const ExperienceFile& file) {
  std::string text = fmt::format("{{\"schema\":\"{}\",\"learned\":[", schema);
  for (const ExperienceEntry& entry : file.entries) {
    const ordered_json line = {{"kernel", entry.kernel},   {"problem", entry.problem},
                               {"unit", entry.unit},       {"model", entry.model},
                               {"machine", entry.machine}, {"date", date_text(entry.date)},
                               {"runs", entry.runs},       {"cost", cost_json(entry.cost)}};
    text += &entry == file.entries.data() ? "\n" : ",\n";
    text += line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  return text + "\n]}\n";
}

std::string learned_cost_text(const LearnedCost& cost) { return cost_json(cost).dump(); }

LearnedCost learned_cost_of(const JsonValue& value, const std::string& file) {
  const JsonObject read(value, file, "a cost",
                        {"alone", "queued", "stage_share", "scatter", "doubt"});
  LearnedCost cost{sizes_of(read, "alone", file), sizes_of(read, "queued", file),
                   read.number("stage_share", 0.0, 1.0), read.number("scatter", 0.0, 1e6),
                   read.number("doubt", 0.0, 1e6)};
  if (!cost.empty()) return cost;
  throw InputError(read.where(), "a cost without times; remove what it belongs to");
}

}  // namespace equipoise
