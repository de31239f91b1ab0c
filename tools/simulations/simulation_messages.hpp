// What the program and its simulation server say to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

/// Make a simulation as soon as less than `at_once` are being made. Answered by Simulated or
/// Failed.
struct Simulate {
  std::uint64_t number = 0;
  std::uint64_t at_once = 1;
  std::uint64_t inputs = 0;   ///< the number under which they are kept
  std::uint64_t profile = 0;  ///< likewise; 0: the policy has none
  Simulation simulation;      ///< without inputs and profile
};

/// Probe a platform. Answered by ProbingPlatform, any number of times, and then by PlatformProbed
/// or Failed.
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
struct SimgridOpened {
  std::uint64_t number = 0;
};

/// A run has ended.
struct Simulated {
  std::uint64_t number = 0;
  RunReport report;
};

enum class FailureKind : std::uint8_t {
  input,    ///< an InputError
  backend,  ///< a BackendError
  other,    ///< another exception
  died      ///< the process has died
};

/// Something could not be done.
struct Failed {
  std::uint64_t number = 0;
  FailureKind kind = FailureKind::other;
  std::string where;  ///< of an InputError
  std::string why;
};

/// A probe goes on.
struct ProbingPlatform {
  std::uint64_t number = 0;
  std::uint64_t done = 0;  ///< hosts
  std::uint64_t hosts = 0;
};

/// A platform has been probed.
struct PlatformProbed {
  std::uint64_t number = 0;
  ProbedPlatform platform;
};

using Reply = std::variant<SimgridOpened, Simulated, Failed, ProbingPlatform, PlatformProbed>;

[[nodiscard]] std::string archived(const Request& request);
[[nodiscard]] std::string archived(const Reply& reply);
[[nodiscard]] Request read_request(std::string_view message);
[[nodiscard]] Reply read_reply(std::string_view message);

}  // namespace equipoise
