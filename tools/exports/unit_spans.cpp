// Walks through the records of a run, as shared_policies/run/losses.cpp does.
#include "tools/exports/unit_spans.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <variant>

#include "shared_policies/model/overload.hpp"
#include "shared_policies/run/journal.hpp"

namespace equipoise {
namespace {

/// Tells the spans of a run, record by record.
class SpanTeller {
 public:
  SpanTeller(const RecordedRun& run, const std::function<void(const UnitSpan&)>& take)
      : take_(take), units_(run.units.size()) {
    for (const UnitId unit : run.absent_at_start) units_[unit.index].is_absent = true;
  }

  void operator()(const BlockRecord& r) {
    UnitTime& unit = units_[r.unit.index];
    const StageTimes begins = without_empty_stages(r.begins, r.times, r.end);
    const Seconds told = r.after_events == 0 || r.after_events > events_.size()
                             ? Seconds{}
                             : events_[r.after_events - 1];
    const Activity others = unit.is_trained ? Activity::wait_training : Activity::wait_barrier;
    wait(r.unit, std::min({told, r.assigned, begins.setup}), others);
    wait(r.unit, begins.setup, Activity::wait_control);
    const auto stage = [&](Activity activity, Seconds begin, Seconds time) {
      tell({r.unit, activity, begin, begin + time, &r.block, r.assigned});
    };
    const bool is_training = r.block.tag == BlockTag::train;
    stage(Activity::setup, begins.setup, r.times.setup);
    stage(Activity::copy_in, begins.in, r.times.in);
    stage(is_training ? Activity::compute_train : Activity::compute, begins.compute,
          r.times.compute);
    stage(Activity::copy_out, begins.out, r.times.out);
    unit.at = std::max(unit.at, r.end);
    unit.is_trained = is_training;
    events_.push_back(r.end);
  }

  void operator()(const EventRecord& r) {
    std::visit(
        Overload{
            [&](const IterationBegin&) {
              wait_all(r.at, any_iteration_ ? Activity::wait_barrier : Activity::wait_control);
              any_iteration_ = true;
            },
            [&](const LostBlock& lost) {
              if (lost.by == LostBy::unit) return tell_open(lost, Activity::lost, r.at);
              if (lost.goes_on) units_[lost.unit.index].going_on.push_back(&lost);
            },
            [&](const LateEnd& late) { tell_late(late, r.at); },
            [&](const UnfinishedBlock& left) { tell_open(left, Activity::unfinished, r.at); },
            [&](const UnitLost& lost) {  // the events of its blocks follow
              units_[lost.unit.index].is_absent = true;
              units_[lost.unit.index].absent_since = r.at;
              for (const LostBlock* const block : units_[lost.unit.index].going_on) {
                tell_open(*block, Activity::redone, r.at);
              }
              units_[lost.unit.index].going_on.clear();
            },
            [&](const UnitJoined& joined) {
              wait(joined.unit, r.at, Activity::wait_barrier);
              units_[joined.unit.index].is_absent = false;
            },
            [](const OneOf<ProbeBegin, Probed, TimerEnd, PolicyStall, Disturbance, Note> auto&) {}},
        r.what);
    if (is_counted(r.what)) events_.push_back(r.at);
  }

  void operator()(const DecisionRecord&) const {}
  void operator()(const Measured&) const {}

  void end_at(Seconds end) {
    for (UnitTime& unit : units_) {
      for (const LostBlock* const block : unit.going_on) tell_open(*block, Activity::redone, end);
    }
    wait_all(end, Activity::wait_tail);
  }

 private:
  /// A unit at one point of the run.
  struct UnitTime {
    Seconds at;                               ///< up to here it is known what the unit did
    std::array<Seconds, lane_count> told_to;  ///< end of the latest span in each lane
    Seconds absent_since;
    bool is_absent = false;
    bool is_trained = false;  ///< whether its last block was one of training
    std::vector<const LostBlock*> going_on{};
  };

  /// A block that was handed out and not accepted.
  template <class Handed>
  void tell_open(const Handed& of, Activity end, Seconds at) {
    UnitTime& unit = units_[of.unit.index];
    wait(of.unit, of.assigned, Activity::wait_barrier);
    tell({of.unit, end, std::max(unit.at, of.assigned), at, &of.block, of.assigned});
    unit.at = std::max(unit.at, at);
  }

