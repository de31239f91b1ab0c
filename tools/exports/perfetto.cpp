// Writes trace events: metadata, complete slices, instants and counters. They are formatted one by
// one as they go into the file, because a run has millions of them, and their times are decimals of
// nanoseconds, which no double is.
#include "tools/exports/formats.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tools/exports/run_marks.hpp"
#include "traces/json_document.hpp"

namespace equipoise {
namespace {

constexpr int policy_track = 1;
constexpr std::array lane_names = {"copy in", "compute", "copy out"};

/// Nanoseconds as microseconds.
std::string microseconds(std::int64_t ns) {
  return ns % 1000 == 0 ? fmt::format("{}", ns / 1000)
                        : fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

/// Writes the events of one run.
class TraceEvents {
 public:
  TraceEvents(const RunFile& file, int process, ExportFile& out)
      : file_(file), process_(process), out_(out), overlaps_(overlaps(file)) {}

  void name_process() {
    const RunHeader& h = file_.header;
    metadata("process_name", policy_track,
             fmt::format("{} on {} ({})", h.spelling, h.on, file_.path), true);
    metadata("thread_name", policy_track, "policy", false);
    sort(policy_track);
  }

  void name_tracks() {
    for (std::uint32_t i = 0; i < file_.run.units.size(); ++i) {
      const std::string& name = file_.run.units[i].name;
      name_track(UnitId{i}, Lane::compute, name);
      if (!overlaps_[i]) continue;
      for (const Lane lane : {Lane::copy_in, Lane::copy_out}) {
        name_track(UnitId{i}, lane, name + " " + lane_names[static_cast<std::size_t>(lane)]);
      }
    }
  }

  void slice(const UnitSpan& span) {
    const std::int64_t begin = nanoseconds(span.begin);
    const std::int64_t end = nanoseconds(span.end);
    if (end == begin) return;
    put(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"{}","cat":"{}")",
                    process_, track(span.unit, lane_of(span.activity)), microseconds(begin),
                    microseconds(end - begin), to_string(span.activity),
                    span.block == nullptr ? "unit" : "block"));
    if (const Block* const b = span.block) {
      const bool knows_first = span.activity != Activity::lost &&
                               span.activity != Activity::unfinished &&
                               span.activity != Activity::redone;
      out_.put(fmt::format(
          R"(,"args":{{"block":{},"items":{}{},"phase":{},"iteration":{},"tag":"{}","assigned_s":{}}})",
          b->id, b->items, knows_first ? fmt::format(R"(,"first_item":{})", b->first) : "",
          b->phase, b->iteration, to_string(b->tag), span.assigned.value));
    }
    out_.put("}");
  }

  void mark(const RunMark& mark) {
    const std::int64_t at = nanoseconds(mark.at);
    const bool is_decision = mark.kind == MarkKind::decision;
    const int on = mark.unit && !is_decision ? track(*mark.unit, Lane::compute) : policy_track;
    const std::int64_t took = is_decision ? nanoseconds(mark.until) - at : 0;
    const std::string shape =
        took > 0 ? fmt::format(R"("ph":"X","dur":{})", microseconds(took)) : R"("ph":"i","s":"t")";
    put(fmt::format(R"({{{},"pid":{},"tid":{},"ts":{},"name":{},"cat":"{}","args":{{)", shape,
                    process_, on, microseconds(at), json_string(mark.what),
                    is_decision ? "decision" : "event"));
    const char* separator = "";
    const auto argument = [&](const char* name, const std::string& value) {
      out_.put(fmt::format(R"({}"{}":{})", separator, name, value));
      separator = ",";
    };
    if (!mark.details.empty()) argument("details", json_string(mark.details));
    if (is_decision) {
      argument("by", json_string(mark.unit ? file_.run.units[mark.unit->index].name : "master"));
    } else if (mark.until > mark.at && mark.until < Seconds::infinity()) {
      argument("until_s", fmt::format("{}", mark.until.value));
    }
    out_.put("}}");
  }

  void counter(const MeterValue& value) {
    put(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":{},"args":{{"value":{}}}}})", process_,
                    microseconds(nanoseconds(value.at)), json_string(value.name), value.value));
  }

 private:
  [[nodiscard]] int track(UnitId unit, Lane lane) const {
    const int first =
        policy_track + 1 + static_cast<int>(unit.index) * static_cast<int>(lane_count);
    return !overlaps_[unit.index] || lane == Lane::compute ? first
           : lane == Lane::copy_in                         ? first + 1
                                                           : first + 2;
  }

  void name_track(UnitId unit, Lane lane, const std::string& name) {
    metadata("thread_name", track(unit, lane), name, false);
    sort(track(unit, lane));
  }

  void sort(int track) {
    put(fmt::format(
        R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
        process_, track, track));
  }

  void metadata(const char* what, int track, const std::string& name, bool is_first) {
    put(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"name":{}}}}})", process_,
                    track, what, json_string(name)),
        is_first && process_ == 1);
  }

  void put(const std::string& event, bool is_first = false) {
    out_.put(is_first ? "\n" : ",\n");
    out_.put(event);
  }

  const RunFile& file_;
  int process_;
  ExportFile& out_;
  std::vector<bool> overlaps_;
};

}  // namespace

void begin_trace_events(ExportFile& out) { out.put(R"({"displayTimeUnit":"ms","traceEvents":[)"); }

void put_trace_events(const RunFile& file, int number, ExportFile& out) {
  TraceEvents events(file, number, out);
  events.name_process();
  events.name_tracks();
  for_each_span(file, [&](const UnitSpan& span) { events.slice(span); });
  for (const RunMark& mark : marks_of(file)) events.mark(mark);
  for (const MeterValue& value : meter_values(file)) events.counter(value);
}

void end_trace_events(ExportFile& out) { out.put("\n]}\n"); }

}  // namespace equipoise
