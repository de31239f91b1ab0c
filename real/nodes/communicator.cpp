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

using Length = std::uint32_t;
/// In place of a length: the frame says how long a message is that follows as a payload.
constexpr Length long_message = 0xFFFF'FFFF;

/// What a rank that leaves says, if not only that: it waits for nobody, or it waits for all others.
constexpr const char* leaves_alone = "alone";
constexpr const char* leaves_soon = "soon";

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

}  // namespace

/// The first byte of each message.
enum class Communicator::MessageKind : char {
  of_client = 'm',
  ping = 'p',
  pong = 'q',
  introduction = 'i',
  leaving = 'l'
};

class Communicator::Sink final : public TransportSink {
 public:
  explicit Sink(Communicator& of) : of_(of) {}
  void frame(int from, std::string_view bytes) override {
    of_.has_worked_ = true;
    try {
      of_.take_frame(from, bytes);
    } catch (const std::exception& failure) {
      of_.lose(from, failure.what());
    }
  }
  void moved(Ticket ticket) override {
    of_.has_worked_ = true;
    const auto found = of_.on_their_way_.extract(ticket);
    if (!found.empty() && found.mapped().done) found.mapped().done();
  }
  void failed(int rank, const std::string& why) override { of_.lose(rank, why); }

 private:
  Communicator& of_;
};

