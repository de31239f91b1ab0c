// The communicator's thread: turns in which everything is moved on, and naps between them that are
// the longer the longer nothing has happened, because MPI tells nobody that something has come.
#include "real/nodes/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "real/threads/this_thread.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// The first byte of each message.
enum class MessageKind : char { of_client = 'm', ping = 'p', pong = 'q', introduction = 'i' };

using Length = std::uint32_t;
/// In place of a length: the frame says how long a message is that follows as a payload.
constexpr Length long_message = 0xFFFF'FFFF;

/// How often rank 0 asks each other rank for its clock, by which both know that the other is alive.
constexpr milliseconds ping_every{100};
/// And at first, until their clocks are known.
constexpr microseconds first_pings_every{500};
constexpr int first_pings = 20;

/// A nap is this part of the time since something happened last: messages come late by some per
/// cent of the time that they were waited for, and the number of naps grows with its logarithm.
struct Naps {
  int in_silence;
  microseconds least;
};
constexpr Naps naps_alone{32, microseconds(5)};
/// Where units compute on the same core, each look takes their time: some 20 us with two switches
/// of threads. A unit that has a second block to go on with does not notice such naps.
constexpr Naps naps_beside_units{2, microseconds(50)};
constexpr microseconds nap_max{1000};
/// If what comes may wait.
constexpr microseconds nap_in_time{200};
/// How long rank 0 waits for all others at the start.
constexpr std::chrono::seconds introductions_patience{30};
/// A thread that did not run for so long knows nothing about the silence of others.
constexpr milliseconds own_pause_max{400};

template <class Value>
void append_value(std::string& bytes, const Value& value) {
  std::array<char, sizeof value> raw{};
  std::memcpy(raw.data(), &value, sizeof value);
  bytes.append(raw.data(), raw.size());
}

template <class Value>
Value take_value(std::string_view& bytes) {
  Value value{};
  if (bytes.size() < sizeof value) throw BackendError("a message between ranks is cut off");
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes.remove_prefix(sizeof value);
  return value;
}

std::int64_t ns_of(WakeSignal::TimePoint at) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

}  // namespace

class Communicator::Sink final : public TransportSink {
 public:
  explicit Sink(Communicator& of) : of_(of) {}
  void frame(int from, std::string_view bytes) override {
    of_.has_worked_ = true;
    of_.take_frame(from, bytes);
  }
  void moved(Ticket ticket) override {
    of_.has_worked_ = true;
    const auto found = of_.on_their_way_.extract(ticket);
    if (!found.empty() && found.mapped().second) found.mapped().second();
  }
  void failed(int rank, const std::string& why) override { of_.lose(rank, why); }

 private:
  Communicator& of_;
};

Communicator::Communicator(CommunicatorSetup setup) : setup_(std::move(setup)) {
  std::promise<void> up;
  std::future<void> is_up = up.get_future();
  thread_ = start_thread("the connection with other ranks", [this, &up] { live(up); });
  is_up.get();
  if (rank_ > 0) return;
  try {
    expect_ranks();
  } catch (...) {
    leave(false);
    throw;
  }
}

Communicator::~Communicator() { leave(false); }

/// Tells rank `to` who this is.
void Communicator::introduce(int to) {
  std::string text(1, static_cast<char>(MessageKind::introduction));
  text += setup_.build + '\0' + setup_.host;
  std::string& batch = peers_[static_cast<std::size_t>(to)].batch;
  append_value(batch, static_cast<Length>(text.size()));
  batch += text;
}

void Communicator::meet(int from, std::string_view introduction) {
  Peer& peer = peers_[static_cast<std::size_t>(from)];
  const std::size_t end = std::min(introduction.find('\0'), introduction.size());
  peer.is_other = introduction.substr(0, end) != setup_.build;
  peer.host = introduction.substr(std::min(end + 1, introduction.size()));
  if (peer.is_other) lose(from, "it is another build of the program");
}

void Communicator::expect_ranks() {
  const auto until = steady_clock::now() + introductions_patience;
  for (int rank = 1; rank < ranks_; ++rank) {
    while (true) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        const Peer& peer = peers_[static_cast<std::size_t>(rank)];
        if (peer.is_other) {
          throw BackendError(fmt::format(
              "rank {} ({}) is another build of the program; start the same one everywhere", rank,
              peer.host));
        }
        if (!peer.host.empty()) break;
        if (peer.is_lost || steady_clock::now() > until) {
          throw BackendError(fmt::format("rank {} does not answer; see what it printed", rank));
        }
      }
      std::this_thread::sleep_for(nap_max);
    }
  }
}

