// Archives messages, and sends the length of each before it. Structs with members that are not sent
// are taken apart as a whole here, so that a new member that is not sent does not compile.
#include "tools/simulations/simulation_messages.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include "shared_policies/records/archive.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

// Found by the archive through the namespace of their arguments.

/// Without its profile, which the server keeps.
void fields(auto& archive, Of<PolicyChoice> auto& choice) {
  auto& [info, spelling, parameters, profile, replayed, replayed_file, experience, typed,
         loaded_from, loaded_hash, blocks_max] = choice;
  std::string name = info == nullptr ? std::string() : info->name;
  archive(name, spelling, parameters, replayed, replayed_file, experience, typed, loaded_from,
          loaded_hash, blocks_max);
  constexpr bool is_read = !std::is_const_v<std::remove_reference_t<decltype(choice)>>;
  if constexpr (is_read) info = loaded_from.empty() ? &find_policy(name) : nullptr;
}

/// By its ranges, from which the rest follows.
void fields(auto& archive, Of<ItemCosts> auto& costs) {
  std::vector<CostRange> ranges = costs.ranges();
  archive(ranges);
  constexpr bool is_read = !std::is_const_v<std::remove_reference_t<decltype(costs)>>;
  if constexpr (is_read) {
    expect_well_formed(are_whole(ranges));
    costs = ItemCosts(std::move(ranges));
  }
}

/// Without its inputs, which the server keeps.
void fields(auto& archive, Of<Simulation> auto& simulation) {
  auto& [inputs, phases, schedule, run] = simulation;
  archive(phases, schedule, run);
}

namespace {

using Length = std::uint64_t;

}  // namespace

std::string archived(const Request& request) { return archive_of(request); }
std::string archived(const Reply& reply) { return archive_of(reply); }
Request read_request(std::string_view message) { return read_archive<Request>(message); }
Reply read_reply(std::string_view message) { return read_archive<Reply>(message); }

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
