// Walks along the time of each unit, record by record.
#include "shared_policies/run/unit_spans.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "shared_policies/model/overload.hpp"

namespace equipoise {
namespace {

constexpr std::size_t most_event_times = 65'536;

bool is_waiting(Activity activity) { return activity >= Activity::wait_training; }

/// Tells the spans of a run for a picture.
class SpanTeller {
 public:
  SpanTeller(const RecordedRun& run, const UnitWalk::Take& take)
      : take_(take),
        walk_(run.units.size(), run.absent_at_start),
        told_to_(run.units.size()),
        rest_([this](const UnitSpan& span) { tell_rest(span); }) {}

  void operator()(const BlockRecord& r) {
    walk_.block(r, [&](UnitSpan span) {
      if (!is_waiting(span.activity)) return;
      span.end = std::min(span.end, r.begins.setup);
      tell_rest(span);
    });
    const auto stage = [&](Activity activity, Seconds begin, Seconds time) {
      tell({r.unit, activity, begin, begin + time, &r.block, nullptr, r.assigned});
    };
    const bool is_training = r.block.tag == BlockTag::train;
    stage(Activity::setup, r.begins.setup, r.times.setup);
    stage(Activity::copy_in, r.begins.in, r.times.in);
    stage(is_training ? Activity::compute_train : Activity::compute, r.begins.compute,
          r.times.compute);
    stage(Activity::copy_out, r.begins.out, r.times.out);
  }
  void operator()(const EventRecord& r) { walk_.event(r, rest_); }
  void operator()(const DecisionRecord& /*r*/) const {}
  void operator()(const Measured& /*r*/) const {}

  void end_at(Seconds end) { walk_.end(end, rest_); }

 private:
  using ToldTo = std::array<Seconds, lane_count>;  ///< end of the latest span in each lane

  /// What is not drawn as a stage. Before a block was assigned, the unit did not do it.
  void tell_rest(UnitSpan span) {
    if (span.activity == Activity::copy_out) return;
    const ToldTo& told_to = told_to_[span.unit.index];
    span.begin = std::max(span.begin, *std::ranges::max_element(told_to));
    if (span.block != nullptr && span.assigned > span.begin) {
      const Seconds assigned = std::min(span.assigned, span.end);
      tell({span.unit, Activity::wait_barrier, span.begin, assigned});
      span.begin = assigned;
    }
    tell(span);
  }

  void tell(UnitSpan span) {
    Seconds& told_to = told_to_[span.unit.index][static_cast<std::size_t>(lane_of(span.activity))];
    span.begin = std::max(span.begin, told_to);
    if (span.end <= span.begin) return;
    told_to = span.end;
    take_(span);
  }

