// The server keeps machines, forks simulations, and passes their results on.
#include "tools/simulations/simulation_server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/platform_file.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/words.hpp"
#include "sim/child_process.hpp"
#include "sim/sim_module.hpp"
#include "tools/console/console.hpp"
#include "tools/runs/policy_call.hpp"
#include "tools/simulations/simulation_messages.hpp"

namespace equipoise {
namespace {

/// Ends a simulation early. Ctrl-C and SIGTERM, which a terminal or a batch system may send to all
/// processes, are for the main process.
constexpr int end_early = SIGUSR1;

/// How often a probe tells how far it is.
constexpr std::chrono::milliseconds progress_interval(100);

std::atomic<bool> is_to_end = false;
static_assert(std::atomic<bool>::is_always_lock_free);

/// Whether the simulation of this process is to end. Before the first call, SimGrid loads the
/// platform and cannot be asked to stop: `end_early` kills the process.
bool stop_requested() {
  static bool has_begun = false;
  if (!std::exchange(has_begun, true)) {
    ::signal(end_early, [](int) { is_to_end.store(true); });
  }
  return is_to_end.load();
}

Failed failed(const std::exception& failure) {
  if (const auto* const refusal = dynamic_cast<const InputError*>(&failure)) {
    return {FailureKind::input, refusal->where(), refusal->why()};
  }
  const bool is_backend = dynamic_cast<const BackendError*>(&failure) != nullptr;
  return {is_backend ? FailureKind::backend : FailureKind::other, {}, failure.what()};
}

/// Simulates in a child process and says how it went.
Reply simulated(const SimMachine& machine, const Simulate& request) {
  try {
    return {request.number, simulate_here(machine, request.simulation, stop_requested)};
  } catch (const std::exception& failure) {
    return {request.number, failed(failure)};
  }
}

std::string how_it_died(const ChildProcess::Outcome& outcome) {
  if (outcome.signal == 0) {
    return fmt::format("its process ended with {} before it had one", outcome.exit_code);
  }
  return fmt::format("its process died of signal {} ({})", outcome.signal,
                     ::strsignal(outcome.signal));
}

/// A probe is not needed any more.
class Cancelled : public std::exception {};

class SimulationServer {
 public:
  explicit SimulationServer(int socket) : channel_(socket) {}

  void serve() {
    open_simgrid_early();
    for (;;) {
      while (!requests_.empty()) {
        const Request request = std::move(requests_.front());
        requests_.pop_front();
        std::visit([this](const auto& asked) { handle(asked); }, request);
      }
      start_waiting();
      wait();
      channel_.flush();
      collect();
      if (!receive() && requests_.empty()) return;
    }
  }

 private:
  struct Running {
    std::uint64_t number;
    std::string library;  ///< of the policy; empty: none
    ChildProcess child;
  };

  /// Opens the module before the first simulation needs it, so that its processes inherit it. If it
  /// cannot be opened, each request says so.
  static void open_simgrid_early() {
    try {
      open_simgrid();
    } catch (const BackendError&) {
      return;
    }
  }

  bool receive() {
    const bool is_open = channel_.receive();
    while (const std::optional<std::string> message = channel_.take()) {
      requests_.push_back(read_request(*message));
    }
    return is_open;
  }

  /// Waits until something can be done.
  void wait() {
    const auto wanted = static_cast<short>(channel_.has_unsent() ? POLLIN | POLLOUT : POLLIN);
    std::vector<pollfd> fds = {{channel_.fd(), wanted, 0}};
    for (const Running& running : running_) fds.push_back({running.child.read_fd(), POLLIN, 0});
    static_cast<void>(::poll(fds.data(), fds.size(), -1));
  }

  void post(const Reply& reply) { channel_.post(archived(reply)); }

  void handle(const OpenSimgrid& request) {
    try {
      open_simgrid();
      post({request.number, SimgridOpened{}});
    } catch (const BackendError& failure) {
      post({request.number, failed(failure)});
    }
  }
  void handle(const KeepInputs& request) { inputs_[request.number] = request.inputs; }
  void handle(const KeepProfile& request) { profiles_[request.number] = request.traces; }
  void handle(const Forget& request) {
    inputs_.erase(request.number);
    machines_.erase(request.number);
    profiles_.erase(request.number);
  }
  void handle(const Simulate& request) {
    Simulate& waiting = waiting_.emplace_back(request);
    waiting.simulation.inputs = inputs_.at(request.inputs);
    if (request.profile != 0) waiting.simulation.run.policy.profile = profiles_.at(request.profile);
  }
  void handle(const ProbePlatform& request);
  void handle(const Stop& /*request*/) {
    for (const Running& running : running_) ::kill(running.child.pid(), end_early);
    for (const Simulate& waiting : waiting_) {
      post({waiting.number, Failed{FailureKind::other, {}, "stopped before it began"}});
    }
    waiting_.clear();
  }
  void handle(const Cancel& /*request*/) {
    running_.clear();
    waiting_.clear();
  }

