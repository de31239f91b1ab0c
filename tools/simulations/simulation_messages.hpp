// What the program and its simulation server say to each other, and the connection over which they
// do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/platform.hpp"
#include "sim/platform_probe.hpp"
#include "tools/runs/run_plan.hpp"
#include "tools/simulations/sim_machine.hpp"
#include "tools/simulations/simulations.hpp"

namespace equipoise {

/// Open SimGrid. Answered by SimgridOpened or Failed.
struct OpenSimgrid {
  std::uint64_t number = 0;
};

/// Keep the inputs of a machine under this number.
struct KeepInputs {
  std::uint64_t number = 0;
  std::shared_ptr<const SimInputs> inputs;
};

/// Keep the traces of a policy's profile under this number.
struct KeepProfile {
  std::uint64_t number = 0;
  std::shared_ptr<const std::vector<Trace>> traces;
};

/// What is kept under this number is not needed any more.
struct Forget {
  std::uint64_t number = 0;
};

/// Make a simulation as soon as less than `at_once` are being made. Answered by a RunReport or
/// Failed.
struct Simulate {
  std::uint64_t number = 0;
  std::uint64_t at_once = 1;
  std::uint64_t inputs = 0;   ///< the number under which they are kept
  std::uint64_t profile = 0;  ///< likewise; 0: the policy has none
  Simulation simulation;      ///< without inputs and profile
};

/// Probe a platform. Answered by ProbingPlatform, any number of times, and then by a
/// ProbedPlatform or Failed.
struct ProbePlatform {
  std::uint64_t number = 0;
  PlatformSource source;
  RoutesOf wanted;
  MissingRoutes missing = MissingRoutes::refuse;
};

/// End all simulations early. All of them are answered.
struct Stop {};

/// Kill everything that is being done. It is not answered.
struct Cancel {};

using Request = std::variant<OpenSimgrid, KeepInputs, KeepProfile, Forget, Simulate, ProbePlatform,
                             Stop, Cancel>;

/// SimGrid is open.
struct SimgridOpened {};

enum class FailureKind : std::uint8_t {
  input,    ///< an InputError
  backend,  ///< a BackendError
  other,    ///< another exception
  died      ///< the process has died
};

/// Something could not be done.
struct Failed {
  FailureKind kind = FailureKind::other;
  std::string where;  ///< of an InputError
  std::string why;
};

/// A probe goes on.
struct ProbingPlatform {
  std::uint64_t done = 0;  ///< hosts
  std::uint64_t hosts = 0;
};

/// An answer to the request of this number: the report of a simulation, for example.
struct Reply {
  std::uint64_t number = 0;
  std::variant<SimgridOpened, RunReport, Failed, ProbingPlatform, ProbedPlatform> answer;
};

[[nodiscard]] std::string archived(const Request& request);
[[nodiscard]] std::string archived(const Reply& reply);
[[nodiscard]] Request read_request(std::string_view message);
[[nodiscard]] Reply read_reply(std::string_view message);

/// One end of a connection by which two processes of the same program send each other whole
/// messages: a pair of connected sockets.
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