  const UnitWalk::Take& take_;
  UnitWalk walk_;
  std::vector<ToldTo> told_to_;  ///< (units)
  UnitWalk::Take rest_;
};

}  // namespace

const char* to_string(Activity activity) {
  constexpr std::array<const char*, activity_count> words = {"setup",
                                                             "copy in",
                                                             "compute",
                                                             "compute (training)",
                                                             "copy out",
                                                             "lost",
                                                             "unfinished",
                                                             "redone",
                                                             "absent",
                                                             "waiting for other units in training",
                                                             "waiting for other units",
                                                             "waiting for the controller",
                                                             "waiting for the end of the run"};
  return words[static_cast<std::size_t>(activity)];
}

Lane lane_of(Activity activity) {
  if (activity == Activity::setup || activity == Activity::copy_in) return Lane::copy_in;
  return activity == Activity::copy_out ? Lane::copy_out : Lane::compute;
}

UnitWalk::UnitWalk(std::size_t units, const std::vector<UnitId>& absent_at_start,
                   bool repeats_blocks)
    : repeats_blocks_(repeats_blocks), units_(units) {
  for (const UnitId unit : absent_at_start) units_[unit.index].is_absent = true;
}

void UnitWalk::spend(UnitId unit, Seconds until, UnitSpan what, const Take& take) {
  Seconds& at = units_[unit.index].at;
  if (until <= at) return;
  what.unit = unit;
  what.begin = std::exchange(at, until);
  what.end = until;
  take(what);
}

Activity UnitWalk::wait_after_block(UnitId unit) const {
  return units_[unit.index].is_trained ? Activity::wait_training : Activity::wait_barrier;
}

/// Divides the time up to the block's computation.
void UnitWalk::wait_for_block(const BlockRecord& record, const Take& take) {
  const StageTimes& begins = record.begins;
  const StageTimes& times = record.times;
  const auto until = [&](Seconds end, Activity what) {
    spend(record.unit, std::min(end, begins.compute),
          {.activity = what, .next = &record.block, .assigned = record.assigned}, take);
  };
  const Seconds told =
      repeats_blocks_ ? record.assigned : time_of_event(record.node, record.after_events);
  until(units_[record.unit.index].out_until, Activity::copy_out);
  until(std::min(told, record.assigned), wait_after_block(record.unit));
  until(begins.setup, Activity::wait_control);
  until(begins.setup + times.setup, Activity::setup);
  until(begins.in, Activity::wait_control);
  until(begins.in + times.in, Activity::copy_in);
  until(begins.compute, Activity::wait_control);
}

void UnitWalk::block(const BlockRecord& record, const Take& take) {
  wait_for_block(record, take);
  UnitTime& unit = units_[record.unit.index];
  spend(record.unit, std::min(record.begins.compute + record.times.compute, record.end),
        {.activity = Activity::compute, .block = &record.block, .assigned = record.assigned}, take);
  unit.out_until = record.end;
  unit.is_trained = record.block.tag == BlockTag::train;
  count_event(record.node, record.end);
}

void UnitWalk::event(const EventRecord& record, const Take& take) {
  const auto end_block = [&]<class Handed>(const Handed& of, Activity activity, bool is_lost) {
    spend(of.unit, record.at,
          {.activity = activity,
           .block = &of.block,
           .assigned = of.assigned,
           .is_before_loss = is_lost},
          take);
    units_[of.unit.index].is_trained = false;
  };
  std::visit(
      Overload{
          [&](const IterationBegin&) {
            rest_all(record.at, any_iteration_ ? Activity::wait_barrier : Activity::wait_control,
                     take);
            any_iteration_ = true;
          },
          [&](const LostBlock& lost) {
            if (lost.by == LostBy::unit) return end_block(lost, Activity::lost, true);
            if (lost.goes_on) {
              units_[lost.unit.index].going_on.push_back({lost.block, lost.assigned});
            }
          },
          [&](const LateEnd& late) {
            const Seconds begin = without_empty_stages(late.begins, late.times, record.at).setup;
            spend(late.unit, begin, {.activity = wait_after_block(late.unit)}, take);
            end_block(late, Activity::redone, false);
            std::erase_if(units_[late.unit.index].going_on,
                          [&](const GoingOn& of) { return of.block.id == late.block.id; });
          },
          [&](const UnfinishedBlock& left) { end_block(left, Activity::unfinished, false); },
          [&](const UnitLost& lost) {  // the events of its blocks follow
            UnitTime& unit = units_[lost.unit.index];
            for (const GoingOn& of : unit.going_on) {
              spend(lost.unit, record.at,
                    {.activity = Activity::redone,
                     .block = &of.block,
                     .assigned = of.assigned,
                     .is_before_loss = true},
                    take);
            }
            unit.going_on.clear();
            unit.is_absent = true;
            unit.absent_since = record.at;
            unit.is_trained = false;
          },
          [&](const UnitJoined& joined) {
            UnitTime& unit = units_[joined.unit.index];
            unit.is_absent = true;
            rest(joined.unit, record.at, Activity::wait_barrier, take);
            unit.is_absent = unit.is_trained = false;
          },
          [](const OneOf<ProbeBegin, Probed, TimerEnd, PolicyStall, Disturbance, Note> auto&) {}},
      record.what);
  if (is_counted(record.what)) count_event(record.node, record.at);
}

void UnitWalk::rest(UnitId unit, Seconds until, Activity why, const Take& take) {
  const UnitTime& time = units_[unit.index];
  if (time.is_absent) {
    spend(unit, std::min(until, time.absent_since),
          {.activity = why, .assigned = until, .is_before_loss = true}, take);
    return spend(unit, until, {.activity = Activity::absent}, take);
  }
  spend(unit, std::min(until, time.out_until), {.activity = Activity::copy_out}, take);
  if (time.going_on.empty()) {
    return spend(unit, until, {.activity = why, .assigned = until}, take);
  }
  const GoingOn& of = time.going_on.front();
  spend(unit, until, {.activity = Activity::redone, .block = &of.block, .assigned = of.assigned},
        take);
}

void UnitWalk::rest_all(Seconds until, Activity why, const Take& take) {
  for (std::uint32_t i = 0; i < units_.size(); ++i) {
    rest(UnitId{i}, until, why, take);
    units_[i].out_until = until;
    units_[i].is_trained = false;
  }
}

void UnitWalk::end(Seconds at, const Take& take) { rest_all(at, Activity::wait_tail, take); }

void UnitWalk::count_event(std::optional<UnitId> node, Seconds at) {
  Events& events = events_[node];
  if (events.times.size() < most_event_times) {
    events.times.push_back(at);
  } else {
    events.times[events.count % most_event_times] = at;
  }
  ++events.count;
}

/// The time of event `number` of a run loop, counted from 1; 0 if there is none or it is too long
/// ago.
Seconds UnitWalk::time_of_event(std::optional<UnitId> node, std::uint64_t number) const {
  const auto found = events_.find(node);
  if (found == events_.end()) return {};
  const auto& [times, count] = found->second;
  if (number == 0 || number > count || count - number >= times.size()) return {};
  return times[(number - 1) % most_event_times];
}

void for_each_span(const RecordedRun& run, Seconds end, const UnitWalk::Take& take) {
  SpanTeller teller(run, take);
  for (const RecordedLine& line : run.lines) std::visit(teller, line.what);
  teller.end_at(end);
}

Seconds latest_time(const RecordedRun& run) {
  Seconds latest;
  for (const RecordedLine& line : run.lines) {
    latest = std::max(latest, std::visit(Overload{[](const BlockRecord& r) { return r.end; },
                                                  [](const DecisionRecord& r) { return r.end; },
                                                  [](const auto& r) { return r.at; }},
                                         line.what));
  }
  return latest;
}

}  // namespace equipoise
