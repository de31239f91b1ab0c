// The master's side: hands the blocks of remote units to their nodes and takes results back, in the
// communicator's thread. It serves the mailboxes of all these units.
#include "real/nodes/nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "real/nodes/byte_pool.hpp"
#include "real/nodes/payload.hpp"
#include "real/nodes/sent_data.hpp"
#include "real/worker_mailbox.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using TimePoint = WakeSignal::TimePoint;

/// How long a question to a node may take, while the node is alive.
constexpr milliseconds answer_patience{600'000};
constexpr milliseconds clocks_patience{1000};

/// The controller's side of a remote unit. The communicator's thread serves its mailbox.
class RemoteWorker final : public MailboxWorker {
 public:
  RemoteWorker(std::shared_ptr<WakeSignal> controller, std::shared_ptr<WakeSignal> thread)
      : MailboxWorker(std::move(controller), std::move(thread)) {}
  ~RemoteWorker() override { stop(); }

  [[nodiscard]] const std::shared_ptr<WorkerMailbox>& box() const { return mailbox(); }

  /// The nodes' units came up when the run began.
  void await_up() override {}
  /// What the unit still does is the business of its node, see Nodes::end_run.
  bool has_ended(milliseconds /*patience*/) override { return true; }
  void leave_behind() override {}
};

}  // namespace

class Nodes::Master final : public CommunicatorClient {
 public:
  explicit Master(std::shared_ptr<Communicator> communicator)
      : communicator_(std::move(communicator)),
        ranks_(communicator_->ranks()),
        answers_(static_cast<std::size_t>(ranks_)),
        lost_(static_cast<std::size_t>(ranks_)),
        places_(static_cast<std::size_t>(ranks_)) {
    for (int rank = 0; rank < ranks_; ++rank) names_.push_back(fmt::format("node{}", rank));
    communicator_->serve(this);
    communicator_->await_clocks(clocks_patience);
  }

  // The controller's side.

  [[nodiscard]] int ranks() const { return ranks_; }