  /// The machine of kept inputs, made when it is first simulated.
  const SimMachine& machine_of(const Simulate& request) {
    const auto known = machines_.find(request.inputs);
    if (known != machines_.end()) return known->second;
    return machines_.emplace(request.inputs, make_sim_machine(request.simulation.inputs))
        .first->second;
  }

  void start_waiting() {
    while (!waiting_.empty() && running_.size() < waiting_.front().at_once) {
      Simulate request = std::move(waiting_.front());
      waiting_.pop_front();
      try {
        open_library(request.simulation.run.policy);
        const SimMachine& machine = machine_of(request);
        running_.push_back({request.number, request.simulation.run.policy.loaded_from,
                            ChildProcess([&](int write_fd) {
                              channel_.close();
                              tell_policy_faults_to(write_fd, [] { return is_to_end.load(); });
                              return write_all(write_fd, archived(simulated(machine, request))) ? 0
                                                                                                : 1;
                            })});
      } catch (const BackendError& failure) {
        if (!running_.empty()) {  // no process for now: one of these ends
          waiting_.push_front(request);
          return;
        }
        post({request.number, failed(failure)});
      } catch (const std::exception& failure) {
        post({request.number, failed(failure)});
      }
    }
  }

  /// Passes on what the simulations that have ended say.
  void collect() {
    std::erase_if(running_, [this](Running& running) {
      if (running.child.receive()) return false;
      const ChildProcess::Outcome outcome = running.child.wait();
      if (outcome.succeeded() && !outcome.output.empty()) {
        channel_.post(outcome.output);
      } else if (outcome.exit_code == policy_fault_exit) {
        post({running.number, Failed{FailureKind::input, running.library, outcome.output}});
      } else {
        post({running.number, Failed{FailureKind::died, {}, how_it_died(outcome)}});
      }
      return true;
    });
  }

  MessageChannel channel_;
  std::deque<Request> requests_;
  std::map<std::uint64_t, std::shared_ptr<const SimInputs>> inputs_;
  std::map<std::uint64_t, std::shared_ptr<const std::vector<Trace>>> profiles_;
  std::map<std::uint64_t, SimMachine> machines_;
  std::deque<Simulate> waiting_;
  std::vector<Running> running_;
};

/// Probes at once, because nothing else is asked for meanwhile, except to cancel it.
void SimulationServer::handle(const ProbePlatform& request) {
  const auto& units = request.wanted.trace_units;
  const auto wants_routes = [&](const ProbedHost& host) {
    if (!units) return true;
    const auto mapped = mapped_unit(request.wanted.maps, host.name);
    return std::ranges::binary_search(
        *units, mapped ? *mapped : unit_from_properties(host.name, host.properties).trace_unit);
  };
  auto told = std::chrono::steady_clock::now();
  const auto watch = [&](std::size_t done, std::size_t hosts) {
    if (const auto now = std::chrono::steady_clock::now(); now - told > progress_interval) {
      post({request.number, ProbingPlatform{done, hosts}});
      told = now;
    }
    channel_.flush();
    const bool is_open = receive();
    const bool is_cancelled = std::ranges::any_of(
        requests_, [](const Request& other) { return std::holds_alternative<Cancel>(other); });
    if (!is_open || is_cancelled) throw Cancelled();
  };
  try {
    post({request.number, probe_platform(request.source, wants_routes, request.missing, watch)});
  } catch (const Cancelled&) {
    return;
  } catch (const std::exception& failure) {
    post({request.number, failed(failure)});
  }
}

}  // namespace

std::optional<int> socket_to_serve(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != serve_command) return std::nullopt;
  const auto fd = number_of_all<int>(argv[2]);
  struct stat status {};
  if (!fd || ::fstat(*fd, &status) != 0 || !S_ISSOCK(status.st_mode)) return std::nullopt;
  return fd;
}

int serve_simulations(int socket) {
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_IGN);
  // A parent that ignores ends of children would make the end of a simulation unknown.
  for (const int signal : {SIGCHLD, end_early}) ::signal(signal, SIG_DFL);
  try {
    SimulationServer(socket).serve();
  } catch (const std::exception& failure) {  // a request that cannot be read
    say_error(fmt::format("the simulation server ends: {}", failure.what()));
    return 1;
  }
  return 0;
}

}  // namespace equipoise
