// Sends the length of each message before the message.
#include "tools/simulations/message_channel.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

namespace equipoise {
namespace {

using Length = std::uint64_t;

}  // namespace

void MessageChannel::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  unsent_.clear();
  sent_ = 0;
}

void MessageChannel::post(const std::string& message) {
  const Length length = message.size();
  std::array<char, sizeof length> bytes{};
  std::memcpy(bytes.data(), &length, sizeof length);
  unsent_.append(bytes.data(), bytes.size());
  unsent_ += message;
  flush();
}

void MessageChannel::flush() { send_some(MSG_DONTWAIT); }

void MessageChannel::send(const std::string& message) {
  post(message);
  send_some(0);
}

/// Sends until there is no more, or until the system would have to wait. What a closed end does not
/// take is dropped; `receive` tells that it is closed.
void MessageChannel::send_some(int flags) {
  while (sent_ < unsent_.size()) {
    const ssize_t some =
        ::send(fd_, unsent_.data() + sent_, unsent_.size() - sent_, flags | MSG_NOSIGNAL);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (some <= 0) break;
    sent_ += static_cast<std::size_t>(some);
  }
  unsent_.clear();
  sent_ = 0;
}

bool MessageChannel::receive() {
  received_.erase(0, std::exchange(taken_, 0));
  std::array<char, std::size_t{64} << 10> chunk;
  for (;;) {
    const ssize_t some = ::recv(fd_, chunk.data(), chunk.size(), MSG_DONTWAIT);
    if (some > 0) {
      received_.append(chunk.data(), static_cast<std::size_t>(some));
      continue;
    }
    if (some < 0 && errno == EINTR) continue;
    return some < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
  }
}

std::optional<std::string> MessageChannel::take() {
  Length length = 0;
  const std::size_t left = received_.size() - taken_;
  if (left < sizeof length) return std::nullopt;
  std::memcpy(&length, received_.data() + taken_, sizeof length);
  if (left - sizeof length < length) return std::nullopt;
  std::string message = received_.substr(taken_ + sizeof length, length);
  taken_ += sizeof length + length;
  return message;
}

}  // namespace equipoise
