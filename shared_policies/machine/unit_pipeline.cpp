// Moves the blocks of one unit through their stages.
#include "shared_policies/machine/unit_pipeline.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

/// Whether no block of `queue` is of this group; 0: of none.
bool is_last_of(std::uint32_t group, const auto& queue) {
  const auto is_of = [group](const auto& entry) { return entry.work.block.group == group; };
  return group == 0 || std::ranges::none_of(queue, is_of);
}

}  // namespace

double bytes_of(const PipelinedBlock& block, Stage stage) {
  if (stage == Stage::compute) return 0.0;
  if (stage == Stage::out) return block.out_bytes;
  return stage == Stage::setup ? block.setup_bytes : block.in_bytes;
}

PipelinedBlock work_of(const Probe& probe, Seconds asked, Seconds ready, Seconds there,
                       Seconds back) {
  PipelinedBlock work{.block = {.id = no_block}, .assigned = asked, .ready = ready};
  work.alone.in = there;
  work.alone.out = back;
  work.in_bytes = probe.there_bytes;
  work.out_bytes = probe.back_bytes.value_or(0.0);
  work.room_items = std::numeric_limits<Items>::max();
  work.probe = probe;
  return work;
}

Event end_of(UnitId unit, const PipelinedBlock& block, Seconds at, bool is_dropped) {
  if (is_dropped) {
    return {at, LateEnd{unit, block.block, block.assigned, block.times, block.begins}};
  }
  return {at, BlockFinished{unit, block.block, block.assigned, block.times, block.begins}};
}

Event end_of_probe(UnitId unit, const PipelinedBlock& probe, Seconds at) {
  const ProbeTimes times{probe.begins.in, probe.times.in, probe.begins.out, probe.times.out};
  return {at, Probed{unit, probe.probe.value(), times}};
}

Event answered_at_once(UnitId unit, const Probe& probe, Seconds at) {
  return {at, Probed{unit, probe, ProbeTimes{at, {}, at, {}}}};
}

UnitPipeline::UnitPipeline(UnitId unit, int copy_engines, PipelineStages& stages)
    : unit_(unit),
      copies_itself_(copy_engines == 0),
      is_duplex_(copy_engines == 2),
      stages_(&stages) {
  EQ_CHECK(copy_engines >= 0 && copy_engines <= 2, "a unit has at most two copy engines");
}

void UnitPipeline::add(const PipelinedBlock& block) {
  const Seconds decision_time = std::exchange(pending_decision_time_, Seconds{});
  const bool is_of_another_phase = block.block.phase != phase_;
  const bool waits_for_all =
      copies_itself_ || decision_time > Seconds{} || is_of_another_phase || block.brings_setup();
  queue_.push_back({.work = block,
                    .decision_time = decision_time,
                    .waits_for_all = waits_for_all,
                    .phase_before = phase_,
                    .iteration_before = iteration_,
                    .is_contested = block.block.copy_of.has_value()});
  phase_ = block.block.phase;
  iteration_ = block.block.iteration;
}

void UnitPipeline::add_probe(const PipelinedBlock& probe) {
  const Seconds decision_time = std::exchange(pending_decision_time_, Seconds{});
  queue_.push_back({.work = probe,
                    .decision_time = decision_time,
                    .waits_for_all = copies_itself_ || decision_time > Seconds{}});
}

void UnitPipeline::add_decision_time(Seconds now, Seconds span) {
  if (queue_.empty()) {
    free_at_ = std::max(free_at_, now) + span;
  } else {
    pending_decision_time_ += span;
  }
}

void UnitPipeline::lose_core(Seconds now, Seconds span) {
  if (!copies_itself_) {
    Running& compute = running(Stage::compute);
    if (!compute.is_busy) return;
    compute.end += span;
    compute.time += span;
    return;
  }
  const auto busy = std::ranges::find(running_, true, &Running::is_busy);
  if (busy == running_.end()) {
    free_at_ = std::max(free_at_, now + span);
    return;
  }
  busy->end += span;
  busy->time += span;
}

std::size_t UnitPipeline::place_of(std::uint64_t original) const {
  const auto found = std::ranges::find_if(queue_, [original](const Entry& entry) {
    return entry.work.block.original() == original && !entry.is_dropped;
  });
  return static_cast<std::size_t>(found - queue_.begin());
}

