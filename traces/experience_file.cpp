// The format of experience files, and which of their entries a run may use.
#include "traces/experience_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/run/experience_journal.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

constexpr const char* schema = "equipoise.experience/1";
constexpr double fresh_uncertainty = 0.05;
constexpr double month_uncertainty = 0.14;  // 15 % after a month, together with the fresh one
constexpr double other_uncertainty = 1.0;   // another machine

constexpr int most_runs = std::numeric_limits<int>::max();

void check_ascending(const std::vector<LearnedSize>& sizes, const std::string& where) {
  const auto not_above = [](const LearnedSize& a, const LearnedSize& b) {
    return b.items <= a.items;
  };
  if (std::ranges::adjacent_find(sizes, not_above) == sizes.end()) return;
  throw InputError(where, "sizes must ascend");
}

ExperienceEntry entry_of(const JsonValue& value, const std::string& path) {
  auto entry = record_of<ExperienceEntry>(value, path, "an entry", {.is_strict = true});
  check_cost(entry.cost, JsonField(value, path, "an entry").where());
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

double uncertainty_of(const ExperienceEntry& entry, const RunPlace& place) {
  const auto days =
      static_cast<double>(std::max<std::int64_t>((place.today - entry.date).count(), 0));
  return std::hypot(fresh_uncertainty, month_uncertainty * std::sqrt(days / 30.0),
                    entry.machine != place.machine ? other_uncertainty : 0.0);
}

Experience known_before(const ExperienceFile& file, const std::vector<Workload>& phases,
                        const std::vector<Unit>& units, const RunPlace& place) {
  Experience known;
  for (const Workload& workload : phases) {
    auto& of_phase = known.emplace_back(units.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
      for (const ExperienceEntry& entry : file.entries) {
        if (!is_of(entry, workload, units[i]) || entry.model != units[i].model) continue;
        LearnedCost cost = within(entry.cost, workload);
        if (cost.empty()) continue;
        cost.uncertainty = uncertainty_of(entry, place);
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
      if (entry->model != unit.model) {
        entry->cost = {};
        entry->runs = 0;
      }
      LearnedCost before = entry->cost;
      before.uncertainty = entry->runs == 0 ? 0.0 : uncertainty_of(*entry, place);
      entry->cost = with_new_run(before, *cost);
      entry->cost.uncertainty = 0.0;
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
    text += &entry == file.entries.data() ? "\n" : ",\n";
    text += line_of(json_of(entry));
  }
  return text + "\n]}\n";
}

void check_cost(const LearnedCost& cost, const std::string& where) {
  check_ascending(cost.alone, where);
  check_ascending(cost.queued, where);
  if (!cost.empty()) return;
  throw InputError(where, "a cost without times; remove what it belongs to");
}

}  // namespace equipoise