void Communicator::serve(CommunicatorClient* client) {
  const std::lock_guard<std::mutex> lock(mutex_);
  client_ = client;
  if (client == nullptr) return;
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    if (peers_[rank].is_lost) client->lost(static_cast<int>(rank), "it was lost before");
  }
}

void Communicator::run_on(std::vector<int> cores, bool are_shared) {
  const std::lock_guard<std::mutex> lock(mutex_);
  cores_ = std::move(cores);
  are_shared_ = are_shared;
  has_new_cores_ = true;
}

bool Communicator::leave(bool is_orderly) {
  if (!thread_.joinable()) return is_orderly_;
  is_orderly_ = is_orderly;
  ends_ = true;
  wake();
  thread_.join();
  return is_orderly_;
}

void Communicator::await_clocks(milliseconds patience) {
  const auto until = steady_clock::now() + patience;
  const auto are_known = [this] {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::ranges::all_of(clocks_.begin() + 1, clocks_.end(), [](const ClockOffset& clock) {
      return clock.estimate().exchanges >= first_pings;
    });
  };
  while (!are_known() && steady_clock::now() < until) std::this_thread::sleep_for(nap_max);
}

void Communicator::live(std::promise<void>& up) {
  try {
    transport_ = setup_.connect();
    rank_ = transport_->rank();
    ranks_ = transport_->ranks();
    peers_.resize(static_cast<std::size_t>(ranks_));
    clocks_.resize(static_cast<std::size_t>(ranks_));
  } catch (...) {
    up.set_exception(std::current_exception());
    return;
  }
  wake_this_thread_on_time();
  turned_ = worked_ = steady_clock::now();
  for (Peer& peer : peers_) peer.heard = turned_;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (rank != rank_ && (rank == 0 || rank_ == 0)) introduce(rank);
  }
  up.set_value();
  const PromptThread prompt;
  while (!ends_) {
    turn();
    const TimePoint now = steady_clock::now();
    if (has_worked_) {
      worked_ = now;
      continue;
    }
    const auto has_work = [this] {
      const std::lock_guard<std::mutex> lock(mutex_);
      return ends_ || (client_ != nullptr && client_->has_work());
    };
    setup_.signal->sleep_until(has_work, nap_end(now));
  }
  turn();  // what was posted last
  if (std::ranges::any_of(peers_, &Peer::is_lost)) is_orderly_ = false;
  transport_->leave(is_orderly_);
  transport_.reset();
}

/// Moves everything on once.
void Communicator::turn() {
  has_worked_ = false;
  Sink sink(*this);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::exchange(has_new_cores_, false)) pin_this_thread(cores_);
  if (client_ != nullptr) {
    for (const auto& [from, message] : std::exchange(early_, {})) client_->message(from, message);
  }
  transport_->progress(sink);
  if (client_ != nullptr && client_->serve()) has_worked_ = true;
  look_after_peers(steady_clock::now());
  for (int rank = 0; rank < ranks_; ++rank) flush(rank);
}

WakeSignal::TimePoint Communicator::nap_end(TimePoint now) const {
  const auto silence = std::chrono::duration_cast<microseconds>(now - worked_);
  const std::lock_guard<std::mutex> lock(mutex_);
  const Naps& naps = are_shared_ ? naps_beside_units : naps_alone;
  microseconds nap = std::clamp(silence / naps.in_silence, naps.least, nap_max);
  if (are_shared_ && client_ != nullptr && client_->has_time()) nap = std::max(nap, nap_in_time);
  return std::min(now + nap, client_ == nullptr ? TimePoint::max() : client_->next_date());
}

void Communicator::post(int to, std::string message) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  if (peer.is_lost) return;
  const std::size_t bytes = sizeof(Length) + 1 + message.size();
  if (peer.batch.size() + bytes > Transport::frame_bytes_max) flush(to);
  if (bytes > Transport::frame_bytes_max) {
    std::string header;
    append_value(header, long_message);
    append_value(header, static_cast<std::uint64_t>(message.size()));
    transport_->send_frame(to, header);
    auto owner = std::make_shared<std::string>(std::move(message));
    const auto view = std::as_bytes(std::span(*owner));
    send(to, view, std::move(owner));
    return;
  }
  append_value(peer.batch, static_cast<Length>(1 + message.size()));
  peer.batch.push_back(static_cast<char>(MessageKind::of_client));
  peer.batch += message;
}

void Communicator::flush(int to) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  if (peer.batch.empty()) return;
  if (!peer.is_lost) transport_->send_frame(to, peer.batch);
  peer.batch.clear();
}

void Communicator::send(int to, std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        Continuation done) {
  if (is_lost(to)) return;
  const Ticket ticket = ++tickets_;
  on_their_way_.emplace(ticket, std::pair(std::move(owner), std::move(done)));
  transport_->send(to, bytes, ticket);
}