bool UnitPipeline::has(std::uint64_t original) const { return place_of(original) < queue_.size(); }

/// Whether the first stage of the block at `place` has begun.
bool UnitPipeline::has_begun(std::size_t place) const {
  const bool enters = running(Stage::setup).is_busy || running(Stage::in).is_busy;
  return place < copied_in_ + (enters ? 1 : 0);
}

Fate UnitPipeline::take_back(const Block& block, Seconds now) {
  const auto found = std::ranges::find_if(queue_, [&block](const Entry& entry) {
    return entry.work.block.id == block.id && !entry.is_dropped;
  });
  if (found == queue_.end()) return Fate::too_late;
  const auto place = static_cast<std::size_t>(found - queue_.begin());
  if (place == 0 && running(Stage::out).is_busy) return Fate::too_late;
  if (has_begun(place)) {
    queue_[place].is_dropped = true;
    return Fate::goes_on;
  }
  remove(place, now);
  return Fate::not_begun;
}

/// Removes a block that has not begun. What was to happen before it happens before the next one,
/// which may have waited for it.
void UnitPipeline::remove(std::size_t place, Seconds now) {
  const Entry gone = queue_[place];
  queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(place));
  Block block = gone.work.block;
  block.items = 0;  // it has no memory yet, but others of its group that have ended may
  room_.release(block, is_last_of(block.group, queue_));
  // The unit decides since it is free, or will before the next block.
  Seconds later_decision = gone.decision_time;
  if (place == 0) free_at_ += std::exchange(later_decision, Seconds{});
  if (place < queue_.size()) {
    queue_[place].work.ready = std::max(queue_[place].work.ready, now);
    queue_[place].decision_time += later_decision;
    queue_[place].waits_for_all = queue_[place].waits_for_all || gone.decision_time > Seconds{};
  } else {
    pending_decision_time_ += later_decision;
    if (queue_.empty() && pending_decision_time_ > Seconds{}) {
      free_at_ = std::max(free_at_, now) + std::exchange(pending_decision_time_, Seconds{});
    }
  }
  leave_setup(gone, place);
}

/// Gives the setup of a block that was removed to the next block from `place` on.
void UnitPipeline::leave_setup(const Entry& gone, std::size_t place) {
  const auto is_block = [](const Entry& entry) { return !entry.work.probe; };
  const auto next_one = queue_.begin() + static_cast<std::ptrdiff_t>(place);
  const auto found = std::find_if(next_one, queue_.end(), is_block);
  if (found == queue_.end()) {
    phase_ = gone.phase_before;
    iteration_ = gone.iteration_before;
    return;
  }
  Entry& next = *found;
  next.phase_before = gone.phase_before;
  next.iteration_before = gone.iteration_before;
  next.waits_for_all = next.waits_for_all || gone.waits_for_all;
  if (!gone.work.brings_setup() || next.work.brings_setup()) return;
  next.work.first_use = gone.work.first_use;
  next.work.alone.setup = gone.work.alone.setup;
  next.work.setup_bytes = gone.work.setup_bytes;
  next.work.kept_bytes = gone.work.kept_bytes;
}

bool UnitPipeline::contest(std::uint64_t original) {
  const std::size_t place = place_of(original);
  EQ_CHECK(place < queue_.size(), "a block of which a copy is given is on its unit");
  queue_[place].is_contested = true;
  return place == 0 && running(Stage::out).is_busy;
}

/// Whether the block at `place` would make its copy out if that began now.
bool UnitPipeline::copies_out(std::size_t place) const {
  const Entry& entry = queue_[place];
  if (entry.is_dropped) return false;
  return !entry.is_contested || stages_->is_open(unit_, entry.work.block);
}

std::size_t UnitPipeline::give_up(Seconds now) {
  while (!queue_.empty() && !has_begun(queue_.size() - 1)) remove(queue_.size() - 1, now);
  for (Entry& entry : queue_) entry.is_dropped = true;
  phase_ = -1;
  is_emptied_ = true;
  return queue_.size();
}

void UnitPipeline::clear() {
  queue_.clear();
  room_.clear();
  copied_in_ = 0;
  computed_ = 0;
  running_ = {};
  is_streaming_ = false;
  free_at_ = {};
  pending_decision_time_ = {};
  phase_ = -1;
  is_emptied_ = true;
}