  /// A lost block that went on has ended.
  void tell_late(const LateEnd& late, Seconds at) {
    UnitTime& unit = units_[late.unit.index];
    const auto is_it = [&](const LostBlock* lost) { return lost->block.id == late.block.id; };
    std::erase_if(unit.going_on, is_it);
    const Seconds begin = without_empty_stages(late.begins, late.times, at).setup;
    wait(late.unit, begin, Activity::wait_control);
    tell({late.unit, Activity::redone, begin, at, &late.block, late.assigned});
    unit.at = std::max(unit.at, at);
    unit.is_trained = false;
  }

  void tell(UnitSpan span) {
    Seconds& told_to =
        units_[span.unit.index].told_to[static_cast<std::size_t>(lane_of(span.activity))];
    span.begin = std::max(span.begin, told_to);
    if (span.end <= span.begin) return;
    told_to = span.end;
    take_(span);
  }

  /// The unit does nothing up to `until`: it waits or, as long as it is absent, is not there.
  void wait(UnitId unit, Seconds until, Activity why) {
    const UnitTime& time = units_[unit.index];
    rest(unit, time.is_absent ? std::min(until, time.absent_since) : until, why);
    rest(unit, until, Activity::absent);
  }

  void rest(UnitId unit, Seconds until, Activity activity) {
    Seconds& at = units_[unit.index].at;
    if (until <= at) return;
    tell({unit, activity, at, until, nullptr, {}});
    at = until;
  }

  void wait_all(Seconds until, Activity why) {
    for (std::uint32_t i = 0; i < units_.size(); ++i) {
      wait(UnitId{i}, until, why);
      units_[i].is_trained = false;
    }
  }

  const std::function<void(const UnitSpan&)>& take_;
  std::vector<UnitTime> units_;
  std::vector<Seconds> events_;  ///< the times of all counted events
  bool any_iteration_ = false;
};

struct EndOfRecord {
  Seconds operator()(const BlockRecord& r) const { return r.end; }
  Seconds operator()(const DecisionRecord& r) const { return r.end; }
  Seconds operator()(const EventRecord& r) const { return r.at; }
  Seconds operator()(const Measured& r) const { return r.at; }
};

class MarkOfRecord {
 public:
  explicit MarkOfRecord(const std::vector<Unit>& units) : units_(units) {}

  std::optional<RunMark> operator()(const BlockRecord&) const { return std::nullopt; }
  std::optional<RunMark> operator()(const Measured&) const { return std::nullopt; }
  std::optional<RunMark> operator()(const DecisionRecord& r) const {
    std::string sizes;
    for (const UnitEstimate& one : r.decision.estimates) {
      sizes += fmt::format("{}{} {}", sizes.empty() ? "" : ", ", units_[one.unit.index].name,
                           one.block_items);
    }
    return RunMark{r.at,
                   r.end,
                   r.decision.unit,
                   std::string(decision_word(r.decision.what)),
                   sizes.empty() ? "" : "block sizes in items: " + sizes,
                   MarkKind::decision,
                   r.decision.is(DecisionKind::unit_joined)};
  }
  std::optional<RunMark> operator()(const EventRecord& r) const {
    const Block* const block = block_of(r.what);
    RunMark mark{
        r.at, r.at, unit_of(r.what), std::string(word_of(r.what)),
        block == nullptr ? "" : fmt::format("block {}, {} items", block->id, block->items)};
    mark.is_about_join = std::holds_alternative<UnitJoined>(r.what);
    const auto as = [&](MarkKind kind) {
      mark.kind = kind;
      return std::optional(mark);
    };
    return std::visit(
        Overload{[&](const IterationBegin&) { return as(MarkKind::iteration); },
                 [&](const OneOf<UnitLost, PolicyStall> auto&) { return as(MarkKind::trouble); },
                 [&](const LostBlock& lost) {
                   if (lost.by == LostBy::unit) return as(MarkKind::trouble);
                   mark.details += lost.by == LostBy::copy ? ", a copy was first" : ", taken back";
                   return as(MarkKind::dropped);
                 },
                 [&](const OneOf<LateEnd, UnitJoined, TimerEnd, Note> auto&) {
                   return as(MarkKind::other);
                 },
                 [&](const Probed& probed) {
                   mark.details = words_of(probed);
                   return as(MarkKind::other);
                 },
                 [this](const Disturbance& disturbance) { return mark_of(disturbance); },
                 [](const OneOf<UnfinishedBlock, ProbeBegin> auto&) {
                   return std::optional<RunMark>();
                 }},
        r.what);
  }

