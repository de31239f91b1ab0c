// The master's side: hands the blocks of remote units to their nodes and takes results back, in the
// communicator's thread. It serves the mailboxes of all these units.
#include "real/nodes/nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "real/nodes/byte_pool.hpp"
#include "real/nodes/payload.hpp"
#include "real/nodes/remote_stages.hpp"
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
      : MailboxWorker(std::move(controller), std::move(thread), nullptr) {}
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
        nodes_(static_cast<std::size_t>(communicator_->ranks())),
        link_probes_(*communicator_, there_, back_, [this] { changed_.notify_all(); }) {
    for (int rank = 1; rank < ranks(); ++rank) {
      node(rank).title = fmt::format("{} ({})", node_name(rank), communicator_->host_of(rank));
    }
    communicator_->serve(this);
    communicator_->await_clocks(clocks_patience);
  }

  // The controller's side.

  [[nodiscard]] int ranks() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] const std::string& title_of(int rank) const { return node(rank).title; }

  std::vector<std::string> ask(const std::vector<std::string>& questions) {
    in_thread([this, questions] {
      for (int rank = 1; rank < ranks(); ++rank) {
        node(rank).answer.reset();
        post(rank, Question{questions[static_cast<std::size_t>(rank - 1)]});
      }
    });
    await([](const Node& node) { return node.answer.has_value(); }, answer_patience);
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::string> answers;
    for (int rank = 1; rank < ranks(); ++rank) {
      if (!node(rank).answer) throw BackendError(lost_text(rank));
      answers.push_back(std::move(*node(rank).answer));
    }
    return answers;
  }

  void place(std::vector<Placement> places) {
    communicator_->run_on(places.front().others(), places.front().waiting_compute);
    for (std::size_t rank = 0; rank < nodes_.size(); ++rank) {
      nodes_[rank].place = std::move(places[rank]);
    }
  }
  void hold(std::vector<HeldLink> links) {
    const std::lock_guard<std::mutex> lock(mutex_);
    there_ = HeldLinks(links);
    back_ = HeldLinks(std::move(links));
  }

  void begin_run(const NodesRun& run) {
    NodeRunSetup setup{.scenario = run.scenario,
                       .draws = run.draws,
                       .time_scale = run.time_scale,
                       .measures_waits = run.measures_waits};
    for (const WorkerPhase& phase : run.phases) setup.phases.push_back(*phase.workload);
    in_thread([this, setup, agents = run.agents,
               sent = std::make_shared<SentData>(run.phases, ranks())]() mutable {
      sent_ = std::move(*sent);
      sent_.begin_run(++run_number_);
      setup.run = run_number_;
      setup.shapes = sent_.shapes();
      const bool is_replicated = setup.phases.front().distribution == Distribution::replicated;
      ended_ = NodesRunEnd{};
      agents_ = agents;
      for (int rank = 1; rank < ranks(); ++rank) {
        setup.place = node(rank).place;
        setup.agent.reset();
        if (agents && agents->numbers[at_rank(rank)]) {
          const std::uint64_t number = *agents->numbers[at_rank(rank)];
          setup.agent = NodeAgentSetup{number, agents->block_timeout};
          const std::vector<RecordedAgent>& recorded = agents->agents->recorded;
          if (!recorded.empty()) setup.agent->recorded = recorded[number];
        }
        setup.residents_before = is_replicated ? sent_.count_missing(rank) : 0;
        node(rank).began.reset();
        node(rank).has_ended = false;
        post(rank, BeginRun{setup});
        if (is_replicated) static_cast<void>(sent_.send_resident(*communicator_, rank, 0, 0));
      }
    });
    await([](const Node& node) { return node.began.has_value(); }, answer_patience);
    std::string why;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (int rank = 1; rank < ranks() && why.empty(); ++rank) why = refusal_of(rank);
    }
    if (!why.empty()) {
      static_cast<void>(end_run({}));
      throw BackendError(why);
    }
    communicator_->watch_closely(true);
  }

  std::unique_ptr<Worker> make_worker(const NodeUnit& unit, const WorkerSetup& setup) {
    auto worker = std::make_unique<RemoteWorker>(setup.controller, communicator_->signal());
    in_thread([this, unit, clock = setup.clock, box = worker->box()] {
      RemoteUnit& added = units_.emplace_back(RemoteUnit{unit, box, clock});
      if (node(unit.rank).is_lost()) fail(added, lost_text(unit.rank));
    });
    return worker;
  }

  void start_clock(const Clock& clock) {
    in_thread([this, zero_ns = ns_of(clock.moment(Seconds{}))] {
      for (int rank = 1; rank < ranks(); ++rank) {
        const double ahead = communicator_->clock_of(rank).ahead_at(static_cast<double>(zero_ns));
        node(rank).ahead_at_zero_ns = ahead;
        post(rank, ZeroClock{run_number_, zero_ns + static_cast<std::int64_t>(ahead)});
      }
    });
  }

  NodesRunEnd end_run(const NodesPatience& patience) {
    communicator_->watch_closely(false);
    in_thread([this, is_stopped = patience.is_stopped] {
      units_.clear();
      there_.clear();
      back_.clear();
      for (int rank = 1; rank < ranks(); ++rank) post(rank, EndRun{run_number_, is_stopped});
    });
    await([](const Node& node) { return node.has_ended; }, patience.most);
    const std::lock_guard<std::mutex> lock(mutex_);
    sent_ = SentData();
    agents_.reset();
    return std::exchange(ended_, {});
  }

  std::vector<LinkProbeTimes> probe_links(const std::vector<LinkProbe>& probes) {
    in_thread([this, probes] { link_probes_.begin(probes); });
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, answer_patience, [this] {
      return std::ranges::all_of(link_probes_.all(), [this](const LinkProbes::Probe& probe) {
        return probe.is_done || node(probe.asked.rank).is_lost();
      });
    });
    std::vector<LinkProbeTimes> times;
    for (const LinkProbes::Probe& probe : link_probes_.all()) {
      if (!probe.is_done) throw BackendError(lost_text(probe.asked.rank));
      times.push_back(probe.times);
    }
    return times;
  }

  std::vector<std::optional<ClockOffset::Estimate>> clocks() {
    std::vector<std::optional<ClockOffset::Estimate>> clocks;
    in_thread([this, &clocks] {
      for (int rank = 1; rank < ranks(); ++rank) {
        clocks.emplace_back();
        if (!node(rank).is_lost()) clocks.back() = communicator_->clock_of(rank);
      }
    });
    return clocks;
  }

  void end(int exit_code) {
    in_thread([this, exit_code] {
      for (int rank = 1; rank < ranks(); ++rank) post(rank, EndNode{exit_code});
    });
    communicator_->serve(nullptr);
  }

  // The communicator's thread. The communicator holds a lock meanwhile, so that nothing of it is
  // called from elsewhere with `mutex_` held.

  void message(int from, std::string_view bytes) override {
    MessageFromNode message = read_message_from_node(bytes);
    const std::lock_guard<std::mutex> lock(mutex_);
    std::visit([this, from](auto& one) { take(from, one); }, message);
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
    node(rank).lost = why;
    for (RemoteUnit& unit : units_) {
      if (unit.unit.rank == rank) fail(unit, lost_text(rank));
    }
    changed_.notify_all();
  }

 private:
  /// What is known of a rank.
  struct Node {
    std::string title;
    std::string lost;  ///< why it is; empty: it is there
    Placement place;
    std::optional<std::string> answer;  ///< to the last question
    std::optional<std::string> began;   ///< why it did not begin the run; empty: it did
    bool has_ended = false;             ///< the run
    double ahead_at_zero_ns = 0.0;      ///< of its clock, when that of the run was 0

    [[nodiscard]] bool is_lost() const { return !lost.empty(); }
  };

  /// A block or a probe that is at a node.
  struct AtNode {
    Command command;
    Seconds sent{};                        ///< when its bytes began to move
    std::optional<Seconds> resident_at{};  ///< when a held link had moved the resident data for it
    bool is_told = false;                  ///< that it was taken back

    [[nodiscard]] BlockAtNode id() const { return id_of(command.block, command.probe); }
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
    RemoteCopies copies{};
  };

  [[nodiscard]] Node& node(int rank) { return nodes_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const Node& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }

  /// The place of a rank in (ranks - 1).
  [[nodiscard]] static std::size_t at_rank(int rank) { return static_cast<std::size_t>(rank - 1); }

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

  /// Waits until `is_done` of all nodes that are not lost.
  void await(bool (*is_done)(const Node& node), milliseconds patience) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, patience, [&] {
      return std::all_of(nodes_.begin() + 1, nodes_.end(),
                         [&](const Node& node) { return node.is_lost() || is_done(node); });
    });
  }

  [[nodiscard]] std::string lost_text(int rank) const {
    const std::string& why = node(rank).lost;
    return fmt::format("{} is lost: {}", node(rank).title,
                       why.empty() ? "it does not answer" : why);
  }

  /// Why a node did not begin the run; empty if it did, or if the others go on without it.
  [[nodiscard]] std::string refusal_of(int rank) const {
    const Node& of = node(rank);
    if (of.is_lost()) return {};
    if (!of.began) return lost_text(rank);
    return of.began->empty() ? std::string() : of.title + ": " + *of.began;
  }

  template <class Message>
  void post(int rank, const Message& message) {
    communicator_->post(rank, archived(MessageToNode(message)));
  }

  /// By how much the clock of a unit's node has drifted since that of the run was 0.
  [[nodiscard]] Seconds drift_of(const RemoteUnit& unit) const {
    const auto now_ns = static_cast<double>(ns_of(steady_clock::now()));
    const int rank = unit.unit.rank;
    const double ahead_ns = communicator_->clock_of(rank).ahead_at(now_ns);
    return Seconds{1e-9 * (ahead_ns - node(rank).ahead_at_zero_ns)};
  }

  bool serve_unit(std::size_t number) {
    RemoteUnit& unit = units_[number];
    WorkerMailbox& box = *unit.mailbox;
    if (unit.has_failed) return drop_commands(unit);
    bool has_worked = follow_epoch(unit);
    if (box.rings() != unit.rings) {
      unit.rings = box.rings();
      heed(unit);
      has_worked = true;
    }
    while (const Command* const next = box.command()) {
      const Command command = *next;
      box.drop_command();
      follow_epoch(unit);  // before the node gets the first block of a new one
      take_command(number, command);
      has_worked = true;
    }
    return has_worked;
  }

  /// Tells the node that earlier blocks are abandoned, if they are. Returns whether.
  bool follow_epoch(RemoteUnit& unit) {
    const std::uint32_t epoch = unit.mailbox->epoch();
    if (std::exchange(unit.epoch, epoch) == epoch) return false;
    unit.to_move.clear();
    post(unit.unit.rank,
         AbandonBlocks{run_number_, unit.unit.number, epoch, unit.mailbox->goes_on()});
    return true;
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

  static void fail(RemoteUnit& unit, const std::string& why) {
    if (std::exchange(unit.has_failed, true)) return;
    unit.at_node.clear();
    unit.mailbox->report({.command = {}, .kind = ReportKind::failed, .why = why});
  }

  /// Tells the node what was taken back.
  void heed(RemoteUnit& unit) {
    for (AtNode& at : unit.at_node) {
      ReportKind kind{};
      if (at.is_told || unit.mailbox->slots().begin(at.command.slot, kind)) continue;
      at.is_told = true;
      post(unit.unit.rank, TakeBackBlock{run_number_, unit.unit.number, at.id()});
    }
  }

  void take_command(std::size_t number, const Command& command) {
    RemoteUnit& unit = units_[number];
    const Seconds now = unit.clock->now();
    Report over{.command = command, .end = now};
    if (!unit.mailbox->slots().begin(command.slot, over.kind) ||
        unit.mailbox->is_abandoned(command)) {
      unit.mailbox->report(over);
      return;
    }
    const int rank = unit.unit.rank;
    SendBlock sent{.run = run_number_,
                   .unit = unit.unit.number,
                   .epoch = command.epoch,
                   .block = command.block,
                   .probe = command.probe,
                   .is_held = there_.holds(rank)};
    double bytes = 0.0;
    double resident_bytes = 0.0;
    const auto send = [&] {
      resident_bytes =
          sent_.send_resident(*communicator_, rank, command.block.phase, command.block.iteration);
      sent.follows_resident = resident_bytes > 0.0;
      bytes = sent_.send_block(*communicator_, rank, sent);
    };
    if (command.probe) {  // of no data: it may be older than the iteration
      bytes = sent_.send_probe(*communicator_, rank, sent);
    } else if (!unit.mailbox->access_host(command, send)) {
      over.kind = ReportKind::dropped;
      unit.mailbox->report(over);
      return;
    }
    const AtNode& at = unit.at_node.emplace_back(AtNode{command, now});
    if (!sent.is_held) return;
    const bool is_moving = !unit.to_move.empty();
    if (resident_bytes > 0.0) unit.to_move.push_back({at.id(), resident_bytes, true});
    unit.to_move.push_back({at.id(), bytes});
    if (!is_moving) move_next(number);
  }

  /// Begins to move the bytes of the oldest block for a unit over the held links.
  void move_next(std::size_t number) {
    RemoteUnit& unit = units_[number];
    if (unit.to_move.empty()) return;
    const ToMove next = unit.to_move.front();
    AtNode* const at = at_node(unit, next.block);
    if (at != nullptr && !at->resident_at) at->sent = unit.clock->now();
    const std::uint32_t epoch = unit.epoch;
    there_.begin(unit.unit.rank, next.bytes, steady_clock::now(), [this, number, epoch, next] {
      RemoteUnit& moved = units_[number];
      if (moved.epoch != epoch) return;
      AtNode* const of = at_node(moved, next.block);
      if (!next.is_resident) {
        post(moved.unit.rank, ReleaseBlock{run_number_, moved.unit.number, epoch, next.block});
      } else if (of != nullptr) {
        of->resident_at = moved.clock->now();
      }
      moved.to_move.pop_front();
      move_next(number);
    });
  }

  [[nodiscard]] static AtNode* at_node(RemoteUnit& unit, const BlockAtNode& block) {
    const auto found = std::ranges::find(unit.at_node, block, &AtNode::id);
    return found == unit.at_node.end() ? nullptr : &*found;
  }

  void take(int from, Answer& answer) {
    node(from).answer = std::move(answer.text);
    changed_.notify_all();
  }
  void take(int from, RunBegan& began) {
    if (began.run == run_number_) node(from).began = std::move(began.why);
    changed_.notify_all();
  }
  void take(int from, RunEnded& ended) {
    if (ended.run != run_number_) return;
    node(from).has_ended = true;
    for (const LoadHad& load : ended.loads) ended_.loads.emplace_back(load.event, load.share);
    ended_.pacing = together(ended_.pacing, {static_cast<std::uint64_t>(ended.late_blocks),
                                             ended.late_mean, ended.late_most});
    for (const std::string& warning : ended.warnings) {
      ended_.warnings.push_back(node(from).title + ": " + warning);
    }
    changed_.notify_all();
  }
  void take(int from, const LinkProbed& probed) {
    if (probed.back_bytes == 0) return link_probes_.end(from, probed);
    const PooledBytes back = pool_.take(probed.back_bytes);
    communicator_->receive(from, back.span(), back.owner, [this, from, probed] {
      const std::lock_guard<std::mutex> lock(mutex_);
      link_probes_.end(from, probed);
    });
  }

  void take(int from, const AgentRecords& records) {
    if (records.run != run_number_ || !agents_) return;
    try {
      for (const RecordedLine& line : records.lines) {
        agents_->agents->record(agents_->numbers[at_rank(from)].value(), line);
      }
    } catch (...) {
      agents_.reset();  // who takes records knows what has happened
    }
  }

  void take(int from, const AgentRefused& refused) {
    if (refused.run != run_number_ || !agents_) return;
    agents_->agents->refuse(InputError(refused.where, node(from).title + ": " + refused.why));
  }

  void take(int from, const UnitFree& free) {
    RemoteUnit* const unit = unit_of(from, free.run, free.unit);
    if (unit == nullptr || unit->has_failed) return;
    std::erase_if(unit->at_node, [&](const AtNode& at) {
      if (at.command.epoch >= free.epoch) return false;
      unit->mailbox->report({.command = at.command, .end = unit->clock->now()});
      return true;
    });
  }

  void take(int from, BlockReport& report) {
    if (report.kind == ReportKind::failed) {
      RemoteUnit* const unit = unit_of(from, report.run, report.unit);
      if (unit != nullptr) fail(*unit, report.why);
      return;
    }
    // What follows the message is received, whether or not it is wanted.
    std::size_t bytes = 0;
    for (const std::uint64_t piece : report.pieces) bytes += piece;
    const PooledBytes all = pool_.take(bytes);
    const auto told = std::make_shared<const BlockReport>(std::move(report));
    if (told->pieces.empty()) return arrived(from, told, all);
    std::size_t begin = 0;
    for (const std::uint64_t piece : told->pieces) {
      const auto room = all.span().subspan(begin, piece);
      begin += piece;
      communicator_->receive(from, room, all.owner,
                             [this, from, told, all, is_last = begin == bytes] {
                               const std::lock_guard<std::mutex> lock(mutex_);
                               if (is_last) arrived(from, told, all);
                             });
    }
  }

  RemoteUnit* unit_of(int rank, std::uint64_t run, std::uint32_t number) {
    if (run != run_number_) return nullptr;
    const auto found = std::ranges::find_if(units_, [&](const RemoteUnit& unit) {
      return unit.unit.rank == rank && unit.unit.number == number;
    });
    return found == units_.end() ? nullptr : &*found;
  }

  /// A report and the bytes behind it are here.
  void arrived(int from, const std::shared_ptr<const BlockReport>& told, const PooledBytes& bytes) {
    const auto end = [this, from, told, bytes] {
      RemoteUnit* const unit = unit_of(from, told->run, told->unit);
      if (unit != nullptr && !unit->has_failed) end_block(*unit, *told, bytes);
    };
    if (!back_.holds(from)) return end();
    const std::size_t moved = bytes.size + told->enclosed.size();
    back_.begin(from, static_cast<double>(moved), steady_clock::now(), end);
  }

  void end_block(RemoteUnit& unit, const BlockReport& told, const PooledBytes& bytes) {
    const AtNode* const found = at_node(unit, id_of(told.block, told.probe));
    if (found == nullptr || found->command.epoch != told.epoch) return;
    const AtNode at = *found;
    std::erase_if(unit.at_node, [&](const AtNode& one) { return &one == found; });
    Report report{.command = at.command, .cores = told.cores, .kind = told.kind, .why = told.why};
    if (told.kind == ReportKind::done && !told.probe) {
      keep_results(unit, at.command, told, bytes, report);
    } else if (told.kind == ReportKind::lost || told.kind == ReportKind::dropped) {
      unit.mailbox->slots().release_claim(at.command.slot);
    }
    report.end = unit.clock->now();
    set_times(unit, at, told, report);
    unit.mailbox->report(report);
  }

  /// Copies results to where they belong, if they count.
  void keep_results(const RemoteUnit& unit, const Command& command, const BlockReport& told,
                    const PooledBytes& bytes, Report& report) {
    WorkerMailbox& box = *unit.mailbox;
    if (box.is_abandoned(command) || !box.slots().claim(command.slot)) {
      report.kind = ReportKind::dropped;
      return;
    }
    if (!unit.unit.computes) return;
    const bool are_kept = box.access_host(command, [&] {
      scatter(told.pieces.empty() ? std::as_bytes(std::span(told.enclosed)) : bytes.bytes(),
              result_parts(sent_.data(told.block.phase), told.block));
    });
    if (!are_kept) report.kind = ReportKind::dropped;
  }

  void set_times(RemoteUnit& unit, const AtNode& at, const BlockReport& told,
                 Report& report) const {
    const Seconds drift = drift_of(unit);
    const bool by_itself = unit.unit.copies_by_itself;
    const Seconds sent = std::max(at.sent, at.command.assigned);
    const Seconds told_resident = told.resident_at > Seconds{} ? told.resident_at - drift : sent;
    const RemoteStages stages =
        remote_stages({.sent = sent,
                       .resident = at.resident_at.value_or(told_resident),
                       .arrived = told.arrived - drift,
                       .began = (by_itself ? told.begins.in : told.begins.compute) - drift,
                       .on_node = told.times,
                       .copies_by_itself = by_itself,
                       .end = report.end},
                      unit.copies);
    report.times = stages.times;
    report.begins = stages.begins;
    if (report.kind != ReportKind::dropped) return;
    report.times.out = Seconds{};
    report.begins = without_empty_stages(report.begins, report.times, report.end);
  }

  std::shared_ptr<Communicator> communicator_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> tasks_;
  std::vector<Node> nodes_;  ///< (ranks)
  std::uint64_t run_number_ = 0;
  SentData sent_;
  std::optional<RemoteAgents> agents_;  ///< of the run
  std::vector<RemoteUnit> units_;
  BytePool pool_;
  HeldLinks there_{{}};
  HeldLinks back_{{}};
  LinkProbes link_probes_;
  NodesRunEnd ended_;
};

std::string node_name(int rank) { return fmt::format("node{}", rank); }

Nodes::Nodes(std::shared_ptr<Communicator> communicator)
    : master_(std::make_unique<Master>(std::move(communicator))) {}

Nodes::~Nodes() {
  if (master_) end(1);
}

int Nodes::ranks() const { return master_->ranks(); }
std::vector<std::string> Nodes::ask(const std::vector<std::string>& questions) {
  return master_->ask(questions);
}
std::string Nodes::title_of(int rank) const { return master_->title_of(rank); }
void Nodes::place(std::vector<Placement> places) { master_->place(std::move(places)); }
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
