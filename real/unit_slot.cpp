// Looks for units that report something, waits for the threads of units, each for its own time, and
// finds what blocks of several units share.
#include "real/unit_slot.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace equipoise {
namespace {

/// How long the end of a run waits for a unit after a stop or a timeout.
constexpr std::chrono::milliseconds stop_patience{1000};
/// How long it waits otherwise; the time that the run took is added.
constexpr std::chrono::milliseconds end_patience{120'000};
/// How long it waits before it says so.
constexpr std::chrono::milliseconds silent_patience{2000};

/// Says that the end of the run waits for a unit, and waits. Returns false if it took too long.
bool has_ended_at_last(Worker& worker, const std::string& unit, const EndOfRun& how) {
  const auto say = [&](const std::string& what) {
    if (how.warn) how.warn("unit " + unit + what);
  };
  const std::chrono::milliseconds patience = end_patience + how.took;
  say(fmt::format(
      " has not ended with the run: a block that was given up still computes, or its device does "
      "not answer; waits for it, at most {} s",
      patience.count() / 1000));
  if (worker.has_ended(patience)) return true;
  say(" is left behind: it works until the program ends, and may disturb what runs until then");
  return false;
}

}  // namespace

UnitSlot* earliest(std::vector<UnitSlot>& slots) {
  UnitSlot* first = nullptr;
  for (UnitSlot& slot : slots) {
    if (slot.is_broken || slot.worker->report() == nullptr) continue;
    if (first == nullptr || slot.worker->report()->end < first->worker->report()->end) {
      first = &slot;
    }
  }
  return first;
}

UnitSlot* answering(std::vector<UnitSlot>& slots) {
  const auto found = std::ranges::find_if(
      slots, [](UnitSlot& slot) { return slot.is_late && slot.worker->is_free(); });
  return found == slots.end() ? nullptr : &*found;
}

ResultClaimPtr claim_of(const Block& copy, const std::vector<UnitSlot>& slots,
                        const std::optional<Event>& pending) {
  for (const UnitSlot& slot : slots) {
    if (ResultClaimPtr claim = slot.worker->contest(copy.original())) return claim;
  }
  // It has ended, or its unit is lost, which may not have been told yet.
  auto claim = std::make_shared<ResultClaim>();
  const auto* const done = pending ? std::get_if<BlockFinished>(&pending->what) : nullptr;
  if (done != nullptr && done->block.original() == copy.original()) {
    static_cast<void>(claim->take());
  }
  return claim;
}

Probed probed_of(UnitId unit, const Report& report) {
  Probed probed{unit, report.command.probe.value()};
  if (report.kind != ReportKind::done) return probed;
  probed.times = ProbeTimes{report.begins.in, report.times.in, report.begins.out, report.times.out};
  return probed;
}

void end_workers(std::vector<UnitSlot>& slots, const std::vector<UnitSpec>& units,
                 const EndOfRun& how) {
  for (UnitSlot& slot : slots) {
    slot.worker->abandon(Abandoned::with_unit);
    slot.worker->stop();
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Worker& worker = *slots[i].worker;
    const bool is_impatient = slots[i].is_up && (how.is_stopped || slots[i].has_stalled);
    if (worker.has_ended(is_impatient ? stop_patience : silent_patience)) continue;
    if (is_impatient || !has_ended_at_last(worker, units[i].unit.name, how)) {
      worker.leave_behind();
    }
  }
}

}  // namespace equipoise