void UnitPipeline::end_stage(Stage stage, Seconds at) {
  Running& run = running(stage);
  run.end = stage == Stage::compute && is_streaming_ ? std::max(at, stream_end_) : at;
  run.time = run.end - run.began;
}

void UnitPipeline::advance(Seconds until) {
  for (Seconds at = next_change(); at <= until; at = next_change()) {
    while (end_one(at) || begin_compute(at) || begin_out(at) || begin_next(at)) continue;
  }
}

Seconds UnitPipeline::next_date() const {
  if (queue_.empty()) return Seconds::infinity();
  const bool is_held_up = (queue_.size() > 1 && !copies_itself_) || queue_.front().is_contested;
  return is_held_up ? next_change() : end_of_first_block();
}

/// The duration of a stage that takes `alone` without a stream: a computation takes as long as its
/// stream, if that is longer.
Seconds UnitPipeline::with_stream(std::size_t place, Stage stage, Seconds at, Seconds alone) const {
  if (stage != Stage::compute || queue_[place].work.stream == Seconds{}) return alone;
  return std::max(alone, stream_time(place, at));
}

std::optional<Seconds> UnitPipeline::duration(std::size_t place, Stage stage, Seconds at) const {
  if (stage == Stage::out && !copies_out(place)) return Seconds{};
  if (stage == Stage::compute && queue_[place].work.probe) return Seconds{};
  std::optional<Seconds> time = stages_->duration(unit_, queue_[place].work, stage, at);
  if (time) time = with_stream(place, stage, at, *time);
  return time;
}

/// The position in the queue of the block that `stage` processes now or next.
std::size_t UnitPipeline::position(Stage stage) const {
  if (stage == Stage::setup || stage == Stage::in) return copied_in_;
  return stage == Stage::compute ? computed_ : 0;
}

/// The next time at which a stage ends or a block enters its first stage. All other stages begin
/// when another stage ends.
Seconds UnitPipeline::next_change() const { return std::min(entry_date(), next_end()); }

Seconds UnitPipeline::next_end() const {
  Seconds date = is_streaming_ ? stream_end_ : Seconds::infinity();
  for (const Running& run : running_) {
    if (run.is_busy) date = std::min(date, run.end);
  }
  return date;
}

/// Follows the first block through its remaining stages, assuming that no other block delays it.
/// Returns the time of its end, or of the start of a stage of unknown duration.
Seconds UnitPipeline::end_of_first_block() const {
  const PipelinedBlock& block = queue_.front().work;
  auto stage = static_cast<std::size_t>(block.brings_setup() ? Stage::setup : Stage::in);
  Seconds at;
  const auto busy = std::ranges::find(running_, true, &Running::is_busy);
  if (busy != running_.end()) {
    stage = static_cast<std::size_t>(busy - running_.begin()) + (busy->is_first_use ? 0 : 1);
    at = busy->end;
  } else {
    at = entry_date() + block.first_use;
  }
  for (; stage < stage_count && at < Seconds::infinity(); ++stage) {
    const auto next = static_cast<Stage>(stage);
    if (next == Stage::out && queue_.front().is_dropped) break;
    const std::optional<Seconds> time = duration(0, next, at);
    if (!time) break;
    at += *time;
  }
  return at;
}

/// The earliest time at which the next block can enter its first stage in the present state.
Seconds UnitPipeline::entry_date() const {
  const Seconds date = entry_date_with_engine();
  if (can_take_in() || date == Seconds::infinity()) return date;
  return needs_engine_to_enter(date) ? Seconds::infinity() : date;
}

/// The same if a copy engine is free.
Seconds UnitPipeline::entry_date_with_engine() const {
  if (copied_in_ == queue_.size() || is_taking_in()) return Seconds::infinity();
  const Entry& next = queue_[copied_in_];
  const bool has_room = room_.has_room(next.work.block.items, next.work.room_items);
  if (copied_in_ > 0 && (next.waits_for_all || !has_room)) return Seconds::infinity();
  return std::max(next.work.ready, free_at_ + next.decision_time);
}

/// Whether the next block needs a copy engine if it enters its first stage at `date`.
bool UnitPipeline::needs_engine_to_enter(Seconds date) const {
  return queue_[copied_in_].work.brings_setup() ||
         duration(copied_in_, Stage::in, date) != Seconds{};
}

