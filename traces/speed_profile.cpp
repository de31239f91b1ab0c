// Reads profiles in CSV and in SimGrid's format.
#include "traces/speed_profile.hpp"

#include <fmt/format.h>

#include <sstream>

#include "shared_policies/model/failure.hpp"
#include "traces/csv_reader.hpp"

namespace equipoise {
namespace {

constexpr std::size_t most_steps = 100'000;

/// The words of a line that are separated by blanks.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

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

}  // namespace

SpeedProfile read_speed_profile(const std::string& path) {
  CsvReader reader(path);
  SpeedProfile profile;
  bool is_first = true;
  for (std::vector<std::string> fields; reader.next(fields);) {
    if (fields[0].starts_with('#')) continue;
    const std::string where = reader.where();
    const std::vector<std::string> words = words_of(fields[0]);
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

}  // namespace equipoise
