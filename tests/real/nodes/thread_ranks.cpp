// Frames and payloads in queues, one for each pair of ranks.
#include "tests/real/nodes/thread_ranks.hpp"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <map>
#include <mutex>

#include "real/nodes/rank_placement.hpp"
#include "real/nodes/remote_unit.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise {

/// What goes from one rank to another.
class ThreadRanks::Line {
 public:
  struct Sent {
    std::span<const std::byte> bytes;
    Ticket ticket = 0;
  };
  std::deque<std::string> frames;
  std::deque<Sent> payloads;
  std::vector<Ticket> sent;  ///< whose bytes were received
};

struct ThreadRanks::Ranks {
  std::mutex mutex;
  int count = 0;
  std::vector<bool> are_silent;
  std::map<std::pair<int, int>, Line> lines;  ///< (from, to)
};

class ThreadRanks::ThreadTransport final : public Transport {
 public:
  ThreadTransport(std::shared_ptr<Ranks> ranks, int rank) : ranks_(std::move(ranks)), rank_(rank) {}

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_->count; }

  void send_frame(int to, std::string_view bytes) override {
    expect_fit(bytes.size());
    const std::lock_guard<std::mutex> lock(ranks_->mutex);
    if (!is_silent(to)) ranks_->lines[{rank_, to}].frames.emplace_back(bytes);
  }
  void send(int to, std::span<const std::byte> bytes, Ticket ticket) override {
    const std::lock_guard<std::mutex> lock(ranks_->mutex);
    if (!is_silent(to)) ranks_->lines[{rank_, to}].payloads.push_back({bytes, ticket});
  }
  void receive(int from, std::span<std::byte> bytes, Ticket ticket) override {
    expected_[from].push_back({bytes, ticket});
  }

  void progress(TransportSink& sink) override {
    std::vector<std::pair<int, std::string>> frames;
    std::vector<Ticket> moved;
    {
      const std::lock_guard<std::mutex> lock(ranks_->mutex);
      for (int other = 0; other < ranks_->count; ++other) {
        if (other == rank_ || is_silent(other)) continue;
        Line& from = ranks_->lines[{other, rank_}];
        for (std::string& frame : std::exchange(from.frames, {})) {
          frames.emplace_back(other, std::move(frame));
        }
        auto& expected = expected_[other];
        while (!expected.empty() && !from.payloads.empty()) {
          const auto& [bytes, ticket] = expected.front();
          const Line::Sent& sent = from.payloads.front();
          if (!bytes.empty()) std::memcpy(bytes.data(), sent.bytes.data(), bytes.size());
          moved.push_back(ticket);
          from.sent.push_back(sent.ticket);
          from.payloads.pop_front();
          expected.pop_front();
        }
        auto& back = ranks_->lines[{rank_, other}].sent;
        moved.insert(moved.end(), back.begin(), back.end());
        back.clear();
      }
    }
    for (const auto& [from, frame] : frames) sink.frame(from, frame);
    for (const Ticket ticket : moved) sink.moved(ticket);
  }

  void leave(bool /*is_orderly*/) override {}

 private:
  static void expect_fit(std::size_t size) {
    EQ_CHECK(size <= frame_bytes_max, "a frame is not longer than a transport takes");
  }
  [[nodiscard]] bool is_silent(int other) const {
    return ranks_->are_silent[static_cast<std::size_t>(rank_)] ||
           ranks_->are_silent[static_cast<std::size_t>(other)];
  }

  std::shared_ptr<Ranks> ranks_;
  int rank_;
  std::map<int, std::deque<std::pair<std::span<std::byte>, Ticket>>> expected_;
};

ThreadRanks::ThreadRanks(int ranks) : ranks_(std::make_shared<Ranks>()) {
  ranks_->count = ranks;
  ranks_->are_silent.assign(static_cast<std::size_t>(ranks), false);
}

std::unique_ptr<Transport> ThreadRanks::connect(int rank) {
  return std::make_unique<ThreadTransport>(ranks_, rank);
}

void ThreadRanks::silence(int rank) {
  const std::lock_guard<std::mutex> lock(ranks_->mutex);
  ranks_->are_silent[static_cast<std::size_t>(rank)] = true;
}

