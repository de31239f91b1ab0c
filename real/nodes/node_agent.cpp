// The process of a node: what is slow is done by its first thread, one thing after another, and
// what belongs to blocks by the communicator's.
#include "real/nodes/node_agent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "real/disturbances.hpp"
#include "real/nodes/agent_records.hpp"
#include "real/nodes/byte_pool.hpp"
#include "real/nodes/node_data.hpp"
#include "real/nodes/node_messages.hpp"
#include "real/nodes/payload.hpp"
#include "real/two_levels/node_worker.hpp"
#include "real/worker_mailbox.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

using std::chrono::milliseconds;
using TimePoint = WakeSignal::TimePoint;

/// How long the end of a run waits for a unit, after a stop and otherwise.
constexpr milliseconds patience_after_stop{1000};
constexpr milliseconds patience_at_end{60'000};

/// A block or a probe on its way to a unit.
struct Arriving {
  SendBlock sent;
  std::size_t pieces_left = 0;
  std::uint32_t residents_before = 0;  ///< how many resident arrays were sent before it
  bool is_released = true;             ///< no held link keeps it
  bool is_dropped = false;             ///< it was taken back
  Seconds arrived{};
};

/// One unit of the node in a run.
struct LocalUnit {
  std::unique_ptr<Worker> worker;
  std::uint32_t epoch = 0;
  bool is_freeing = false;  ///< the master waits for the end of what was abandoned
  std::deque<std::shared_ptr<Arriving>> arriving{};
  /// Of the blocks and probes that the worker has, the reports as far as they are known.
  std::vector<BlockReport> at_worker{};
};

/// Warnings of a run. Several threads may use it.
class NodeNotes {
 public:
  void add(std::string text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    texts_.push_back(std::move(text));
  }
  [[nodiscard]] std::vector<std::string> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(texts_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
};

/// One run, between its beginning and its end.
struct NodeRun {
  NodeRunSetup setup;
  std::vector<std::unique_ptr<NodeKernel>> kernels;  ///< (phases)
  std::vector<Workload> phases;
  std::vector<UnitSpec> specs;
  std::shared_ptr<Clock> clock;
  std::shared_ptr<Lateness> lateness = std::make_shared<Lateness>();
  std::vector<LocalUnit> units;
  RunLoads loads;  ///< used by the first thread
  std::shared_ptr<NodeNotes> notes = std::make_shared<NodeNotes>();
  std::uint32_t residents_sent = 0;
  std::uint32_t residents_here = 0;
  Seconds resident_at{};  ///< when the last resident array was there
  int phase = -1;         ///< of the last block
  int iteration = -1;
};

class NodeAgent final : public CommunicatorClient {
 public:
  NodeAgent(Communicator& communicator, NodeService& service)
      : communicator_(&communicator), service_(service) {
    communicator_->serve(this);
  }
  ~NodeAgent() override { communicator_->serve(nullptr); }

  int run() {
    while (true) {
      MessageToNode next = await();
      if (const auto* const end = std::get_if<EndNode>(&next)) {
        take_down(true);
        return end->exit_code;
      }
      if (auto* const question = std::get_if<Question>(&next)) {
        post(Answer{service_.answer(question->text)});
      } else if (auto* const begin = std::get_if<BeginRun>(&next)) {
        bring_up(begin->setup);
      } else if (const auto* const end_run = std::get_if<EndRun>(&next)) {
        RunEnded ended = take_down(end_run->is_stopped);
        ended.run = end_run->run;
        post(std::move(ended));
      } else if (std::holds_alternative<ZeroClock>(next)) {
        start_loads();
      }
    }
  }

  // The communicator's thread.

  void message(int /*from*/, std::string_view bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    MessageToNode message = read_message_to_node(bytes);
    const bool is_slow =
        std::holds_alternative<Question>(message) || std::holds_alternative<BeginRun>(message) ||
        std::holds_alternative<EndRun>(message) || std::holds_alternative<EndNode>(message) ||
        std::holds_alternative<ZeroClock>(message);
    if (const auto* const begin = std::get_if<BeginRun>(&message)) prepare(begin->setup);
    if (const auto* const zero = std::get_if<ZeroClock>(&message)) set_clock(*zero);
    if (is_slow) {
      slow_.push_back(std::move(message));
      changed_.notify_all();
      return;
    }
    std::visit(
        [this](auto& one) {
          if constexpr (requires { take(one); }) take(one);
        },
        message);
  }

  [[nodiscard]] bool has_work() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!outgoing_.empty()) return true;
    return is_up_ && std::ranges::any_of(run_->units, [](LocalUnit& unit) {
             return unit.worker->report() != nullptr;
           });
  }

  /// Units that have a block behind the one that they compute wait for nothing.
  [[nodiscard]] bool has_time() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return is_up_ && std::ranges::all_of(run_->units, [](const LocalUnit& unit) {
             return unit.at_worker.size() > 1;
           });
  }

  bool serve() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    bool has_worked = !outgoing_.empty();
    for (const MessageFromNode& message : std::exchange(outgoing_, {})) {
      communicator_->post(0, archived(message));
    }
    if (!is_up_) return has_worked;
    for (std::uint32_t number = 0; number < run_->units.size(); ++number) {
      has_worked |= report_of(number);
    }
    return has_worked;
  }

  void lost(int rank, const std::string& /*why*/) override {
    if (rank != 0) return;  // another node is the master's business
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!slow_.empty() && std::holds_alternative<EndNode>(slow_.back())) return;
    is_alone_ = true;
    slow_.clear();
    slow_.emplace_back(EndNode{1});
    changed_.notify_all();
  }

 private:
  // The first thread.

  [[nodiscard]] MessageToNode await() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return !slow_.empty(); });
    MessageToNode next = std::move(slow_.front());
    slow_.pop_front();
    return next;
  }

  void post(MessageFromNode message) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      outgoing_.push_back(std::move(message));
    }
    communicator_->wake();
  }

  void bring_up(const NodeRunSetup& setup) {
    RunBegan began{setup.run, {}};
    try {
      if (!unprepared_.empty()) throw BackendError(unprepared_);
      communicator_->run_on(setup.place.controller(), setup.place.waiting_compute);
      if (std::ranges::any_of(run_->specs, &UnitSpec::computes)) {
        for (const auto& kernel : run_->kernels) kernel->memory()->make_ready();
      }
      await_residents(setup.residents_before);
      for (Kernel* const kernel : service_.kernels()) {
        if (kernel != nullptr) kernel->begin_run_on_node();
      }
      make_units();
      communicator_->watch_closely(true);
      const std::lock_guard<std::mutex> lock(mutex_);
      is_up_ = true;
    } catch (const std::exception& failure) {
      began.why = failure.what();
    }
    post(std::move(began));
  }

  /// Waits for resident data that units have before the run.
  void await_residents(std::uint32_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return run_->residents_here >= count || is_alone_; });
    if (is_alone_) throw BackendError("the master is gone");
  }

  void make_units() {
    NodeRun& run = *run_;
    std::vector<LocalUnit> units;
    WorkerSetup common{.unit = {},
                       .cores = {},
                       .waiting = run.setup.place.others(),
                       .copies_first = run.setup.place.copies_first(),
                       .rates = {},
                       .phases = {},
                       .draws = run.setup.draws,
                       .clock = run.clock,
                       .controller = communicator_->signal(),
                       .lateness = run.lateness,
                       .measures_waits = run.setup.measures_waits};
    for (std::size_t phase = 0; phase < run.phases.size(); ++phase) {
      common.phases.push_back({&run.phases[phase], run.kernels[phase].get()});
    }
    if (run.setup.agent) {
      common.unit.name = run.specs.front().unit.node;
      units.push_back({make_node_worker(common, part_of(run))});
    } else {
      for (std::size_t i = 0; i < run.specs.size(); ++i) {
        const UnitSpec& spec = run.specs[i];
        WorkerSetup worker = common;
        worker.unit = spec.unit;
        worker.cores = run.setup.place.cores[i];
        worker.rates = spec.rates(run.setup.scenario);
        units.push_back({spec.factory->make_worker(std::move(worker))});
      }
    }
    for (LocalUnit& unit : units) unit.worker->await_up();
    const std::lock_guard<std::mutex> lock(mutex_);
    run.units = std::move(units);
  }

  /// All units of the node, with its agent.
  NodePart part_of(const NodeRun& run) {
    DrivenUnits units{.units = run.specs,
                      .placement = run.setup.place,
                      .scenario = run.setup.scenario,
                      .block_timeout = run.setup.agent->block_timeout,
                      .time_scale = run.setup.time_scale,
                      .stop_requested = {},
                      .warn = [notes = run.notes](const std::string& text) { notes->add(text); },
                      .report_cores = {}};
    auto journal = std::make_shared<PostingJournal>(
        [this, number = run.setup.run](std::vector<RecordedLine> lines) {
          post(AgentRecords{number, std::move(lines)});
        });
    DivideBlocks agent = service_.make_agent(*run.setup.agent, run.setup.scenario, journal);
    return {std::move(units),
            [this, agent, journal, number = run.setup.run](Executor& executor, NodeBlocks& blocks) {
              PostedBlocks posted(blocks, *journal);
              try {
                return agent(executor, posted);
              } catch (const InputError& refused) {
                post(AgentRefused{number, refused.where(), refused.why()});
                throw;
              }
            }};
  }

  /// Starts the loads of the scenario, whose clock has started.
  void start_loads() {
    if (!is_up()) return;
    try {
      run_->loads.start(run_->setup.scenario, run_->specs, run_->setup.place.cores, *run_->clock);
    } catch (const std::exception& failure) {
      run_->notes->add(fmt::format("loads of the scenario are missing: {}", failure.what()));
    }
  }
  [[nodiscard]] bool is_up() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return is_up_;
  }

  /// Ends the run, if there is one.
  RunEnded take_down(bool is_stopped) {
    communicator_->watch_closely(false);
    std::unique_ptr<NodeRun> run;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_up_ = false;
      run = std::move(run_);
    }
    RunEnded ended;
    if (!run) return ended;
    run->loads.tell(run->clock->now(), [&](const Disturbance& load, double share) {
      const auto event = &load - run->setup.scenario.events.data();
      ended.loads.push_back({static_cast<std::uint32_t>(event), share});
    });
    for (LocalUnit& unit : run->units) {
      unit.worker->abandon(Abandoned::with_unit);
      unit.worker->stop();
    }
    for (std::size_t i = 0; i < run->units.size(); ++i) {
      Worker& worker = *run->units[i].worker;
      if (worker.has_ended(is_stopped ? patience_after_stop : patience_at_end)) continue;
      worker.leave_behind();
      run->notes->add(fmt::format(
          "{} is left behind: it works until the program ends, and may disturb what runs until "
          "then",
          run->setup.agent ? "a unit of it" : "unit " + run->specs[i].unit.name));
    }
    run->loads.end();
    ended.warnings = run->notes->take();
    const PacingReport pacing = run->lateness->report();
    ended.late_blocks = static_cast<std::int64_t>(pacing.blocks);
    ended.late_mean = pacing.late_mean;
    ended.late_most = pacing.late_most;
    return ended;
  }

  // The communicator's thread, with the lock.

  /// Makes room for the data of a run that is to begin, because resident ones may follow at once.
  /// The first thread tells if that fails.
  void prepare(const NodeRunSetup& setup) {
    unprepared_.clear();
    auto run = std::make_unique<NodeRun>();
    run->setup = setup;
    run->phases = setup.phases;
    run->specs = service_.units();
    run->clock = make_steady_clock(setup.time_scale);
    try {
      add_kernels(*run);
    } catch (const std::exception&) {
      run->kernels.clear();
      unprepared_ = reason_of(std::current_exception());
    }
    run_ = std::move(run);
  }

  /// A run may have some of the phases that the node has opened, such as one that is recorded.
  void add_kernels(NodeRun& run) {
    if (shapes_ != run.setup.shapes) {
      data_.clear();
      shapes_.clear();
      for (const DataShape& shape : run.setup.shapes) {
        data_.push_back(std::make_shared<ShapedData>(shape));
      }
      shapes_ = run.setup.shapes;
    }
    const std::vector<Workload>& opened = service_.phases();
    const std::vector<Kernel*> kernels = service_.kernels();
    for (std::size_t phase = 0; phase < run.phases.size(); ++phase) {
      const auto found = std::ranges::find(opened, run.phases[phase]);
      if (found == opened.end()) {
        throw BackendError(run.phases[phase].kernel + " is no workload of this node");
      }
      const auto number = static_cast<std::size_t>(found - opened.begin());
      run.kernels.push_back(
          std::make_unique<NodeKernel>(kernels[number], run.phases[phase], data_[phase]));
      if (run.phases.size() > 1) continue;
      for (UnitSpec& spec : run.specs) {
        if (auto only = spec.factory->for_phase(number)) spec.factory = std::move(only);
      }
    }
  }

  [[nodiscard]] bool is_of_run(std::uint64_t run) const { return run_ && run_->setup.run == run; }

  void set_clock(const ZeroClock& zero) {
    if (!is_of_run(zero.run)) return;
    // It was before this message came, whatever the clocks seem to say.
    run_->clock->start_at(
        std::min(TimePoint(std::chrono::nanoseconds(zero.ns)), TimePoint::clock::now()));
  }

  void take(const SendResident& sent) {
    std::span<std::byte> room;
    std::shared_ptr<void> owner;
    if (is_of_run(sent.run) && sent.phase < run_->kernels.size()) {
      ++run_->residents_sent;
      begin_iteration();
      NodeKernel& kernel = *run_->kernels[sent.phase];
      room = kernel.room_for_resident(sent.array, sent.version);
      owner = kernel.memory()->owner();
    } else {
      const PooledBytes unwanted = pool_.take(sent.bytes);
      room = unwanted.span();
      owner = unwanted.owner;
    }
    communicator_->receive(0, room, std::move(owner), [this, run = sent.run] {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!is_of_run(run)) return;
      ++run_->residents_here;
      run_->resident_at = run_->clock->now();
      changed_.notify_all();
      for (std::uint32_t unit = 0; unit < run_->units.size(); ++unit) hand_on(run, unit);
    });
  }

  /// The data of the kernels change: blocks of before, which were all given up, must not read them
  /// any more.
  void begin_iteration() {
    for (LocalUnit& unit : run_->units) {
      unit.worker->begin_iteration();
      for (const auto& arriving : unit.arriving) {
        if (!arriving->sent.probe) arriving->is_dropped = true;
      }
    }
  }

  void take(SendBlock& sent) {
    auto block = std::make_shared<Arriving>();
    block->sent = std::move(sent);
    block->pieces_left = block->sent.pieces.size();
    block->is_released = !block->sent.is_held;
    const bool is_current = is_of_run(block->sent.run) && is_up_;
    if (is_current) block->residents_before = run_->residents_sent;
    const std::uint64_t run = block->sent.run;
    const std::uint32_t unit = block->sent.unit;
    if (is_current) run_->units[unit].arriving.push_back(block);
    receive_pieces(block, is_current);
    if (is_current && block->pieces_left == 0) {
      block->arrived = run_->clock->now();
      hand_on(run, unit);
    }
  }

  void receive_pieces(const std::shared_ptr<Arriving>& block, bool is_current) {
    SendBlock& sent = block->sent;
    const bool has_data = is_current && !sent.probe;
    std::vector<std::span<std::byte>> rooms;
    if (has_data) {
      rooms = run_->kernels[static_cast<std::size_t>(sent.block.phase)]->room_for_input(sent.block);
      if (!sent.enclosed.empty()) scatter(std::as_bytes(std::span(sent.enclosed)), rooms);
    }
    if (sent.pieces.empty()) return;
    const bool are_apart = has_data && form_of(rooms) == PayloadForm::apart;
    for (std::size_t i = 0; i < sent.pieces.size(); ++i) {
      std::shared_ptr<void> owner;
      std::span<std::byte> room;
      PooledBytes all;
      if (are_apart) {
        owner = run_->kernels[static_cast<std::size_t>(sent.block.phase)]->memory()->owner();
        room = rooms[i];
      } else {
        all = pool_.take(sent.pieces[i]);
        owner = all.owner;
        room = all.span();
      }
      communicator_->receive(0, room, std::move(owner), [this, block, all, has_data] {
        const std::lock_guard<std::mutex> lock(mutex_);
        piece_arrived(*block, has_data ? all : PooledBytes{});
      });
    }
  }

  /// `all`: the parts in one piece, which are to be put in their places; empty: they are there.
  void piece_arrived(Arriving& block, const PooledBytes& all) {
    const SendBlock& sent = block.sent;
    if (--block.pieces_left > 0 || !is_of_run(sent.run) || !is_up_) return;
    if (all.size > 0) {
      scatter(
          all.bytes(),
          run_->kernels[static_cast<std::size_t>(sent.block.phase)]->room_for_input(sent.block));
    }
    block.arrived = run_->clock->now();
    hand_on(sent.run, sent.unit);
  }

  /// Gives the worker of a unit the blocks that are there, in order.
  void hand_on(std::uint64_t run, std::uint32_t number) {
    if (!is_of_run(run) || !is_up_) return;
    LocalUnit& unit = run_->units[number];
    while (!unit.arriving.empty()) {
      const Arriving& first = *unit.arriving.front();
      if (first.pieces_left > 0) return;
      if (first.sent.epoch == unit.epoch) {
        if (!first.is_released || run_->residents_here < first.residents_before) return;
        hand_on(unit, number, first);
      }  // else it was abandoned, and nothing releases it
      unit.arriving.pop_front();
    }
  }

  void hand_on(LocalUnit& unit, std::uint32_t number, const Arriving& block) {
    const SendBlock& sent = block.sent;
    const Seconds resident_at = sent.follows_resident ? run_->resident_at : Seconds{};
    BlockReport report{.run = run_->setup.run,
                       .unit = number,
                       .epoch = sent.epoch,
                       .block = sent.block,
                       .probe = sent.probe,
                       .resident_at = resident_at,
                       .arrived = std::max(block.arrived, resident_at)};
    if (block.is_dropped) return report_dropped(report);
    unit.at_worker.push_back(std::move(report));
    unit.worker->queue({.block = sent.block, .assigned = block.arrived, .probe = sent.probe},
                       nullptr);
  }

  void report_dropped(BlockReport report) {
    const Seconds at = report.arrived;
    report.kind = ReportKind::dropped;
    report.begins = {at, at, at, at};
    report.end = run_->clock->now();
    communicator_->post(0, archived(MessageFromNode(report)));
  }

  [[nodiscard]] static auto at_worker(LocalUnit& unit, const BlockAtNode& id) {
    return std::ranges::find_if(unit.at_worker, [&](const BlockReport& report) {
      return id_of(report.block, report.probe) == id;
    });
  }

  void take(const SendLinkProbe& probe) {
    const auto answer = [this, probe] {
      const std::int64_t ns = ns_of(std::chrono::steady_clock::now());
      communicator_->post(
          0, archived(MessageFromNode(LinkProbed{probe.number, ns, probe.back_bytes})));
      if (probe.back_bytes == 0) return;
      const PooledBytes back = pool_.take(probe.back_bytes);
      communicator_->send(0, back.bytes(), back.owner);
    };
    if (probe.is_held) held_probes_.emplace(probe.number, answer);
    if (probe.there_bytes == 0) {
      if (!probe.is_held) answer();
      return;
    }
    const PooledBytes there = pool_.take(probe.there_bytes);
    communicator_->receive(0, there.span(), there.owner, [this, answer, is_held = probe.is_held] {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!is_held) answer();
    });
  }
  /// Its bytes came long before, unless the link is slower than what holds it.
  void take(const ReleaseLinkProbe& release) {
    const auto found = held_probes_.extract(release.number);
    if (!found.empty()) found.mapped()();
  }

  void take(const ReleaseBlock& release) {
    if (!is_of_run(release.run) || !is_up_) return;
    for (const auto& arriving : run_->units[release.unit].arriving) {
      if (arriving->sent.epoch != release.epoch ||
          id_of(arriving->sent.block, arriving->sent.probe) != release.block) {
        continue;
      }
      arriving->is_released = true;
      arriving->arrived = run_->clock->now();
    }
    hand_on(release.run, release.unit);
  }

  void take(const TakeBackBlock& back) {
    if (!is_of_run(back.run) || !is_up_) return;
    LocalUnit& unit = run_->units[back.unit];
    for (const auto& arriving : unit.arriving) {
      if (id_of(arriving->sent.block, arriving->sent.probe) == back.block) {
        arriving->is_dropped = true;
      }
    }
    const auto has = at_worker(unit, back.block);
    if (has == unit.at_worker.end() || back.block.probe) return;
    if (unit.worker->take_back(back.block.block) != Fate::not_begun) return;
    report_dropped(*has);
    unit.at_worker.erase(has);
  }

  void take(const AbandonBlocks& abandon) {
    if (!is_of_run(abandon.run) || !is_up_) return;
    LocalUnit& unit = run_->units[abandon.unit];
    unit.epoch = abandon.epoch;
    unit.is_freeing = true;
    unit.at_worker.clear();
    unit.worker->abandon(abandon.are_late ? Abandoned::late : Abandoned::with_unit);
    hand_on(abandon.run, abandon.unit);
  }

  /// Sends the reports of a unit's worker. Returns whether there were any.
  bool report_of(std::uint32_t number) {
    LocalUnit& unit = run_->units[number];
    bool has_worked = false;
    while (const Report* const report = unit.worker->report()) {
      has_worked = true;
      if (report->kind == ReportKind::failed) {
        BlockReport failed{.run = run_->setup.run, .unit = number};
        failed.kind = ReportKind::failed;
        failed.why = report->why;
        communicator_->post(0, archived(MessageFromNode(failed)));
        unit.worker->drop_report();
        continue;
      }
      send(unit, *report);
      unit.worker->drop_report();
    }
    if (unit.is_freeing && unit.worker->is_free()) {
      unit.is_freeing = false;
      has_worked = true;
      communicator_->post(0,
                          archived(MessageFromNode(UnitFree{run_->setup.run, number, unit.epoch})));
    }
    return has_worked;
  }

  void send(LocalUnit& unit, const Report& report) {
    const auto has = at_worker(unit, id_of(report.command.block, report.command.probe));
    if (has == unit.at_worker.end()) return;
    BlockReport told = std::move(*has);
    unit.at_worker.erase(has);
    told.kind = report.kind;
    told.times = report.times;
    told.begins = report.begins;
    told.end = report.end;
    told.cores = report.cores;
    told.why = report.why;
    if (told.kind == ReportKind::done && told.probe) {
      send_back(told);
    } else if (told.kind == ReportKind::done) {
      send_results(told);
    } else {
      communicator_->post(0, archived(MessageFromNode(told)));
    }
  }

  /// The bytes of a probe that come back.
  void send_back(BlockReport& told) {
    const PooledBytes blank =
        pool_.take(static_cast<std::size_t>(told.probe->back_bytes.value_or(0.0)));
    if (blank.size > 0) told.pieces.push_back(blank.size);
    communicator_->post(0, archived(MessageFromNode(told)));
    if (blank.size > 0) communicator_->send(0, blank.bytes(), blank.owner);
  }

  void send_results(BlockReport& told) {
    const NodeKernel& kernel = *run_->kernels[static_cast<std::size_t>(told.block.phase)];
    const std::vector<ReceivedPart> parts = result_parts(kernel.data(), told.block);
    Packed packed = pack(parts);
    told.enclosed = std::move(packed.enclosed);
    told.pieces = std::move(packed.pieces);
    communicator_->post(0, archived(MessageFromNode(told)));
    if (packed.form == PayloadForm::gathered) {
      const PooledBytes copy = pool_.take(bytes_in(parts));
      gather(parts, copy.span());
      communicator_->send(0, copy.bytes(), copy.owner);
    } else if (packed.form == PayloadForm::apart) {
      for (const ReceivedPart& part : parts) {
        communicator_->send(0, part, kernel.memory()->owner());
      }
    }
  }

  Communicator* communicator_;
  BytePool pool_;
  NodeService& service_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<MessageToNode> slow_;         ///< for the first thread
  std::vector<MessageFromNode> outgoing_;  ///< from the first thread
  std::unique_ptr<NodeRun> run_;
  bool is_up_ = false;     ///< the units of `run_` are
  bool is_alone_ = false;  ///< the master is gone
  std::map<std::uint64_t, std::function<void()>> held_probes_;
  std::string unprepared_;  ///< why there is no room for the data of `run_`; empty: there is
  std::vector<DataShape> shapes_;
  std::vector<std::shared_ptr<ShapedData>> data_;  ///< (phases), kept for further runs
};

}  // namespace

int serve_node(Communicator& communicator, NodeService& service) {
  return NodeAgent(communicator, service).run();
}

}  // namespace equipoise
