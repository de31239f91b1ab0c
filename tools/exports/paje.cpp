// Writes definitions, containers, and all changes of state in the order of time.
#include "tools/exports/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "tools/exports/run_marks.hpp"
#include "tools/report/colours.hpp"

namespace equipoise {
namespace {

/// The events of the format that are used here, by number, with their fields; those with blocks
/// name block and items, too.
constexpr std::array<std::pair<const char*, const char*>, 12> paje_events = {
    {{"PajeDefineContainerType", "Alias Type Name"},
     {"PajeDefineStateType", "Alias Type Name"},
     {"PajeDefineEventType", "Alias Type Name"},
     {"PajeDefineVariableType", "Alias Type Name Color"},
     {"PajeDefineEntityValue", "Alias Type Name Color"},
     {"PajeCreateContainer", "Time Alias Type Container Name"},
     {"PajeDestroyContainer", "Time Type Name"},
     {"PajePushState", "Time Type Container Value"},
     {"PajePushState", "Time Type Container Value Block Items"},
     {"PajePopState", "Time Type Container"},
     {"PajeNewEvent", "Time Type Container Value"},
     {"PajeSetVariable", "Time Type Container Value"}}};
constexpr std::size_t set_variable = 11;

/// The types of containers, states and events.
constexpr const char* paje_types = R"(0 run 0 Run
0 unit run Unit
1 copy_in unit "Copy in"
1 work unit "Work"
1 copy_out unit "Copy out"
2 of_run run "Event"
2 of_unit unit "Event"
)";

std::string paje_definitions() {
  std::string text;
  for (std::size_t number = 0; number < paje_events.size(); ++number) {
    const auto& [name, fields] = paje_events[number];
    text += fmt::format("%EventDef {} {}\n", name, number);
    std::istringstream words(fields);
    for (std::string field; words >> field;) {
      const bool is_number = field == "Value" && number == set_variable;
      text += fmt::format("%  {} {}\n", field,
                          field == "Time"    ? "date"
                          : field == "Color" ? "color"
                          : is_number        ? "double"
                                             : "string");
    }
    text += "%EndEventDef\n";
  }
  return text + paje_types;
}

constexpr std::array paje_lanes = {"copy_in", "work", "copy_out"};

/// A colour such as "#ff8000" as the format has it: "1.00 0.50 0.00".
std::string paje_colour(const char* css) {
  const std::string digits = css;
  const auto part = [&](std::size_t at) {
    return static_cast<double>(std::stoi(digits.substr(at, 2), nullptr, 16)) / 255.0;
  };
  return fmt::format("{:.2f} {:.2f} {:.2f}", part(1), part(3), part(5));
}

/// A text in quotation marks. The format has no escapes, so a quotation mark becomes an apostrophe.
std::string paje_text(std::string text) {
  std::ranges::replace(text, '"', '\'');
  return "\"" + text + "\"";
}

std::string paje_seconds(std::int64_t ns) {
  return fmt::format("{}.{:09}", ns / 1'000'000'000, ns % 1'000'000'000);
}

/// A line of the trace: the end or begin of a state, an event, or a value of a meter.
struct PajeLine {
  enum class Kind : std::uint8_t { pop, push, event, variable };

  std::int64_t at = 0;  ///< in ns
  Kind kind = Kind::pop;
  std::uint8_t activity = 0;  ///< of states
  std::uint32_t run = 0;
  std::uint32_t unit = 0;   ///< of states
  std::size_t number = 0;   ///< of an event or a value among all of its run
  std::uint64_t block = 0;  ///< of a begin
  Items items = 0;          ///< of that block; 0: there is none
};

class PajeTrace {
 public:
  PajeTrace(const std::vector<RunFile>& runs, ExportFile& out) : runs_(runs), out_(out) {}

  void put() {
    collect();
    std::ranges::stable_sort(lines_, [](const PajeLine& a, const PajeLine& b) {
      return a.at != b.at ? a.at < b.at : a.kind < b.kind;
    });
    define();
    for (const PajeLine& line : lines_) put(line);
    const std::string end = paje_seconds(lines_.empty() ? 0 : lines_.back().at);
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      for (std::uint32_t unit = 0; unit < runs_[run].run.units.size(); ++unit) {
        out_.put(fmt::format("6 {} unit r{}u{}\n", end, run, unit));
      }
      out_.put(fmt::format("6 {} run r{}\n", end, run));
    }
  }

