// Starts the simulation server, asks it, and waits for its replies.
#include "tools/simulations/simulations.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "real/mpi/mpi_module.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/modules/run_time_module.hpp"
#include "tools/console/console.hpp"
#include "tools/simulations/simulation_messages.hpp"
#include "tools/simulations/simulation_server.hpp"

namespace equipoise {
namespace {

constexpr int patience_ms = 100;  // after which a stop request is noticed

/// Our environment without what makes us a rank of MPI, which Ipopt opens on Debian 13, and with
/// OpenBLAS told to start no threads: in simulations, only Ipopt uses it, for small systems. Of two
/// entries of the same name, the earlier one counts.
std::vector<char*> environment_of_server() {
  static std::string one_thread = "OPENBLAS_NUM_THREADS=1";
  std::vector<char*> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!is_of_a_rank(*entry)) entries.push_back(*entry);
  }
  entries.push_back(one_thread.data());
  entries.push_back(nullptr);
  return entries;
}

/// Whether this process was started as a server, but did something else. It would start itself
/// again and again.
bool was_to_serve() {
  std::ifstream words("/proc/self/cmdline");
  std::string word;
  std::getline(words, word, '\0');
  std::getline(words, word, '\0');
  return word == serve_command;
}

/// Becomes the server in a process that has our memory until then, and may change nothing in it.
[[noreturn]] void become_server(int socket, pid_t parent, const char* program, char* const* argv,
                                char* const* environment) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The main process alone reacts to these.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  const bool is_ready = ::getppid() == parent && ::fcntl(socket, F_SETFD, 0) == 0;
  if (is_ready) ::execve(program, argv, environment);
  ::_exit(127);
}

/// The simulation server of this process.
class ServerProcess {
 public:
  ServerProcess() : channel_(started()) {}
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;
  ~ServerProcess() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    static_cast<void>(waited());
  }

  std::uint64_t next_number() { return ++last_number_; }
  void ask(const Request& request) { channel_.send(archived(request)); }

  /// Asks for a simulation and returns its number.
  std::uint64_t ask(Simulation simulation, std::size_t at_once) {
    forget_unused();
    Simulate request;
    request.inputs = kept<KeepInputs>(std::move(simulation.inputs));
    if (simulation.run.policy.profile != nullptr) {
      request.profile = kept<KeepProfile>(std::move(simulation.run.policy.profile));
    }
    request.number = next_number();
    request.at_once = at_once;
    request.simulation = std::move(simulation);
    ask(Request(std::move(request)));
    return last_number_;
  }

  /// The next reply; nullopt if none comes in time. Throws BackendError if the server has ended.
  std::optional<Reply> wait() {
    std::optional<std::string> message = channel_.take();
    if (!message) {
      pollfd readable{channel_.fd(), POLLIN, 0};
      static_cast<void>(::poll(&readable, 1, patience_ms));
      const bool is_open = channel_.receive();
      message = channel_.take();
      if (!message && !is_open) throw BackendError(how_it_ended());
    }
    if (!message) return std::nullopt;
    return read_reply(*message);
  }

 private:
  struct Kept {
    std::uint64_t number = 0;
    std::shared_ptr<const void> value;  ///< keeps its address from being used again
  };

  /// Starts the server and returns our end of the connection.
  int started() {
    EQ_CHECK(!was_to_serve(), "a program that simulates calls socket_to_serve() first");
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw BackendError(std::string("no socket to the simulation server: ") +
                         std::strerror(errno));
    }
    std::array<std::string, 3> words = {"equipoise", serve_command, std::to_string(ends[1])};
    const std::array<char*, 4> argv = {words[0].data(), words[1].data(), words[2].data(), nullptr};
    std::vector<char*> environment = environment_of_server();
    const std::string program = file_of_program();
    const pid_t parent = ::getpid();
    // Not fork: nothing of ours is copied, and no library prepares for a copy.
    const pid_t pid = ::vfork();
    if (pid == 0) {
      become_server(ends[1], parent, program.c_str(), argv.data(), environment.data());
    }
    const int error = errno;
    ::close(ends[1]);
    pid_ = pid;
    if (pid > 0) return ends[0];
    ::close(ends[0]);
    throw BackendError(std::string("no process for the simulation server: ") +
                       std::strerror(error));
  }

  /// The number under which the server keeps `value`, which is sent to it once.
  template <class Keep, class Value>
  std::uint64_t kept(std::shared_ptr<const Value> value) {
    const auto [place, is_new] = kept_.try_emplace(value.get());
    if (is_new) {
      place->second = {next_number(), value};
      ask(Request(Keep{last_number_, std::move(value)}));
    }
    return place->second.number;
  }

  /// Lets the server forget what nobody else in this process has.
  void forget_unused() {
    std::erase_if(kept_, [this](const auto& known) {
      const Kept& kept = known.second;
      if (kept.value.use_count() > 1) return false;
      ask(Request(Forget{kept.number}));
      return true;
    });
  }

  int waited() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return status;
  }

  std::string how_it_ended() {
    if (pid_ > 0) {
      const int status = waited();
      ended_ = WIFSIGNALED(status) ? fmt::format("died of signal {} ({})", WTERMSIG(status),
                                                 ::strsignal(WTERMSIG(status)))
                                   : fmt::format("ended with {}", WEXITSTATUS(status));
    }
    return "cannot simulate: the simulation server " + ended_ +
           "; make sure that memory suffices and nothing ends it, and start again";
  }

  pid_t pid_ = -1;
  std::uint64_t last_number_ = 0;
  std::map<const void*, Kept> kept_;  ///< by address
  std::string ended_;
  MessageChannel channel_;  ///< made last: it starts the server
};

