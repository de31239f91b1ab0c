// Whole messages between two processes, over a pair of connected sockets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace equipoise {

/// One end of the connection. Both ends must be of the same program.
class MessageChannel {
 public:
  /// Owns the socket `fd`.
  explicit MessageChannel(int fd) : fd_(fd) {}
  MessageChannel(const MessageChannel&) = delete;
  MessageChannel& operator=(const MessageChannel&) = delete;
  ~MessageChannel() { close(); }

  /// The socket. poll() reports it readable when `receive` has something to do.
  [[nodiscard]] int fd() const { return fd_; }
  /// Closes the socket; nothing can be sent or received any more.
  void close();

  /// Adds `message` to those that are to be sent, and sends what can be sent without waiting.
  void post(const std::string& message);
  /// Whether something is still to be sent; `flush` sends of it what can be sent without waiting.
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  void flush();
  /// Sends `message` and waits until all of it is sent. The other end must be reading.
  void send(const std::string& message);

  /// Receives what has come, without waiting. Returns false if the other end is closed; whole
  /// messages that came before can still be taken.
  [[nodiscard]] bool receive();
  /// The oldest whole message that was received and not yet taken; none if there is none.
  [[nodiscard]] std::optional<std::string> take();

 private:
  void send_some(int flags);

  int fd_;
  std::string unsent_;
  std::size_t sent_ = 0;  // of unsent_
  std::string received_;
  std::size_t taken_ = 0;  // of received_
};

}  // namespace equipoise
