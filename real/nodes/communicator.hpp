// The thread of a process that sends and receives: it batches messages, tells the two ends of a
// connection whether the other one is alive, and measures how their clocks differ.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "real/nodes/clock_offset.hpp"
#include "real/nodes/transport.hpp"
#include "real/threads/wake_signal.hpp"

namespace equipoise {

/// What a communicator's thread serves. That thread alone calls it.
class CommunicatorClient {
 public:
  CommunicatorClient() = default;
  CommunicatorClient(const CommunicatorClient&) = delete;
  CommunicatorClient& operator=(const CommunicatorClient&) = delete;
  virtual ~CommunicatorClient() = default;

  /// A message has come from rank `from`.
  virtual void message(int from, std::string_view message) = 0;
  /// Does what there is to do, such as to send what has become ready. Returns whether there was
  /// anything.
  virtual bool serve() = 0;
  /// Whether `serve` has something to do. The thread asks that before it sleeps, and when it is
  /// woken by its signal.
  [[nodiscard]] virtual bool has_work() = 0;
  /// Whether what comes may wait a little: units have other blocks.
  [[nodiscard]] virtual bool has_time() { return false; }
  /// When it wants to be asked again at the latest; the signal wakes the thread earlier.
  [[nodiscard]] virtual WakeSignal::TimePoint next_date() const {
    return WakeSignal::TimePoint::max();
  }
  /// Rank `rank` is gone: nothing comes from there any more.
  virtual void lost(int rank, const std::string& why) = 0;
};

/// How a process takes part. Rank 0 hears all others, and they hear it.
struct CommunicatorSetup {
  /// Called in the communicator's thread. Throws BackendError.
  std::function<std::unique_ptr<Transport>()> connect;
  /// A rank that was silent for longer during a run is gone; to the others, rank 0 is after three
  /// times as long, so that one that was only slow is not the first to end.
  std::chrono::milliseconds silence_max{1500};
  /// What the communicator's thread and others wait by.
  std::shared_ptr<WakeSignal> signal;
  /// The same in all processes that understand each other's messages. Without zero bytes.
  std::string build{};
  std::string host{};  ///< where this process runs, for messages
};

/// Connects this process with all others in a thread of its own, which makes all calls of the
/// transport. Messages between two ranks keep their order; those that are posted in one turn of the
/// thread go in one frame if they fit.
class Communicator {
 public:
  using Continuation = std::function<void()>;

  /// Throws BackendError if there is no connection, and, of rank 0, if a rank does not answer or is
  /// of another build, which it names.
  explicit Communicator(CommunicatorSetup setup);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  /// Ends disorderly unless `leave` was called.
  ~Communicator();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// Serves `client` from now on, and no other one any more: what was to be called when something
  /// that is on its way has come is not called. Messages that come while there is none (null) wait
  /// for the next one.
  void serve(CommunicatorClient* client);
  /// Runs on these cores, before what computes there. `are_shared`: something does, so that looking
  /// often for messages takes its time.
  void run_on(std::vector<int> cores, bool are_shared);
  /// A run goes on: ranks that fall silent are to be noticed soon. Otherwise they have ten times as
  /// long, because they may be busy with what comes before and after.
  void watch_closely(bool closely) { is_close_ = closely; }
  /// Makes the thread look at its client. Any thread may call it.
  void wake() { setup_.signal->notify(); }
  [[nodiscard]] const std::shared_ptr<WakeSignal>& signal() const { return setup_.signal; }
  /// Tells the others, and ends the thread and the connections, see Transport::leave. Orderly: it
  /// waits until all ranks do so, or are lost. Returns whether that was orderly: no rank was lost,
  /// and all others left orderly, too.
  bool leave(bool is_orderly);

  // For the client, in the communicator's thread.