Communicator::Communicator(CommunicatorSetup setup) : setup_(std::move(setup)) {
  const auto up = std::make_shared<std::promise<void>>();
  std::future<void> is_up = up->get_future();
  thread_ = start_thread("the connection with other ranks", [this, up] { live(up); });
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

/// The ranks that this one hears: rank 0 all others, and these rank 0.
std::span<Communicator::Peer> Communicator::heard_peers() {
  return rank_ == 0 ? std::span(peers_).subspan(1) : std::span(peers_).first(1);
}

/// Adds a message of ours or of the client to those for rank `to`.
void Communicator::add(int to, MessageKind kind, std::string_view text) {
  std::string& batch = peers_[static_cast<std::size_t>(to)].batch;
  append_value(batch, static_cast<Length>(1 + text.size()));
  batch.push_back(static_cast<char>(kind));
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
  for (auto& [ticket, moving] : on_their_way_) {
    if (moving.is_of_client) moving.done = nullptr;
  }
  if (client == nullptr) return;
  for (std::size_t rank = 0; rank < peers_.size(); ++rank) {
    const Peer& peer = peers_[rank];
    const char* const why = peer.is_lost ? "it was lost before" : "it has ended";
    if (peer.is_lost || peer.is_ending) client->lost(static_cast<int>(rank), why);
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

void Communicator::live(const std::shared_ptr<std::promise<void>>& up) {
  try {
    transport_ = setup_.connect();
    rank_ = transport_->rank();
    ranks_ = transport_->ranks();
    peers_.resize(static_cast<std::size_t>(ranks_));
    clocks_.resize(static_cast<std::size_t>(ranks_));
  } catch (...) {
    up->set_exception(std::current_exception());
    return;
  }
  wake_this_thread_on_time();
  turned_ = worked_ = steady_clock::now();
  for (Peer& peer : peers_) peer.heard = turned_;
  tell_all(MessageKind::introduction, setup_.build + '\0' + setup_.host);
  // Before anything is heard: a rank that is refused must have been introduced.
  for (int rank = 0; rank < ranks_; ++rank) flush(rank);
  up->set_value();
  const PromptThread prompt;
  while (!ends_) {
    try {
      turn();
    } catch (const std::exception& failure) {
      fail(failure.what());
    }
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
  part();
  transport_->leave(is_orderly_);
  transport_.reset();
}

/// Tells the others that this one leaves. Orderly: rank 0 says that it will, waits until all others
/// have left, and tells them whether all are there, for which they wait. Nobody waits for one that
/// is silent.
void Communicator::part() {
  is_close_ = true;
  tell_all(MessageKind::leaving, !is_orderly_ ? leaves_alone : rank_ == 0 ? leaves_soon : "");
  turn();  // sends what was posted last
  const auto are_gone = [this] {
    return std::ranges::all_of(heard_peers(),
                               [](const Peer& peer) { return peer.is_lost || peer.has_left; });
  };
  while (is_orderly_ && !are_gone()) {
    turn();
    setup_.signal->sleep_until([] { return false; }, nap_end(steady_clock::now()));
  }
  if (!is_orderly_) return;
  const auto is_missing = [](const Peer& peer) { return peer.is_lost || peer.left_alone; };
  if (std::ranges::any_of(peers_, is_missing)) is_orderly_ = false;
  if (rank_ > 0) return;
  tell_all(MessageKind::leaving, is_orderly_ ? "" : leaves_alone);
  turn();
}

void Communicator::tell_all(MessageKind kind, const std::string& text) {
  for (const Peer& peer : heard_peers()) {
    add(static_cast<int>(&peer - peers_.data()), kind, text);
  }
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
  if (!is_there(to)) return;
  const Peer& peer = peers_[static_cast<std::size_t>(to)];
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
  add(to, MessageKind::of_client, message);
}

void Communicator::flush(int to) {
  Peer& peer = peers_[static_cast<std::size_t>(to)];
  if (peer.batch.empty()) return;
  transport_->send_frame(to, peer.batch);
  peer.batch.clear();
}

void Communicator::send(int to, std::span<const std::byte> bytes,
                        std::shared_ptr<const void> owner) {
  if (!is_there(to)) return;
  const Ticket ticket = ++tickets_;
  on_their_way_.emplace(ticket, Moving{std::move(owner), {}});
  transport_->send(to, bytes, ticket);
}

void Communicator::receive(int from, std::span<std::byte> bytes, std::shared_ptr<void> owner,
                           Continuation done) {
  receive(from, bytes, {std::move(owner), std::move(done), true});
}

void Communicator::receive(int from, std::span<std::byte> bytes, Moving moving) {
  if (!is_there(from)) return;
  const Ticket ticket = ++tickets_;
  on_their_way_.emplace(ticket, std::move(moving));
  transport_->receive(from, bytes, ticket);
}

void Communicator::take_frame(int from, std::string_view frame) {
  Peer& peer = peers_[static_cast<std::size_t>(from)];
  peer.heard = steady_clock::now();
  if (!is_there(from)) return;
  if (peer.has_long) {
    peer.waiting.emplace_back(frame);
    return;
  }
  while (!frame.empty()) {
    const auto bytes = take_value<Length>(frame);
    if (bytes == long_message) return take_long(from, take_value<std::uint64_t>(frame));
    if (bytes > frame.size()) throw BackendError("a message between ranks is cut off");
    take_message(from, frame.substr(0, bytes));
    frame.remove_prefix(bytes);
  }
}

void Communicator::take_long(int from, std::size_t bytes) {
  peers_[static_cast<std::size_t>(from)].has_long = true;
  auto message = std::make_shared<std::string>(bytes, '\0');
  const auto room = std::as_writable_bytes(std::span(*message));
  const auto done = [this, from, message] {
    Peer& peer = peers_[static_cast<std::size_t>(from)];
    peer.has_long = false;
    deliver(from, *message);
    for (const std::string& frame : std::exchange(peer.waiting, {})) take_frame(from, frame);
  };
  receive(from, room, {message, done});
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
      std::string times(rest);
      append_value(times, ns_of(steady_clock::now()));
      add(from, MessageKind::pong, times);
      flush(from);
      return;
    }
    case MessageKind::pong:
      answer_pong(from, rest);
      return;
    case MessageKind::introduction:
      meet(from, rest);
      return;
    case MessageKind::leaving: {
      Peer& peer = peers_[static_cast<std::size_t>(from)];
      peer.has_left = peer.has_left || rest != leaves_soon;
      peer.left_alone = rest == leaves_alone;
      const bool is_news = !std::exchange(peer.is_ending, true);
      if (is_news && client_ != nullptr) client_->lost(from, "it has ended");
      return;
    }
  }
}

void Communicator::answer_pong(int from, std::string_view message) {
  const auto left_ns = take_value<std::int64_t>(message);
  const auto there_ns = take_value<std::int64_t>(message);
  clocks_[static_cast<std::size_t>(from)].add(left_ns, there_ns, ns_of(steady_clock::now()));
}

void Communicator::look_after_peers(TimePoint now) {
  constexpr int patience_between_runs = 10;
  constexpr int patience_with_master = 3;
  const int times = is_close_ ? (rank_ == 0 ? 1 : patience_with_master) : patience_between_runs;
  const milliseconds silence_max = times * setup_.silence_max;
  const bool has_paused = now - turned_ > own_pause_max;
  turned_ = now;
  for (Peer& peer : heard_peers()) {
    const auto rank = static_cast<int>(&peer - peers_.data());
    if (peer.left_alone) continue;
    if (has_paused) peer.heard = std::max(peer.heard, now - silence_max / 2);
    if (!peer.is_lost && now - peer.heard > silence_max) {
      lose(rank, fmt::format("nothing was heard of it for {:.2g} s",
                             std::chrono::duration<double>(now - peer.heard).count()));
    }
    if (rank_ == 0) ping(rank, now);
  }
}

/// Asks for the clock of a rank if it is time. One that is lost may be slow, and hears so that this
/// one is there.
void Communicator::ping(int rank, TimePoint now) {
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  const auto every = peer.pings < first_pings ? std::chrono::nanoseconds(first_pings_every)
                                              : std::chrono::nanoseconds(ping_every);
  if (now - peer.pinged < every) return;
  peer.pinged = now;
  ++peer.pings;
  flush(rank);  // so that the ping leaves now
  std::string left;
  append_value(left, ns_of(steady_clock::now()));
  add(rank, MessageKind::ping, left);
  flush(rank);
}

/// This process cannot go on with any rank.
void Communicator::fail(const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Peer& peer : heard_peers()) lose(static_cast<int>(&peer - peers_.data()), why);
}

std::string Communicator::host_of(int rank) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return peers_[static_cast<std::size_t>(rank)].host;
}

void Communicator::lose(int rank, const std::string& why) {
  Peer& peer = peers_[static_cast<std::size_t>(rank)];
  if (std::exchange(peer.is_lost, true)) return;
  peer.batch.clear();
  peer.waiting.clear();
  if (client_ != nullptr && !peer.is_ending) client_->lost(rank, why);
}

}  // namespace equipoise