bool UnitPipeline::end_one(Seconds at) {
  if (is_streaming_ && stream_end_ <= at) {
    is_streaming_ = false;
    return true;
  }
  for (const Stage stage : {Stage::setup, Stage::in, Stage::compute, Stage::out}) {
    Running& run = running(stage);
    if (!run.is_busy || run.end > at) continue;
    run.is_busy = false;
    time_of(queue_[position(stage)].work.times, stage) += run.time;
    if (stage == Stage::setup) begin(run.is_first_use ? Stage::setup : Stage::in, run.end);
    if (stage == Stage::in) ++copied_in_;
    if (stage == Stage::compute) ++computed_;
    if (stage == Stage::out) finish(run.end);
    return true;
  }
  return false;
}

bool UnitPipeline::begin_compute(Seconds at) {
  if (!wants_to_compute() || (!can_take_in() && would_stream(at))) return false;
  begin(Stage::compute, at);
  return true;
}

bool UnitPipeline::begin_out(Seconds at) {
  if (!wants_out()) return false;
  const bool engine_is_free = is_duplex_ || !is_taking_in();
  if (!engine_is_free && duration(0, Stage::out, at) != Seconds{}) return false;
  begin(Stage::out, at);
  return true;
}

/// Begins the first stage of the next block.
bool UnitPipeline::begin_next(Seconds at) {
  if (entry_date() > at) return false;
  enter(at);
  return true;
}

void UnitPipeline::enter(Seconds at) {
  PipelinedBlock& block = queue_[copied_in_].work;
  room_.take(block.block, block.room_items);
  if (block.brings_setup()) {
    block.begins.setup = at;
    running(Stage::setup) = {true, true, at, at + block.first_use, block.first_use};
  } else {
    begin(Stage::in, at);
  }
}

void UnitPipeline::begin(Stage stage, Seconds at) {
  const std::size_t place = position(stage);
  PipelinedBlock& block = queue_[place].work;
  if (stage != Stage::setup) time_of(block.begins, stage) = at;
  if (stage == Stage::compute && would_stream(at)) {
    is_streaming_ = true;
    stream_end_ = at + stream_time(place, at);
  }
  Entry& entry = queue_[place];
  if (stage == Stage::out && entry.is_contested && !entry.is_dropped) {
    entry.is_dropped = !stages_->claim(unit_, block.block);
  }
  const std::optional<Seconds> time = duration(place, stage, at);
  const Seconds end = time ? at + *time : Seconds::infinity();
  running(stage) = {true, false, at, end, time.value_or(Seconds{})};
  if (!time) return stages_->launch(unit_, block, stage);
  lose_core_to_copies(stage, at);
}

/// The part of a copy's core time that falls into the computation that goes on at `at`, when
/// `begun`, one of the two, has begun.
void UnitPipeline::lose_core_to_copies(Stage begun, Seconds at) {
  Running& compute = running(Stage::compute);
  if (copies_itself_ || !compute.is_busy || compute.end == Seconds::infinity()) return;
  for (const Stage stage : {Stage::in, Stage::out}) {
    const Running& copy = running(stage);
    const bool is_new = stage == begun || begun == Stage::compute;
    if (!is_new || !copy.is_busy || !(copy.time > Seconds{})) continue;
    const PipelinedBlock& block = queue_[position(stage)].work;
    const Seconds core = stage == Stage::in ? block.in_core : block.out_core;
    const double share = core / copy.time;
    const Seconds left = compute.end - at;
    const Seconds copied = copy.end - at;
    const bool ends_first = share < 1.0 && left <= (1.0 - share) * copied;
    const Seconds lost = ends_first ? (share / (1.0 - share)) * left : share * copied;
    compute.end += lost;
    compute.time += lost;
  }
}

void UnitPipeline::finish(Seconds at) {
  PipelinedBlock block = queue_.front().work;
  const bool is_dropped = queue_.front().is_dropped;
  queue_.pop_front();
  block.begins = without_empty_stages(block.begins, block.times, at);
  --copied_in_;
  --computed_;
  free_at_ = at;
  if (queue_.empty()) free_at_ += std::exchange(pending_decision_time_, Seconds{});
  if (block.probe) return stages_->probed(unit_, block, at);
  room_.release(block.block, is_last_of(block.block.group, queue_));
  stages_->finished(unit_, block, at, is_dropped);
}

}  // namespace equipoise