std::shared_ptr<Communicator> communicator_of(ThreadRanks& ranks, int rank,
                                              const std::string& build,
                                              std::chrono::milliseconds silence_max) {
  CommunicatorSetup setup;
  setup.connect = [&ranks, rank] { return ranks.connect(rank); };
  setup.silence_max = silence_max;
  setup.signal = std::make_shared<WakeSignal>(std::chrono::microseconds(0));
  setup.build = build;
  setup.host = fmt::format("host{}", rank);
  return std::make_shared<Communicator>(std::move(setup));
}

/// What a node has.
class ThreadNodes::Service final : public NodeService {
 public:
  Service(int rank, const std::vector<std::string>& units, const std::vector<Kernel*>& kernels)
      : kernels_(kernels.begin(), kernels.end()), specs_(parse_units(units)) {
    for (UnitSpec& spec : specs_) {
      spec.unit.node = fmt::format("node{}", rank);
      spec.unit.name = spec.unit.node + "." + spec.unit.name;
    }
    for (const Kernel* kernel : kernels) phases_.push_back(kernel->workload());
  }

  std::string answer(const std::string& question) override { return "answer to " + question; }
  const std::vector<UnitSpec>& units() const override { return specs_; }
  const std::vector<Workload>& phases() const override { return phases_; }
  std::vector<Kernel*> kernels() const override { return kernels_; }
  DivideBlocks make_agent(const NodeAgentSetup& agent, const Scenario& /*scenario*/,
                          std::shared_ptr<Journal> journal) override {
    std::vector<Unit> own;
    for (const UnitSpec& spec : specs_) own.push_back(spec.unit);
    return [setup = setup_of_agent(agent.number, std::move(own), phases_), journal](
               Executor& units, NodeBlocks& blocks) mutable {
      constexpr Items of_agents = 5;
      Scripted policy = pieces_of(of_agents);
      setup.stop_requested = [&] { return blocks.is_over(); };
      return run_node(units, blocks, policy, setup, *journal);
    };
  }

 private:
  std::vector<Kernel*> kernels_;
  std::vector<UnitSpec> specs_;
  std::vector<Workload> phases_;
};

ThreadNodes::ThreadNodes(const std::vector<std::vector<std::string>>& units,
                         const std::vector<Kernel*>& kernels, std::chrono::milliseconds silence_max)
    : ranks_(static_cast<int>(units.size()) + 1) {
  const auto count = static_cast<int>(units.size());
  communicators_.resize(units.size() + 1);
  for (int rank = 1; rank <= count; ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    services_.push_back(std::make_unique<Service>(rank, units[at - 1], kernels));
    communicators_[at] = communicator_of(ranks_, rank, "tests", silence_max);
    threads_.emplace_back([communicator = communicators_[at], service = services_.back().get()] {
      static_cast<void>(serve_node(*communicator, *service));
      communicator->leave(true);
    });
  }
  communicators_[0] = communicator_of(ranks_, 0, "tests", silence_max);
  nodes_ = std::make_shared<Nodes>(communicators_[0]);
  std::vector<RankUnits> places = {{"host", this_machine(), {}}};
  for (int rank = 1; rank <= count; ++rank) {
    const std::vector<UnitSpec>& own = services_[static_cast<std::size_t>(rank - 1)]->units();
    places.push_back({"host", this_machine(), placed_units(own)});
    for (std::uint32_t i = 0; i < own.size(); ++i) {
      UnitSpec spec = own[i];
      const NodeUnit unit{rank, i, spec.computes(), spec.unit.copy_engines == 0};
      spec.factory = make_remote_factory(nodes_, unit, spec.factory->trace_unit());
      spec.unit.is_remote = true;
      spec.unit.copy_engines = 2;
      specs_.push_back(std::move(spec));
    }
  }
  nodes_->place(place_ranks(places));
}

ThreadNodes::~ThreadNodes() {
  nodes_->end(0);
  communicators_[0]->leave(true);
  for (std::jthread& thread : threads_) thread.join();
}

}  // namespace equipoise