ServerProcess& server() {
  static ServerProcess only;
  return only;
}

/// Cancels everything that the server does, unless it is disarmed.
class Cancelling {
 public:
  Cancelling() = default;
  Cancelling(const Cancelling&) = delete;
  Cancelling& operator=(const Cancelling&) = delete;
  ~Cancelling() {
    if (is_armed_) server().ask(Cancel{});
  }
  void disarm() { is_armed_ = false; }

 private:
  bool is_armed_ = true;
};

std::string text_of(const Failed& failed) {
  return failed.where.empty() ? failed.why : failed.where + ": " + failed.why;
}

[[noreturn]] void rethrow(const Failed& failed) {
  switch (failed.kind) {
    case FailureKind::input:
      throw InputError(failed.where, failed.why);
    case FailureKind::backend:
      throw BackendError(failed.why);
    case FailureKind::died:
    case FailureKind::other:
      break;
  }
  throw std::runtime_error(failed.why);
}

/// Waits for the answer to `number`, and calls `meanwhile` whenever another reply or none has come.
template <class Kind>
std::variant<Kind, Failed> answer_to(std::uint64_t number,
                                     const std::function<void(const Reply*)>& meanwhile) {
  for (;;) {
    std::optional<Reply> reply = server().wait();
    if (reply && reply->number == number) {
      if (auto* const answer = std::get_if<Kind>(&reply->answer)) return std::move(*answer);
      if (auto* const failed = std::get_if<Failed>(&reply->answer)) return std::move(*failed);
    }
    meanwhile(reply ? &*reply : nullptr);
  }
}

}  // namespace

void start_simulation_server() { static_cast<void>(server()); }

void expect_simgrid() {
  const std::uint64_t number = server().next_number();
  server().ask(OpenSimgrid{number});
  const auto answer = answer_to<SimgridOpened>(number, [](const Reply* /*other*/) {});
  if (const auto* const refused = std::get_if<Failed>(&answer)) rethrow(*refused);
}

ProbedPlatform probe_in_server(PlatformSource source, RoutesOf wanted, MissingRoutes missing,
                               const ProbeWatch& watch) {
  const std::uint64_t number = server().next_number();
  server().ask(ProbePlatform{number, std::move(source), std::move(wanted), missing});
  Cancelling cancelling;
  std::size_t done = 0;
  std::size_t hosts = 0;
  auto answer = answer_to<ProbedPlatform>(number, [&](const Reply* reply) {
    if (reply != nullptr && reply->number == number) {
      const auto& probing = std::get<ProbingPlatform>(reply->answer);
      done = probing.done;
      hosts = probing.hosts;
    }
    if (watch) watch(done, hosts);
  });
  cancelling.disarm();
  if (const auto* const refused = std::get_if<Failed>(&answer)) rethrow(*refused);
  return std::move(std::get<ProbedPlatform>(answer));
}

void run_simulations(std::size_t count, const std::function<Simulation(std::size_t)>& which,
                     const std::function<void(std::size_t, SimulationResult)>& ended) {
  const std::size_t at_once = cores_to_use();
  std::map<std::uint64_t, std::size_t> asked;  // number -> which
  std::size_t next = 0;
  Cancelling cancelling;
  while (next < count || !asked.empty()) {
    // The server always has the simulations that come next.
    for (; next < count && asked.size() < 2 * at_once; ++next) {
      asked.emplace(server().ask(which(next), at_once), next);
    }
    std::optional<Reply> reply = server().wait();
    if (stop_signal() != 0) throw Interrupted(stop_signal());
    const auto found = reply ? asked.find(reply->number) : asked.end();
    if (found == asked.end()) continue;
    const std::size_t simulation = found->second;
    asked.erase(found);
    SimulationResult result;
    if (const auto* const failed = std::get_if<Failed>(&reply->answer)) {
      result.failure = text_of(*failed);
    } else {
      result.report = std::move(std::get<RunReport>(reply->answer));
    }
    ended(simulation, std::move(result));
  }
  cancelling.disarm();
}

SimulationResult run_alone(const Simulation& simulation) {
  SimulationResult result;
  run_simulations(
      1, [&](std::size_t) { return simulation; },
      [&](std::size_t, SimulationResult ended) { result = std::move(ended); });
  return result;
}

RunReport run_simulation(const Simulation& simulation) {
  const std::uint64_t number = server().ask(simulation, 1);
  bool is_stopping = false;
  auto answer = answer_to<RunReport>(number, [&](const Reply* /*other*/) {
    if (stop_signal() != 0 && !std::exchange(is_stopping, true)) server().ask(Stop{});
  });
  const auto* const failed = std::get_if<Failed>(&answer);
  if (failed == nullptr) return std::move(std::get<RunReport>(answer));
  if (stop_signal() != 0) throw Interrupted(stop_signal());
  if (failed->kind != FailureKind::died) rethrow(*failed);
  throw BackendError(fmt::format("the simulation of {} has no result: {}",
                                 simulation.run.policy.typed, failed->why));
}

std::size_t cores_to_use() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&set));
}

}  // namespace equipoise