void Communicator::receive(int from, std::span<std::byte> bytes, std::shared_ptr<void> owner,
                           Continuation done) {
  if (is_lost(from)) return;
  const Ticket ticket = ++tickets_;
  on_their_way_.emplace(ticket, std::pair(std::move(owner), std::move(done)));
  transport_->receive(from, bytes, ticket);
}

void Communicator::take_frame(int from, std::string_view frame) {
  Peer& peer = peers_[static_cast<std::size_t>(from)];
  peer.heard = steady_clock::now();
  if (peer.is_lost) return;
  if (peer.has_long) {
    peer.waiting.emplace_back(frame);
    return;
  }
  while (!frame.empty()) {
    const auto bytes = take_value<Length>(frame);
    if (bytes == long_message) return take_long(from, take_value<std::uint64_t>(frame));
    take_message(from, frame.substr(0, bytes));
    frame.remove_prefix(bytes);
  }
}

void Communicator::take_long(int from, std::size_t bytes) {
  peers_[static_cast<std::size_t>(from)].has_long = true;
  auto message = std::make_shared<std::string>(bytes, '\0');
  const auto room = std::as_writable_bytes(std::span(*message));
  receive(from, room, message, [this, from, message] {
    Peer& peer = peers_[static_cast<std::size_t>(from)];
    peer.has_long = false;
    deliver(from, *message);
    for (const std::string& frame : std::exchange(peer.waiting, {})) take_frame(from, frame);
  });
}

void Communicator::deliver(int from, std::string_view message) {
  if (client_ == nullptr) {
    early_.emplace_back(from, message);
  } else {
    client_->message(from, message);
  }
}

void Communicator::take_message(int from, std::string_view message) {
  std::string_view rest = message;
  switch (static_cast<MessageKind>(take_value<char>(rest))) {
    case MessageKind::of_client:
      deliver(from, rest);
      return;
    case MessageKind::ping: {
      std::string& batch = peers_[static_cast<std::size_t>(from)].batch;
      append_value(batch, static_cast<Length>(1 + 2 * sizeof(std::int64_t)));
      batch.push_back(static_cast<char>(MessageKind::pong));
      append_value(batch, take_value<std::int64_t>(rest));
      append_value(batch, ns_of(steady_clock::now()));
      flush(from);
      return;
    }
    case MessageKind::pong:
      answer_pong(from, rest);
      return;
    case MessageKind::introduction:
      meet(from, rest);
      return;
  }
}

void Communicator::answer_pong(int from, std::string_view message) {
  const auto left_ns = take_value<std::int64_t>(message);
  const auto there_ns = take_value<std::int64_t>(message);
  clocks_[static_cast<std::size_t>(from)].add(left_ns, there_ns, ns_of(steady_clock::now()));
}

void Communicator::look_after_peers(TimePoint now) {
  constexpr int patience = 10;
  const milliseconds silence_max = is_close_ ? setup_.silence_max : setup_.silence_max * patience;
  if (now - turned_ > own_pause_max) {
    for (Peer& peer : peers_) peer.heard = std::max(peer.heard, now - silence_max / 2);
  }
  turned_ = now;
  const auto first = static_cast<std::size_t>(rank_ == 0 ? 1 : 0);
  const std::size_t end = rank_ == 0 ? peers_.size() : 1;
  for (std::size_t rank = first; rank < end; ++rank) {
    Peer& peer = peers_[rank];
    if (peer.is_lost) continue;
    if (now - peer.heard > silence_max) {
      lose(static_cast<int>(rank),
           fmt::format("nothing was heard of it for {:.2g} s",
                       std::chrono::duration<double>(now - peer.heard).count()));
      continue;
    }
    const auto every = peer.pings < first_pings ? std::chrono::nanoseconds(first_pings_every)
                                                : std::chrono::nanoseconds(ping_every);
    if (rank_ != 0 || now - peer.pinged < every) continue;
    peer.pinged = now;
    ++peer.pings;
    flush(static_cast<int>(rank));  // so that the ping leaves now
    append_value(peer.batch, static_cast<Length>(1 + sizeof(std::int64_t)));
    peer.batch.push_back(static_cast<char>(MessageKind::ping));
    append_value(peer.batch, ns_of(steady_clock::now()));
    flush(static_cast<int>(rank));
  }
}

void Communicator::lose(int rank, const std::string& why) {
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  if (std::exchange(peer.is_lost, true)) return;
  peer.batch.clear();
  peer.waiting.clear();
  if (client_ != nullptr) client_->lost(rank, why);
}

}  // namespace equipoise