 private:
  static std::string words_of(const Probed& probed) {
    const Probe& probe = probed.probe;
    const auto took = [](double bytes, Seconds time) {
      return fmt::format("{} bytes in {:.3g} s", bytes, time.value);
    };
    if (!probed.times) return "without an answer";
    std::string text = took(probe.there_bytes, probed.times->there);
    if (probe.back_bytes) text += ", back " + took(*probe.back_bytes, probed.times->back);
    return text;
  }

  [[nodiscard]] std::optional<RunMark> mark_of(const Disturbance& d) const {
    RunMark mark{d.at, d.until, {}, to_string(d.kind), {}, MarkKind::trouble};
    for (std::uint32_t i = 0; i < units_.size(); ++i) {
      if (d.kind != DisturbanceKind::bandwidth && units_[i].name == d.target) mark.unit = UnitId{i};
    }
    if (!mark.unit) mark.details = "link " + d.target;
    const bool has_share = d.kind == DisturbanceKind::compete;
    if (has_share || d.kind == DisturbanceKind::slow || d.kind == DisturbanceKind::bandwidth) {
      mark.details += fmt::format("{}{} {}", mark.details.empty() ? "" : ", ",
                                  has_share ? "share" : "factor", d.amount);
    }
    return mark;
  }

  const std::vector<Unit>& units_;
};

}  // namespace

const char* to_string(Activity activity) {
  switch (activity) {
    case Activity::setup:
      return "setup";
    case Activity::copy_in:
      return "copy in";
    case Activity::compute:
      return "compute";
    case Activity::compute_train:
      return "compute (training)";
    case Activity::copy_out:
      return "copy out";
    case Activity::lost:
      return "lost";
    case Activity::unfinished:
      return "unfinished";
    case Activity::redone:
      return "redone";
    case Activity::absent:
      return "absent";
    case Activity::wait_training:
      return "waiting for other units in training";
    case Activity::wait_barrier:
      return "waiting for other units";
    case Activity::wait_control:
      return "waiting for the controller";
    case Activity::wait_tail:
      return "waiting for the end of the run";
  }
  return "";
}

Lane lane_of(Activity activity) {
  if (activity == Activity::setup || activity == Activity::copy_in) return Lane::copy_in;
  return activity == Activity::copy_out ? Lane::copy_out : Lane::compute;
}

void for_each_span(const RunFile& file, const std::function<void(const UnitSpan&)>& take) {
  SpanTeller teller(file.run, take);
  for (const RecordedLine& line : file.run.lines) std::visit(teller, line.what);
  teller.end_at(end_of_run(file));
}

std::vector<bool> overlaps(const RunFile& file) {
  std::vector<bool> overlaps(file.run.units.size());
  std::vector<std::int64_t> ends(file.run.units.size());
  for_each_span(file, [&](const UnitSpan& span) {
    if (nanoseconds(span.begin) < ends[span.unit.index]) overlaps[span.unit.index] = true;
    ends[span.unit.index] = std::max(ends[span.unit.index], nanoseconds(span.end));
  });
  return overlaps;
}

std::int64_t nanoseconds(Seconds time) {
  constexpr double most_s = 9e9;
  return static_cast<std::int64_t>(std::llround(std::min(time.value, most_s) * 1e9));
}

Seconds end_of_run(const RunFile& file) {
  if (file.summary) return file.summary->numbers.makespan;
  Seconds end;
  for (const RecordedLine& line : file.run.lines) {
    end = std::max(end, std::visit(EndOfRecord{}, line.what));
  }
  return end;
}

std::vector<MeterValue> meter_values(const RunFile& file) {
  std::vector<MeterValue> values;
  std::map<std::string, Measured> energy;  // the latest reading, by domain
  for (const RecordedLine& line : file.run.lines) {
    const auto* const reading = std::get_if<Measured>(&line.what);
    if (reading == nullptr || reading->domain == policy_domain) continue;
    if (reading->what != "energy_j") {
      values.push_back({reading->at, reading->domain + " " + reading->what, reading->value});
      continue;
    }
    const auto [before, is_first] = energy.try_emplace(reading->domain, *reading);
    if (is_first || reading->at <= before->second.at) continue;
    values.push_back(
        {reading->at, reading->domain + " power (W)",
         (reading->value - before->second.value) / (reading->at - before->second.at).value});
    before->second = *reading;
  }
  return values;
}

std::vector<RunMark> marks_of(const RunFile& file) {
  std::vector<RunMark> marks;
  for (const RecordedLine& line : file.run.lines) {
    if (auto mark = std::visit(MarkOfRecord(file.run.units), line.what)) {
      marks.push_back(std::move(*mark));
    }
  }
  return marks;
}

}  // namespace equipoise