  std::vector<std::string> ask(const std::vector<std::string>& questions) {
    in_thread([this, questions] {
      for (int rank = 1; rank < ranks_; ++rank) {
        communicator_->post(
            rank, archived(MessageToNode(Question{questions[static_cast<std::size_t>(rank - 1)]})));
      }
    });
    std::vector<std::string> answers;
    await([this](int rank) { return !answers_[static_cast<std::size_t>(rank)].empty(); });
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int rank = 1; rank < ranks_; ++rank) {
      std::deque<std::string>& of = answers_[static_cast<std::size_t>(rank)];
      if (of.empty()) throw BackendError(lost_text(rank));
      answers.push_back(std::move(of.front()));
      of.pop_front();
    }
    return answers;
  }

  void call(std::vector<std::string> names) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::ranges::move(names, names_.begin() + 1);
  }
  void place(std::vector<NodePlacement> places) {
    communicator_->run_on(places.front().waiting, places.front().waiting_compute);
    places_ = std::move(places);
  }
  void hold(std::vector<HeldLink> links) {
    const std::lock_guard<std::mutex> lock(mutex_);
    there_ = HeldLinks(links);
    back_ = HeldLinks(std::move(links));
  }

  void begin_run(const NodesRun& run) {
    SentData sent(++run_number_, run.phases, ranks_);
    NodeRunSetup setup{.run = run_number_,
                       .scenario = run.scenario,
                       .draws = run.draws,
                       .time_scale = run.time_scale,
                       .measures_waits = run.measures_waits,
                       .shapes = sent.shapes()};
    const bool is_replicated =
        run.phases.front().workload->distribution == Distribution::replicated;
    in_thread([this, sent, setup, is_replicated]() mutable {
      sent_ = std::move(sent);
      units_.clear();
      ended_ = NodesRunEnd{};
      for (int rank = 1; rank < ranks_; ++rank) {
        const NodePlacement& place = places_[static_cast<std::size_t>(rank)];
        setup.cores = place.cores;
        setup.waiting = place.waiting;
        setup.waiting_compute = place.waiting_compute;
        setup.copies_first = place.copies_first;
        setup.residents_before = is_replicated ? sent_.count_missing(rank) : 0;
        began_[rank].reset();
        has_ended_.erase(rank);
        communicator_->post(rank, archived(MessageToNode(BeginRun{setup})));
        if (is_replicated) static_cast<void>(sent_.send_resident(*communicator_, rank, 0, 0));
      }
    });
    await([this](int rank) { return began_[rank].has_value(); });
    communicator_->watch_closely(true);
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int rank = 1; rank < ranks_; ++rank) {
      if (!lost_[static_cast<std::size_t>(rank)].empty()) throw BackendError(lost_text(rank));
      if (!began_[rank]->empty()) throw BackendError(names_at(rank) + ": " + *began_[rank]);
    }
  }

  std::unique_ptr<Worker> make_worker(const NodeUnit& unit, const WorkerSetup& setup) {
    auto worker = std::make_unique<RemoteWorker>(setup.controller, communicator_->signal());
    in_thread([this, unit, clock = setup.clock, box = worker->box()] {
      units_.push_back({unit, box, clock});
    });
    return worker;
  }

  void start_clock(const Clock& clock) {
    in_thread([this, zero = clock.moment(Seconds{})] {
      const auto zero_ns =
          std::chrono::duration_cast<std::chrono::nanoseconds>(zero.time_since_epoch()).count();
      for (int rank = 1; rank < ranks_; ++rank) {
        const double ahead = communicator_->clock_of(rank).ahead_at(static_cast<double>(zero_ns));
        ahead_at_zero_ns_[rank] = ahead;
        communicator_->post(rank, archived(MessageToNode(ZeroClock{
                                      run_number_, zero_ns + static_cast<std::int64_t>(ahead)})));
      }
    });
  }

  NodesRunEnd end_run(const NodesPatience& patience) {
    communicator_->watch_closely(false);
    in_thread([this, is_stopped = patience.is_stopped] {
      units_.clear();
      there_.clear();
      back_.clear();
      for (int rank = 1; rank < ranks_; ++rank) {
        communicator_->post(rank, archived(MessageToNode(EndRun{run_number_, is_stopped})));
      }
    });
    await([this](int rank) { return has_ended_.contains(rank); }, patience.most);
    const std::lock_guard<std::mutex> lock(mutex_);
    sent_ = SentData();
    return std::exchange(ended_, {});
  }

  std::vector<LinkProbeTimes> probe_links(const std::vector<LinkProbe>& probes) {
    in_thread([this, probes] {
      link_probes_.clear();
      for (const LinkProbe& probe : probes) link_probes_.push_back({probe});
      for (std::size_t i = 0; i < link_probes_.size(); ++i) send_link_probe(i);
    });
    std::unique_lock<std::mutex> lock(mutex_);
    const auto is_over = [this](const ProbedLink& probe) {
      return probe.is_done || !lost_[static_cast<std::size_t>(probe.asked.rank)].empty();
    };
    changed_.wait_for(lock, answer_patience,
                      [&] { return std::ranges::all_of(link_probes_, is_over); });
    std::vector<LinkProbeTimes> times;
    for (const ProbedLink& probe : link_probes_) {
      if (!probe.is_done) throw BackendError(lost_text(probe.asked.rank));
      times.push_back(probe.times);
    }
    return times;
  }

  std::vector<std::optional<ClockOffset::Estimate>> clocks() {
    std::vector<std::optional<ClockOffset::Estimate>> clocks;
    in_thread([this, &clocks] {
      for (int rank = 1; rank < ranks_; ++rank) {
        clocks.emplace_back();
        if (lost_[static_cast<std::size_t>(rank)].empty()) {
          clocks.back() = communicator_->clock_of(rank);
        }
      }
    });
    return clocks;
  }

  void end(int exit_code) {
    in_thread([this, exit_code] {
      for (int rank = 1; rank < ranks_; ++rank) {
        communicator_->post(rank, archived(MessageToNode(EndNode{exit_code})));
      }
    });
    communicator_->serve(nullptr);
  }

  // The communicator's thread. The communicator holds a lock meanwhile, so that nothing of it is
  // called from elsewhere with `mutex_` held.

  void message(int from, std::string_view bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::visit([this, from](auto& message) { take(from, message); },
               *std::make_unique<MessageFromNode>(read_message_from_node(bytes)));
  }

  [[nodiscard]] bool has_work() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !tasks_.empty() || std::ranges::any_of(units_, [](const RemoteUnit& unit) {
      return unit.mailbox->command() != nullptr || unit.mailbox->epoch() != unit.epoch ||
             unit.mailbox->rings() != unit.rings;
    });
  }

  [[nodiscard]] TimePoint next_date() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::min(there_.next_date(), back_.next_date());
  }

  bool serve() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    bool has_worked = !tasks_.empty();
    for (const auto& task : std::exchange(tasks_, {})) task();
    if (has_worked) changed_.notify_all();
    for (std::size_t i = 0; i < units_.size(); ++i) has_worked |= serve_unit(i);
    const TimePoint now = steady_clock::now();
    if (std::min(there_.next_date(), back_.next_date()) <= now) {
      there_.advance(now);
      back_.advance(now);
      has_worked = true;
    }
    return has_worked;
  }

  void lost(int rank, const std::string& why) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    lost_[static_cast<std::size_t>(rank)] = why;
    for (RemoteUnit& unit : units_) {
      if (unit.unit.rank == rank) fail(unit, lost_text(rank));
    }
    changed_.notify_all();
  }

 private:
  /// A block or a probe that is at a node.
  struct AtNode {
    Command command;
    Seconds sent{};                        ///< when its bytes began to move
    std::optional<Seconds> resident_at{};  ///< when a held link had moved the resident data for it
    bool is_told = false;                  ///< that it was taken back
  };

  /// The input of a block, or the resident data that it needs, on a held link.
  struct ToMove {
    BlockAtNode block;
    double bytes = 0.0;
    bool is_resident = false;
  };

  /// The state of one remote unit in a run.
  struct RemoteUnit {
    NodeUnit unit;
    std::shared_ptr<WorkerMailbox> mailbox;
    std::shared_ptr<Clock> clock;
    std::uint32_t epoch = 0;
    std::uint64_t rings = 0;
    bool has_failed = false;
    std::vector<AtNode> at_node{};
    /// What held links are to move, in order; the first is being moved.
    std::deque<ToMove> to_move{};
    Seconds in_until{};   ///< when the last copy in ended
    Seconds out_until{};  ///< likewise
  };

  /// A probe of a link.
  struct ProbedLink {
    LinkProbe asked;
    TimePoint sent{};
    LinkProbeTimes times{};
    bool is_done = false;
  };

  /// Lets the communicator's thread call `task`, and waits until it has.
  void in_thread(std::function<void()> task) {
    std::unique_lock<std::mutex> lock(mutex_);
    bool is_done = false;
    tasks_.push_back([&is_done, task = std::move(task)] {
      task();
      is_done = true;
    });
    lock.unlock();
    communicator_->wake();
    lock.lock();
    changed_.wait(lock, [&] { return is_done; });
  }

  /// Waits until `is_done(rank)` for all ranks that are not lost.
  void await(const std::function<bool(int)>& is_done, milliseconds patience = answer_patience) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, patience, [&] {
      for (int rank = 1; rank < ranks_; ++rank) {
        if (lost_[static_cast<std::size_t>(rank)].empty() && !is_done(rank)) return false;
      }
      return true;
    });
  }

  [[nodiscard]] const std::string& names_at(int rank) const {
    return names_[static_cast<std::size_t>(rank)];
  }
  [[nodiscard]] std::string lost_text(int rank) const {
    const std::string& why = lost_[static_cast<std::size_t>(rank)];
    return fmt::format("{} is lost: {}", names_at(rank), why.empty() ? "it does not answer" : why);
  }

  [[nodiscard]] Seconds now(const RemoteUnit& unit) const { return unit.clock->now(); }

  void send_link_probe(std::size_t number) {
    ProbedLink& probe = link_probes_[number];
    const LinkProbe& asked = probe.asked;
    const bool is_held = there_.holds(asked.rank);
    communicator_->post(asked.rank, archived(MessageToNode(SendLinkProbe{
                                        number, asked.there_bytes, asked.back_bytes, is_held})));
    probe.sent = steady_clock::now();
    if (asked.there_bytes > 0) send(asked.rank, pool_.take(asked.there_bytes));
    if (!is_held) return;
    there_.begin(asked.rank, static_cast<double>(asked.there_bytes), probe.sent, [this, number] {
      communicator_->post(link_probes_[number].asked.rank,
                          archived(MessageToNode(ReleaseLinkProbe{number})));
    });
  }

  void take(int from, const LinkProbed& probed) {
    if (probed.back_bytes == 0) return end_link_probe(from, probed);
    const PooledBytes back = pool_.take(probed.back_bytes);
    communicator_->receive(from, back.span(), back.owner, [this, from, probed] {
      const std::lock_guard<std::mutex> lock(mutex_);
      end_link_probe(from, probed);
    });
  }

  void end_link_probe(int from, const LinkProbed& probed) {
    if (!back_.holds(from)) return set_link_times(probed);
    back_.begin(from, static_cast<double>(probed.back_bytes), steady_clock::now(),
                [this, probed] { set_link_times(probed); });
  }

  void set_link_times(const LinkProbed& probed) {
    if (probed.number >= link_probes_.size()) return;
    ProbedLink& probe = link_probes_[probed.number];
    const auto ns_of = [](TimePoint at) {
      return static_cast<double>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count());
    };
    const double now_ns = ns_of(steady_clock::now());
    const double ahead_ns = communicator_->clock_of(probe.asked.rank).ahead_at(now_ns);
    const double sent_ns = ns_of(probe.sent);
    const double arrived_ns = std::clamp(static_cast<double>(probed.arrived_ns) - ahead_ns, sent_ns,
                                         std::max(sent_ns, now_ns));
    probe.times = {Seconds{1e-9 * (arrived_ns - sent_ns)}, Seconds{1e-9 * (now_ns - arrived_ns)}};
    probe.is_done = true;
    changed_.notify_all();
  }

  /// A time of the node's clock of the run by ours.
  [[nodiscard]] Seconds here(const RemoteUnit& unit, Seconds there) const {
    const auto now_ns = static_cast<double>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch())
            .count());
    const double ahead = communicator_->clock_of(unit.unit.rank).ahead_at(now_ns);
    const auto found = ahead_at_zero_ns_.find(unit.unit.rank);
    const double since_zero_ns = found == ahead_at_zero_ns_.end() ? 0.0 : ahead - found->second;
    return there - Seconds{1e-9 * since_zero_ns};
  }

  bool serve_unit(std::size_t number) {
    RemoteUnit& unit = units_[number];
    WorkerMailbox& box = *unit.mailbox;
    if (unit.has_failed) return drop_commands(unit);
    bool has_worked = false;
    if (box.epoch() != unit.epoch) {
      unit.epoch = box.epoch();
      unit.to_move.clear();
      post(unit, AbandonBlocks{run_number_, unit.unit.number, unit.epoch, box.goes_on()});
      has_worked = true;
    }
    if (box.rings() != unit.rings) {
      unit.rings = box.rings();
      heed(unit);
      has_worked = true;
    }
    while (const Command* const next = box.command()) {
      const Command command = *next;
      box.drop_command();
      take_command(number, command);
      has_worked = true;
    }
    return has_worked;
  }

  /// The unit has failed; the controller will see that.
  static bool drop_commands(RemoteUnit& unit) {
    bool has_worked = false;
    unit.epoch = unit.mailbox->epoch();  // there is nobody to be told
    unit.rings = unit.mailbox->rings();
    while (unit.mailbox->command() != nullptr) {
      unit.mailbox->drop_command();
      has_worked = true;
    }
    return has_worked;
  }

  void fail(RemoteUnit& unit, const std::string& why) {
    if (std::exchange(unit.has_failed, true)) return;
    unit.at_node.clear();
    unit.mailbox->report({.command = {}, .kind = ReportKind::failed, .why = why});
  }

  template <class Message>
  void post(const RemoteUnit& unit, const Message& message) {
    communicator_->post(unit.unit.rank, archived(MessageToNode(message)));
  }

  /// Tells the node what was taken back.
  void heed(RemoteUnit& unit) {
    for (AtNode& at : unit.at_node) {
      ReportKind kind{};
      if (at.is_told || unit.mailbox->slots().begin(at.command.slot, kind)) continue;
      at.is_told = true;
      post(unit,
           TakeBackBlock{run_number_, unit.unit.number, id_of(at.command.block, at.command.probe)});
    }
  }

  void take_command(std::size_t number, const Command& command) {
    RemoteUnit& unit = units_[number];
    Report over{.command = command, .end = now(unit)};
    if (!unit.mailbox->slots().begin(command.slot, over.kind) ||
        unit.mailbox->is_abandoned(command)) {
      unit.mailbox->report(over);
      return;
    }
    const Seconds begin = now(unit);
    SendBlock sent{.run = run_number_,
                   .unit = unit.unit.number,
                   .epoch = command.epoch,
                   .block = command.block,
                   .probe = command.probe,
                   .is_held = there_.holds(unit.unit.rank)};
    double bytes = 0.0;
    double resident_bytes = 0.0;
    const auto send = [&] {
      if (command.probe) {
        bytes = sent_.send_probe(*communicator_, unit.unit.rank, sent);
        return;
      }
      resident_bytes = sent_.send_resident(*communicator_, unit.unit.rank, command.block.phase,
                                           command.block.iteration);
      sent.follows_resident = resident_bytes > 0.0;
      bytes = sent_.send_block(*communicator_, unit.unit.rank, sent);
    };
    if (!unit.mailbox->access_host(command, send)) {
      over.kind = ReportKind::dropped;
      unit.mailbox->report(over);
      return;
    }
    unit.at_node.push_back({command, begin});
    if (!sent.is_held) return;
    const BlockAtNode id = id_of(command.block, command.probe);
    const bool is_moving = !unit.to_move.empty();
    if (resident_bytes > 0.0) unit.to_move.push_back({id, resident_bytes, true});
    unit.to_move.push_back({id, bytes});
    if (!is_moving) move_next(number);
  }

  /// Begins to move the bytes of the oldest block for a unit over the held links.
  void move_next(std::size_t number) {
    RemoteUnit& unit = units_[number];
    if (unit.to_move.empty()) return;
    const ToMove next = unit.to_move.front();
    AtNode* const at = at_node(unit, next.block);
    if (at != nullptr && !at->resident_at) at->sent = now(unit);
    const std::uint32_t epoch = unit.epoch;
    there_.begin(unit.unit.rank, next.bytes, steady_clock::now(), [this, number, epoch, next] {
      RemoteUnit& moved = units_[number];
      if (moved.epoch != epoch) return;
      AtNode* const of = at_node(moved, next.block);
      if (!next.is_resident) {
        post(moved, ReleaseBlock{run_number_, moved.unit.number, epoch, next.block});
      } else if (of != nullptr) {
        of->resident_at = now(moved);
      }
      moved.to_move.pop_front();
      move_next(number);
    });
  }

  [[nodiscard]] static AtNode* at_node(RemoteUnit& unit, const BlockAtNode& block) {
    const auto found = std::ranges::find_if(unit.at_node, [&](const AtNode& at) {
      return id_of(at.command.block, at.command.probe) == block;
    });
    return found == unit.at_node.end() ? nullptr : &*found;
  }

  void send(int rank, const PooledBytes& bytes) {
    communicator_->send(rank, bytes.bytes(), bytes.owner);
  }

  void take(int from, Answer& answer) {
    answers_[static_cast<std::size_t>(from)].push_back(std::move(answer.text));
    changed_.notify_all();
  }
  void take(int from, RunBegan& began) {
    if (began.run == run_number_) began_[from] = std::move(began.why);
    changed_.notify_all();
  }
  void take(int from, RunEnded& ended) {
    if (ended.run != run_number_) return;
    has_ended_.insert(from);
    for (const LoadHad& load : ended.loads) ended_.loads.emplace_back(load.event, load.share);
    ended_.pacing = together(ended_.pacing, {static_cast<std::uint64_t>(ended.late_blocks),
                                             ended.late_mean, ended.late_most});
    for (std::string& warning : ended.warnings) {
      ended_.warnings.push_back(names_at(from) + ": " + warning);
    }
    changed_.notify_all();
  }

  void take(int from, const UnitFree& free) {
    RemoteUnit* const unit = unit_of(from, free.run, free.unit);
    if (unit == nullptr || unit->has_failed) return;
    std::erase_if(unit->at_node, [&](const AtNode& at) {
      if (at.command.epoch >= free.epoch) return false;
      unit->mailbox->report({.command = at.command, .end = now(*unit)});
      return true;
    });
  }

  void take(int from, BlockReport& report) {
    if (report.kind == ReportKind::failed) {
      RemoteUnit* const unit = unit_of(from, report.run, report.unit);
      if (unit != nullptr) fail(*unit, report.why);
      return;
    }
    if (report.pieces.empty()) return arrived(from, report, enclosed_in(report));
    // What follows the message is received, whether or not it is wanted.
    std::size_t bytes = 0;
    for (const std::uint64_t piece : report.pieces) bytes += piece;
    const PooledBytes all = pool_.take(bytes);
    const auto told = std::make_shared<BlockReport>(std::move(report));
    std::size_t begin = 0;
    for (const std::uint64_t piece : told->pieces) {
      const auto room = all.span().subspan(begin, piece);
      begin += piece;
      communicator_->receive(from, room, all.owner,
                             [this, from, told, all, is_last = begin == bytes] {
                               const std::lock_guard<std::mutex> lock(mutex_);
                               if (is_last) arrived(from, *told, all);
                             });
    }
  }

  [[nodiscard]] std::vector<ReceivedPart> results_of(const BlockReport& report) const {
    return result_parts(sent_.data(report.block.phase), report.block);
  }

  RemoteUnit* unit_of(int rank, std::uint64_t run, std::uint32_t number) {
    if (run != run_number_) return nullptr;
    const auto found = std::ranges::find_if(units_, [&](const RemoteUnit& unit) {
      return unit.unit.rank == rank && unit.unit.number == number;
    });
    return found == units_.end() ? nullptr : &*found;
  }

  /// The results that are in the message itself.
  [[nodiscard]] PooledBytes enclosed_in(const BlockReport& report) {
    PooledBytes bytes = pool_.take(report.enclosed.size());
    std::memcpy(bytes.span().data(), report.enclosed.data(), report.enclosed.size());
    return bytes;
  }

  /// All bytes of a report are here.
  void arrived(int from, const BlockReport& report, const PooledBytes& bytes) {
    RemoteUnit* const unit = unit_of(from, report.run, report.unit);
    if (unit == nullptr || unit->has_failed) return;
    if (!back_.holds(from)) return end_block(*unit, report, bytes.bytes());
    const auto told = std::make_shared<BlockReport>(report);
    back_.begin(from, static_cast<double>(bytes.size), steady_clock::now(),
                [this, from, told, bytes] {
                  RemoteUnit* const of = unit_of(from, told->run, told->unit);
                  if (of == nullptr || of->has_failed) return;
                  end_block(*of, *told, bytes.bytes());
                });
  }

  void end_block(RemoteUnit& unit, const BlockReport& told, std::span<const std::byte> bytes) {
    const auto found = std::ranges::find_if(unit.at_node, [&](const AtNode& at) {
      return at.command.epoch == told.epoch && at.command.block.id == told.block.id &&
             at.command.probe.has_value() == told.probe.has_value() &&
             (!told.probe || at.command.probe->id == told.probe->id);
    });
    if (found == unit.at_node.end()) return;
    const AtNode at = *found;
    unit.at_node.erase(found);
    Report report{.command = at.command, .cores = told.cores, .kind = told.kind, .why = told.why};
    if (told.kind == ReportKind::done && !told.probe) {
      keep_results(unit, at.command, told, bytes, report);
    } else if (told.kind == ReportKind::lost || told.kind == ReportKind::dropped) {
      unit.mailbox->slots().release_claim(at.command.slot);
    }
    report.end = now(unit);
    set_times(unit, at, told, report);
    unit.mailbox->report(report);
  }

  /// Copies results to where they belong, if they count.
  void keep_results(const RemoteUnit& unit, const Command& command, const BlockReport& told,
                    std::span<const std::byte> bytes, Report& report) {
    WorkerMailbox& box = *unit.mailbox;
    if (box.is_abandoned(command) || !box.slots().claim(command.slot)) {
      report.kind = ReportKind::dropped;
      return;
    }
    if (!unit.unit.computes) return;
    const bool are_kept = box.access_host(command, [&] { scatter(bytes, results_of(told)); });
    if (!are_kept) report.kind = ReportKind::dropped;
  }

  /// The stages of a block as the master sees them: its bytes travel, its unit computes, and its
  /// results travel back.
  void set_times(RemoteUnit& unit, const AtNode& at, const BlockReport& told, Report& report) {
    const auto from = [&](Seconds there, Seconds least) {
      return std::max(here(unit, there), least);
    };
    const Seconds begin = std::max({at.sent, at.command.assigned, unit.in_until});
    Seconds resident = told.resident_at > Seconds{} ? from(told.resident_at, begin) : begin;
    if (at.resident_at) resident = std::max(*at.resident_at, begin);
    const Seconds came = from(told.arrived, resident);
    const bool by_itself = unit.unit.copies_by_itself;
    const StageTimes& times = told.times;
    unit.in_until = std::min(came, report.end);
    report.times.setup = (resident - begin) + times.setup;
    report.times.in = (came - resident) + (by_itself ? Seconds{} : times.in);
    report.times.compute = by_itself ? times.in + times.compute + times.out : times.compute;
    // The node says when it began; what is earlier than the end of copying in is an error of
    // clocks.
    const Seconds copied_in = begin + report.times.setup + report.times.in;
    const Seconds computes = from(by_itself ? told.begins.in : told.begins.compute, copied_in);
    const Seconds computed = std::min(computes + report.times.compute, report.end);
    const Seconds outs = std::max(computed, std::min(unit.out_until, report.end));
    report.times.out = report.end - outs;
    unit.out_until = report.end;
    report.begins = {begin, begin + report.times.setup, computes, outs};
    if (report.kind == ReportKind::dropped) report.times.out = Seconds{};
    report.begins = without_empty_stages(report.begins, report.times, report.end);
  }

  std::shared_ptr<Communicator> communicator_;
  int ranks_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> tasks_;
  std::vector<std::deque<std::string>> answers_;  ///< (ranks)
  std::vector<std::string> lost_;                 ///< (ranks), why; empty: it is there
  std::vector<std::string> names_;                ///< (ranks)
  std::vector<NodePlacement> places_;             ///< (ranks)
  std::map<int, std::optional<std::string>> began_;
  std::set<int> has_ended_;
  std::map<int, double> ahead_at_zero_ns_;
  std::uint64_t run_number_ = 0;
  SentData sent_;
  std::vector<RemoteUnit> units_;
  std::vector<ProbedLink> link_probes_;
  BytePool pool_;
  HeldLinks there_{{}};
  HeldLinks back_{{}};
  NodesRunEnd ended_;
};

