// Gives every span of each unit's time a cause.
#include "shared_policies/run/losses.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/records/struct_members.hpp"

namespace equipoise {
namespace {

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

/// The cause of what a unit does that has one cause alone.
Seconds Losses::*cause_of(Activity activity) {
  switch (activity) {
    case Activity::redone:
      return &Losses::redone;
    case Activity::wait_training:
      return &Losses::training;
    case Activity::wait_barrier:
      return &Losses::barrier;
    case Activity::wait_tail:
      return &Losses::tail;
    default:
      return &Losses::computing;
  }
}

}  // namespace

Seconds total(const Losses& losses) {
  Seconds sum;
  for (const LossCause& cause : loss_causes) sum += losses.*cause.member;
  return sum;
}

void add(Losses& sum, double factor, const Losses& losses) {
  with_members(sum, [&](auto&... all) {
    with_members(losses, [&](const auto&... more) { ((all += factor * more), ...); });
  });
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
    : alone_(std::move(alone)),
      account_{.walk = UnitWalk(units.size(), {}, repeats_blocks), .units = {}} {
  std::map<std::string, std::size_t> on_device;
  for (const Unit& unit : units) ++on_device[device_of(unit)];
  for (const Unit& unit : units) {
    const std::string device = device_of(unit);
    account_.units.emplace_back().shares_device = !device.empty() && on_device[device] > 1;
  }
}

ResidentData LossAccount::UnitTime::resident_data(const Block& block) const {
  if (phase != block.phase) return ResidentData::missing;
  return iteration == block.iteration ? ResidentData::current : ResidentData::outdated;
}

void LossAccount::block(const BlockRecord& record) {
  UnitTime& unit = account_.units[record.unit.index];
  // The times of its copies alone; those that they took if the others are not known.
  std::optional<StageTimes> alone;
  const auto delayed = [&](Seconds StageTimes::*stage) {
    if (!alone_ || record.times.*stage == Seconds{}) return 0.0;
    if (!alone) alone = alone_(record.unit, record.block, unit.resident_data(record.block));
    return delayed_share(record.times.*stage, (*alone).*stage);
  };
  account_.walk.block(record, [&](const UnitSpan& span) {
    const bool is_setup = span.activity == Activity::setup;
    if (is_setup || span.activity == Activity::copy_in) {
      if (is_setup) unit.setup += span.end - span.begin;
      unit.copy(span, delayed(is_setup ? &StageTimes::setup : &StageTimes::in));
    } else {
      unit.spend(span);
    }
  });
  unit.items += record.block.items;
  unit.out_delayed = delayed(&StageTimes::out);
  unit.phase = record.block.phase;
  unit.iteration = record.block.iteration;
  if (record.block.iteration > 0) account_.sum.merging += account_.merge;
  account_.merge = {};
  account_.latest_end = std::max(account_.latest_end, record.end);
}

void LossAccount::event(const EventRecord& record) {
  if (std::holds_alternative<UnfinishedBlock>(record.what)) return;  // the unit waits for the end
  account_.walk.event(
      record, [this](const UnitSpan& span) { account_.units[span.unit.index].spend(span); });
  if (std::holds_alternative<IterationBegin>(record.what)) {
    account_.close(record.at, any_iteration_ ? &Losses::barrier : &Losses::controller);
    account_.merge = record.at - account_.latest_end;
    any_iteration_ = true;
  } else if (const auto* const lost = std::get_if<UnitLost>(&record.what)) {
    account_.units[lost->unit.index].phase = -1;
  } else if (const auto* const joined = std::get_if<UnitJoined>(&record.what)) {
    account_.units[joined->unit.index].phase = -1;
  }
}

/// Gives the time of a copy to copies, of which the share `delayed` counts as `link`.
void LossAccount::UnitTime::copy(const UnitSpan& span, double delayed) {
  spent.link += delayed * (span.end - span.begin);
  spent.copies += (1.0 - delayed) * (span.end - span.begin);
}

/// Gives the time of what is no copy of a block to come to its cause.
void LossAccount::UnitTime::spend(const UnitSpan& span) {
  const Seconds time = span.end - span.begin;
  if (span.is_before_loss) {
    spent.failure += time;
    return;
  }
  if (span.activity == Activity::copy_out) return copy(span, out_delayed);
  if (span.activity == Activity::absent) {
    absent += time;
  } else if (span.activity == Activity::wait_control) {
    const Seconds told = std::clamp(span.assigned, span.begin, span.end);
    spent.controller += told - span.begin;
    spent.*(shares_device ? &Losses::link : &Losses::controller) += span.end - told;
  } else {
    spent.*cause_of(span.activity) += time;
  }
}

/// Ends the iteration at `until` and adds its times to the sum. `cause`: that of the time in which
/// no unit did anything.
void LossAccount::Account::close(Seconds until, Seconds Losses::*cause) {
  double speeds = 0.0;
  Seconds longest_setup;
  for (const UnitTime& unit : units) {
    longest_setup = std::max(longest_setup, unit.setup);
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
  }
  sum.longest_setup += longest_setup;
  begin = until;
}

std::optional<Losses> LossAccount::losses(Seconds makespan) const {
  Account account = account_;
  account.walk.end(makespan,
                   [&](const UnitSpan& span) { account.units[span.unit.index].spend(span); });
  account.close(makespan, &Losses::tail);
  if (!account.is_known || !(account.sum.computing > Seconds{})) return std::nullopt;
  return account.sum;
}

}  // namespace equipoise
