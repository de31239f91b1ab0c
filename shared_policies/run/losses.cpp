// Walks along the time of each unit and gives every part of it a cause.
#include "shared_policies/run/losses.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/overload.hpp"

namespace equipoise {
namespace {

constexpr std::size_t most_event_times = 65'536;
/// Copies that take no more than this share longer than alone were not delayed.
constexpr double rounding = 1e-9;

/// Takes `amount` from `causes` in proportion, as far as they go; returns what is left of it.
template <class Causes>
Seconds take(Losses& losses, const Causes& causes, Seconds amount) {
  Seconds there;
  for (const auto cause : causes) there += losses.*cause;
  if (!(there > Seconds{})) return amount;
  const double left = amount < there ? 1.0 - amount / there : 0.0;
  for (const auto cause : causes) losses.*cause = left * losses.*cause;
  return amount < there ? Seconds{} : amount - there;
}

/// The share of a copy of `time` in which it was delayed.
double delayed_share(Seconds time, Seconds alone) {
  if (!(time > Seconds{})) return 0.0;
  const double share = 1.0 - alone / time;
  return share > rounding ? share : 0.0;
}

}  // namespace

Seconds total(const Losses& losses) {
  Seconds sum;
  for (const LossCause& cause : loss_causes) sum += losses.*cause.member;
  return sum;
}

void add(Losses& sum, double factor, const Losses& losses) {
  for (const LossCause& cause : loss_causes) {
    sum.*cause.member += factor * (losses.*cause.member);
  }
  sum.longest_setup += factor * losses.longest_setup;
  sum.merging += factor * losses.merging;
  sum.without_unused += factor * losses.without_unused;
  sum.without_dropped += factor * losses.without_dropped;
}

Losses over_bound(const Losses& losses, Seconds bound) {
  Losses over = losses;
  const Seconds merging = std::min({losses.merging, losses.barrier, bound});
  over.barrier = losses.barrier - merging;
  bound = bound - merging;
  over.computing = losses.computing - bound;
  if (over.computing >= Seconds{}) {
    over.unused = std::min(losses.without_unused, over.computing);
    over.computing = over.computing - over.unused;
    const Seconds in_vain = std::min(losses.without_dropped, over.computing);
    over.redone += in_vain;
    over.computing = over.computing - in_vain;
    return over;
  }
  over.computing = Seconds{};
  Seconds unavoidable = bound - losses.computing;
  unavoidable = take(over, std::array{&Losses::link, &Losses::copies}, unavoidable);
  std::vector<Seconds Losses::*> all;
  for (const LossCause& cause : loss_causes) all.push_back(cause.member);
  unavoidable = take(over, all, unavoidable);
  over.computing = Seconds{} - unavoidable;
  return over;
}

LossAccount::LossAccount(const std::vector<Unit>& units, CopyTimesAlone alone, bool repeats_blocks)
    : alone_(std::move(alone)), repeats_blocks_(repeats_blocks) {
  std::map<std::string, std::size_t> on_device;
  for (const Unit& unit : units) ++on_device[device_of(unit)];
  for (const Unit& unit : units) {
    const std::string device = device_of(unit);
    account_.units.emplace_back().shares_device = !device.empty() && on_device[device] > 1;
  }
}

/// Gives the time up to `until` to `cause`.
void LossAccount::UnitTime::spend(Seconds until, Seconds Losses::*cause) {
  if (until <= at) return;
  spent.*cause += until - at;
  at = until;
}

/// Gives the time up to `until` to copies, of which the share `delayed` counts as `link`.
void LossAccount::UnitTime::copy(Seconds until, double delayed, bool is_setup) {
  if (until <= at) return;
  const Seconds span = until - at;
  spent.link += delayed * span;
  spent.copies += (1.0 - delayed) * span;
  if (is_setup) setup += span;
  at = until;
}

/// Gives the time up to `until` to absence.
void LossAccount::UnitTime::stay_away(Seconds until) {
  if (until <= at) return;
  absent += until - at;
  at = until;
}

/// Divides the time up to the block's computation. `told`: when the event came after which the
/// block was given; `alone`: the times of its copies alone.
void LossAccount::UnitTime::wait(const BlockRecord& record, Seconds told, const StageTimes& alone) {
  const StageTimes& begins = record.begins;
  const StageTimes& times = record.times;
  const auto until = [&](Seconds end) { return std::min(end, begins.compute); };
  copy(until(out_until), out_delayed);
  spend(until(std::min(told, record.assigned)), is_trained ? &Losses::training : &Losses::barrier);
  spend(until(record.assigned), &Losses::controller);
  const auto delay = shares_device ? &Losses::link : &Losses::controller;
  spend(until(begins.setup), delay);
  copy(until(begins.setup + times.setup), delayed_share(times.setup, alone.setup), true);
  spend(until(begins.in), delay);
  copy(until(begins.in + times.in), delayed_share(times.in, alone.in));
  spend(begins.compute, delay);
}

ResidentData LossAccount::UnitTime::resident_data(const Block& block) const {
  if (phase != block.phase) return ResidentData::missing;
  return iteration == block.iteration ? ResidentData::current : ResidentData::outdated;
}

void LossAccount::block(const BlockRecord& record) {
  UnitTime& unit = account_.units[record.unit.index];
  const StageTimes alone = alone_of(unit, record);
  unit.wait(record, repeats_blocks_ ? record.assigned : time_of_event(record.after_events), alone);
  unit.spend(std::min(record.begins.compute + record.times.compute, record.end),
             &Losses::computing);
  unit.items += record.block.items;
  unit.out_until = record.end;
  unit.out_delayed = delayed_share(record.times.out, alone.out);
  unit.is_trained = record.block.tag == BlockTag::train;
  unit.phase = record.block.phase;
  unit.iteration = record.block.iteration;
  if (record.block.iteration > 0) account_.sum.merging += account_.merge;
  account_.merge = {};
  account_.latest_end = std::max(account_.latest_end, record.end);
  count_event(record.end);
}

/// The times of the block's copies alone; those that they took if the others are not known, or if
/// the unit lost no time to them.
StageTimes LossAccount::alone_of(const UnitTime& unit, const BlockRecord& record) const {
  const bool is_hidden = record.begins.compute <= unit.at && record.times.out == Seconds{};
  if (!alone_ || is_hidden) return record.times;
  return alone_(record.unit, record.block, unit.resident_data(record.block));
}

void LossAccount::event(const EventRecord& record) {
  const auto fail = [&](UnitId id) -> UnitTime& {
    UnitTime& unit = account_.units[id.index];
    unit.spend(record.at, &Losses::failure);
    unit.is_trained = false;
    return unit;
  };
  std::visit(Overload{[&](const IterationBegin&) {
                        account_.close(record.at,
                                       any_iteration_ ? &Losses::barrier : &Losses::controller);
                        account_.merge = record.at - account_.latest_end;
                        any_iteration_ = true;
                      },
                      [&](const LostBlock& lost) {
                        if (lost.by == LostBy::unit) {
                          fail(lost.unit);
                        } else if (lost.goes_on) {
                          ++account_.units[lost.unit.index].going_on;
                        }
                      },
                      [&](const LateEnd& late) {
                        UnitTime& unit = account_.units[late.unit.index];
                        const Seconds begin =
                            without_empty_stages(late.begins, late.times, record.at).setup;
                        unit.spend(begin, unit.is_trained ? &Losses::training : &Losses::barrier);
                        unit.spend(record.at, &Losses::redone);
                        unit.is_trained = false;
                        --unit.going_on;
                      },
                      [&](const UnitLost& lost) {
                        UnitTime& unit = fail(lost.unit);
                        unit.is_absent = true;
                        unit.phase = -1;
                        unit.going_on = 0;
                      },
                      [&](const UnitJoined& joined) {
                        UnitTime& unit = account_.units[joined.unit.index];
                        unit.stay_away(record.at);
                        unit.is_absent = false;
                        unit.phase = -1;
                        unit.is_trained = false;
                      },
                      [](const OneOf<UnfinishedBlock, ProbeBegin, Probed, TimerEnd, PolicyStall,
                                     Disturbance, Note> auto&) {}},
             record.what);
  if (is_counted(record.what)) count_event(record.at);
}

void LossAccount::count_event(Seconds at) {
  if (event_times_.size() < most_event_times) {
    event_times_.push_back(at);
  } else {
    event_times_[events_ % most_event_times] = at;
  }
  ++events_;
}

/// The time of event `number`, counted from 1; 0 if there is none or it is too long ago.
Seconds LossAccount::time_of_event(std::uint64_t number) const {
  if (number == 0 || number > events_ || events_ - number >= event_times_.size()) return {};
  return event_times_[(number - 1) % most_event_times];
}

/// Ends the iteration at `until` and adds its times to the sum. `cause`: that of the time after the
/// units' last blocks.
void LossAccount::Account::close(Seconds until, Seconds Losses::*cause) {
  double speeds = 0.0;
  Seconds longest_setup;
  for (UnitTime& unit : units) {
    longest_setup = std::max(longest_setup, unit.setup);
    unit.copy(std::min(unit.out_until, until), unit.out_delayed);
    if (unit.is_absent) unit.stay_away(until);
    unit.spend(until, unit.going_on > 0 ? &Losses::redone : cause);
    if (unit.items == 0) continue;
    is_known = is_known && unit.spent.computing > Seconds{};
    speeds += static_cast<double>(unit.items) / unit.spent.computing.value;
  }
  if (speeds == 0.0) sum.*cause += until - begin;
  for (UnitTime& unit : units) {
    if (is_known && unit.items > 0) {
      const double speed = static_cast<double>(unit.items) / unit.spent.computing.value;
      unit.spent.computing += unit.absent;
      add(sum, speed / speeds, unit.spent);
    }
    unit.spent = {};
    unit.setup = unit.absent = {};
    unit.items = 0;
    unit.out_until = until;
    unit.is_trained = false;
  }
  sum.longest_setup += longest_setup;
  begin = until;
}

std::optional<Losses> LossAccount::losses(Seconds makespan) const {
  Account account = account_;
  account.close(makespan, &Losses::tail);
  if (!account.is_known || !(account.sum.computing > Seconds{})) return std::nullopt;
  return account.sum;
}

}  // namespace equipoise