Nodes::Nodes(std::shared_ptr<Communicator> communicator)
    : master_(std::make_unique<Master>(std::move(communicator))) {}

Nodes::~Nodes() {
  if (master_) end(1);
}

int Nodes::ranks() const { return master_->ranks(); }
std::vector<std::string> Nodes::ask(const std::vector<std::string>& questions) {
  return master_->ask(questions);
}
void Nodes::call(std::vector<std::string> names) { master_->call(std::move(names)); }
void Nodes::place(std::vector<NodePlacement> places) { master_->place(std::move(places)); }
void Nodes::hold(std::vector<HeldLink> links) { master_->hold(std::move(links)); }
std::vector<LinkProbeTimes> Nodes::probe_links(const std::vector<LinkProbe>& probes) {
  return master_->probe_links(probes);
}
void Nodes::begin_run(const NodesRun& run) { master_->begin_run(run); }
std::unique_ptr<Worker> Nodes::make_worker(const NodeUnit& unit, const WorkerSetup& setup) {
  return master_->make_worker(unit, setup);
}
void Nodes::start_clock(const Clock& clock) { master_->start_clock(clock); }
NodesRunEnd Nodes::end_run(const NodesPatience& patience) { return master_->end_run(patience); }
std::vector<std::optional<ClockOffset::Estimate>> Nodes::clocks() const {
  return master_->clocks();
}
void Nodes::end(int exit_code) {
  master_->end(exit_code);
  master_.reset();
}

}  // namespace equipoise