  /// Adds a message to those for rank `to`.
  void post(int to, std::string message);
  /// Sends bytes that belong to `owner`. Payloads arrive in the order in which they were sent.
  void send(int to, std::span<const std::byte> bytes, std::shared_ptr<const void> owner);
  /// Receives the next payload from `from`, and calls `done` when it is there.
  void receive(int from, std::span<std::byte> bytes, std::shared_ptr<void> owner,
               Continuation done);
  /// How the clock of rank `rank` differs from that of this process.
  [[nodiscard]] const ClockOffset::Estimate& clock_of(int rank) const {
    return clocks_[static_cast<std::size_t>(rank)].estimate();
  }

  // For any thread.

  /// Where rank `rank` runs; known to rank 0, and of rank 0.
  [[nodiscard]] std::string host_of(int rank) const;
  /// Waits until the clocks of all ranks were compared a few times, at most for `patience`.
  void await_clocks(std::chrono::milliseconds patience);

 private:
  class Sink;
  enum class MessageKind : char;
  using TimePoint = WakeSignal::TimePoint;

  /// Another rank.
  struct Peer {
    std::string batch;                 ///< messages that were posted in this turn
    std::vector<std::string> waiting;  ///< frames that came behind a long message
    bool has_long = false;             ///< a long message is on its way from there
    bool is_lost = false;
    bool is_ending = false;   ///< it said that it leaves, or will
    bool has_left = false;    ///< it does not wait for this one any more
    bool left_alone = false;  ///< without waiting for others
    std::string host;         ///< empty: it has not introduced itself
    bool is_other = false;    ///< of another build
    TimePoint heard{};
    TimePoint pinged{};
    int pings = 0;
  };

  /// What is on its way.
  struct Moving {
    std::shared_ptr<const void> owner;
    Continuation done;
    bool is_of_client = false;
  };

  void live(const std::shared_ptr<std::promise<void>>& up);
  void part();
  void tell_all(MessageKind kind, const std::string& text);
  void turn();
  void flush(int to);
  void take_frame(int from, std::string_view frame);
  void take_message(int from, std::string_view message);
  void take_long(int from, std::size_t bytes);
  void receive(int from, std::span<std::byte> bytes, Moving moving);
  [[nodiscard]] bool is_there(int rank) const {
    const Peer& peer = peers_[static_cast<std::size_t>(rank)];
    return !peer.is_lost && !peer.has_left;
  }
  [[nodiscard]] std::span<Peer> heard_peers();
  void add(int to, MessageKind kind, std::string_view text);
  void ping(int rank, TimePoint now);
  void fail(const std::string& why);
  void deliver(int from, std::string_view message);
  void meet(int from, std::string_view introduction);
  void expect_ranks();
  void lose(int rank, const std::string& why);
  void look_after_peers(TimePoint now);
  void answer_pong(int from, std::string_view message);
  [[nodiscard]] TimePoint nap_end(TimePoint now) const;

  CommunicatorSetup setup_;
  std::unique_ptr<Transport> transport_;  ///< used by the thread
  int rank_ = 0;
  int ranks_ = 1;
  CommunicatorClient* client_ = nullptr;  ///< guarded by `mutex_`
  std::vector<Peer> peers_;               ///< (ranks); used by the thread
  std::map<Ticket, Moving> on_their_way_;
  Ticket tickets_ = 0;
  std::vector<int> cores_;  ///< guarded by `mutex_`
  bool has_new_cores_ = false;
  bool are_shared_ = false;  ///< likewise
  /// Messages that came before there was a client; used by the thread.
  std::vector<std::pair<int, std::string>> early_;
  bool has_worked_ = false;  ///< in this turn
  TimePoint worked_{};       ///< when something happened last
  TimePoint turned_{};       ///< the last turn
  mutable std::mutex mutex_;
  std::vector<ClockOffset> clocks_;  ///< (ranks); changed by the thread, guarded by `mutex_`
  std::atomic<bool> is_close_ = false;
  std::atomic<bool> ends_ = false;
  std::atomic<bool> is_orderly_ = false;
  std::jthread thread_;
};

}  // namespace equipoise
