// Moves bytes between the processes of a run, one for each node: by MPI (real/mpi), or between
// threads in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace equipoise {

/// Names a payload that is on its way, for its sender or its receiver alone.
using Ticket = std::uint64_t;

/// What a transport tells while it moves things on.
class TransportSink {
 public:
  TransportSink() = default;
  TransportSink(const TransportSink&) = delete;
  TransportSink& operator=(const TransportSink&) = delete;
  virtual ~TransportSink() = default;

  /// A frame has come from rank `from`.
  virtual void frame(int from, std::string_view bytes) = 0;
  /// The payload was sent, and its memory may change, or was received, all of it. Never told if its
  /// rank has failed meanwhile.
  virtual void moved(Ticket ticket) = 0;
  /// Nothing can be sent to this rank, or come from it, any more.
  virtual void failed(int rank, const std::string& why) = 0;
};

/// The connections of this process, which has a number (rank), with all others. One thread makes
/// it, calls all members and destroys it. Frames from one rank arrive in the order in which they
/// were sent, and so do payloads; frames and payloads may overtake each other.
class Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// The most bytes of a frame.
  static constexpr std::size_t frame_bytes_max = std::size_t{16} << 10;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int ranks() const = 0;

  /// Sends a frame, which is copied.
  virtual void send_frame(int to, std::string_view bytes) = 0;
  /// Begins to send a payload. The bytes stay as they are until it has moved.
  virtual void send(int to, std::span<const std::byte> bytes, Ticket ticket) = 0;
  /// Expects the next payload from `from`, which has as many bytes.
  virtual void receive(int from, std::span<std::byte> bytes, Ticket ticket) = 0;
  /// Moves on what can be moved without waiting, and tells what has happened.
  virtual void progress(TransportSink& sink) = 0;
  /// Ends the connections. Orderly: all ranks do so, and it waits for them. Otherwise nothing is
  /// waited for, and the process must end without cleanup.
  virtual void leave(bool is_orderly) = 0;
};

}  // namespace equipoise