 private:
  void collect() {
    using Kind = PajeLine::Kind;
    for (std::uint32_t run = 0; run < runs_.size(); ++run) {
      for_each_span(runs_[run], [&](const UnitSpan& span) {
        const std::int64_t begin = nanoseconds(span.begin);
        const std::int64_t end = nanoseconds(span.end);
        if (begin == end) return;
        const auto activity = static_cast<std::uint8_t>(span.activity);
        PajeLine line{begin, Kind::push, activity, run, span.unit.index};
        if (span.block != nullptr) {
          line.block = span.block->id;
          line.items = span.block->items;
        }
        lines_.push_back(line);
        lines_.push_back({end, Kind::pop, activity, run, span.unit.index});
      });
      marks_.push_back(marks_of(runs_[run]));
      values_.push_back(meter_values(runs_[run]));
      for (std::size_t i = 0; i < marks_[run].size(); ++i) {
        lines_.push_back({nanoseconds(marks_[run][i].at), Kind::event, 0, run, 0, i});
      }
      for (std::size_t i = 0; i < values_[run].size(); ++i) {
        const MeterValue& value = values_[run][i];
        lines_.push_back({nanoseconds(value.at), Kind::variable, 0, run, 0, i});
        meters_.try_emplace(value.name, meters_.size());
      }
    }
  }

  void define() {
    out_.put(paje_definitions());
    for (const auto& [name, number] : meters_) {
      out_.put(fmt::format("3 m{} run {} \"0.3 0.5 0.3\"\n", number, paje_text(name)));
    }
    for (std::size_t i = 0; i < activity_count; ++i) {
      const auto activity = static_cast<Activity>(i);
      out_.put(fmt::format("4 a{} {} \"{}\" \"{}\"\n", i,
                           paje_lanes[static_cast<std::size_t>(lane_of(activity))],
                           to_string(activity), paje_colour(colour_of(activity).light)));
    }
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      const RunFile& file = runs_[run];
      out_.put(fmt::format("5 0 r{} run 0 {}\n", run,
                           paje_text(fmt::format("{} on {} ({})", file.header.spelling,
                                                 file.header.on, file.path))));
      for (std::size_t unit = 0; unit < file.run.units.size(); ++unit) {
        out_.put(fmt::format("5 0 r{0}u{1} unit r{0} {2}\n", run, unit,
                             paje_text(file.run.units[unit].name)));
      }
    }
  }

  void put(const PajeLine& line) {
    const auto type = [&] {
      return paje_lanes[static_cast<std::size_t>(lane_of(static_cast<Activity>(line.activity)))];
    };
    switch (line.kind) {
      case PajeLine::Kind::pop:
        out_.put(
            fmt::format("9 {} {} r{}u{}\n", paje_seconds(line.at), type(), line.run, line.unit));
        break;
      case PajeLine::Kind::push:
        out_.put(fmt::format("{} {} {} r{}u{} a{}", line.items == 0 ? 7 : 8, paje_seconds(line.at),
                             type(), line.run, line.unit, line.activity));
        out_.put(line.items == 0 ? "\n" : fmt::format(" {} {}\n", line.block, line.items));
        break;
      case PajeLine::Kind::event:
        put(line, marks_[line.run][line.number]);
        break;
      case PajeLine::Kind::variable:
        const MeterValue& value = values_[line.run][line.number];
        out_.put(fmt::format("11 {} m{} r{} {}\n", paje_seconds(line.at), meters_.at(value.name),
                             line.run, value.value));
        break;
    }
  }

  void put(const PajeLine& line, const RunMark& mark) {
    const std::string value =
        paje_text(mark.what + (mark.details.empty() ? "" : ": " + mark.details));
    out_.put(mark.unit
                 ? fmt::format("10 {} of_unit r{}u{} {}\n", paje_seconds(line.at), line.run,
                               mark.unit->index, value)
                 : fmt::format("10 {} of_run r{} {}\n", paje_seconds(line.at), line.run, value));
  }

  const std::vector<RunFile>& runs_;
  ExportFile& out_;
  std::vector<PajeLine> lines_;
  std::vector<std::vector<RunMark>> marks_;      ///< by run
  std::vector<std::vector<MeterValue>> values_;  ///< by run
  std::map<std::string, std::size_t> meters_;    ///< their numbers
};

}  // namespace

void put_paje(const std::vector<RunFile>& runs, ExportFile& out) { PajeTrace(runs, out).put(); }

}  // namespace equipoise
