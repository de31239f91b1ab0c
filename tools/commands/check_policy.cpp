// `equipoise check policy`: checks on random machines what every policy has to keep.
#include <fmt/format.h>
#include <poll.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/contract/policy_contract.hpp"
#include "shared_policies/contract/random_machine.hpp"
#include "sim/child_process.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/runs/policy_call.hpp"
#include "tools/runs/policy_choice.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// How a promise was broken; nothing: it was kept.
using Finding = std::optional<std::string>;

/// The report of a process that found nothing. One that ends without a report was ended by the
/// policy.
constexpr const char* kept = "kept";

/// Checks `promise` in a process of its own, because the policy may crash or never end.
Finding check(const Promise& promise, const PolicyMaker& make, std::uint32_t seed, int machines,
              double seconds_max) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds_max);
  ChildProcess child([&](int write_fd) {
    tell_policy_faults_to(write_fd, [] { return false; });
    std::string report = kept;
    try {
      if (const auto breach = promise.check(make, seed, machines)) {
        report = fmt::format("machine {}: {}", breach->round + 1, breach->what);
      }
    } catch (const std::exception& failure) {
      report = failure.what();
    }
    return write_all(write_fd, report) ? 0 : 1;
  });
  do {
    const double left_s = std::chrono::duration<double>(deadline - Clock::now()).count();
    if (left_s <= 0.0) {
      return fmt::format(
          "did not end in {} s; does the policy wait for ever, or set timers at once "
          "without end?",
          seconds_max);
    }
    pollfd readable{child.read_fd(), POLLIN, 0};
    static_cast<void>(::poll(&readable, 1, static_cast<int>(left_s * 1e3) + 1));
    if (readable.revents == 0) continue;
    if (!child.receive()) break;
  } while (true);
  const ChildProcess::Outcome outcome = child.wait();
  if (outcome.signal != 0) {
    return fmt::format("the policy crashed: signal {} ({})", outcome.signal,
                       ::strsignal(outcome.signal));
  }
  const bool has_reported = outcome.succeeded() || outcome.exit_code == policy_fault_exit;
  if (!has_reported || outcome.output.empty()) {
    return fmt::format("the policy ended its process with {}", outcome.exit_code);
  }
  return outcome.output == kept ? Finding() : Finding(outcome.output);
}

Json promise_json(const Promise& promise, int machines, const Finding& finding) {
  return {{"property", promise.name},
          {"line", promise.line},
          {"machines", machines},
          {"kept", !finding},
          {"what", finding ? Json(*finding) : Json()}};
}

void print(const Promise& promise, int machines, const Finding& finding) {
  print_out("{}  {:17}  {} ({} machines)\n", finding ? "BROKEN" : "kept  ", promise.name,
            promise.line, machines);
  if (finding) print_out("        {}\n", *finding);
  std::fflush(stdout);
}

}  // namespace

int check_policy_command(const PolicyCheckRequest& request) {
  const PolicyChoice choice = parse_policy(request.policy, "POLICY");
  const auto seed = static_cast<std::uint32_t>(request.seed);
  std::mt19937 random{seed};
  const RandomMachine any = random_machine(random);
  static_cast<void>(make_policy(choice, &any.known, any.run.units));  // may refuse parameters
  const PolicyMaker make = [&choice](const PolicyInputs& inputs) {
    return make_policy(choice, inputs.known, inputs.units);
  };
  std::vector<std::string> broken;
  Json promises = Json::array();
  for (const Promise& promise : policy_contract()) {
    const int machines = request.machines.value_or(promise.rounds);
    const Finding finding = check(promise, make, seed, machines, request.seconds_max);
    if (finding) broken.push_back(promise.name);
    if (request.json) {
      promises.push_back(promise_json(promise, machines, finding));
    } else {
      print(promise, machines, finding);
    }
  }
  if (request.json) {
    print_json({{"schema", "equipoise.policy-check/1"},
                {"policy", request.policy},
                {"promises", std::move(promises)}});
  }
  if (broken.empty()) return 0;
  say_error(fmt::format("{}: does not keep {}; the same machines again: --seed {}", request.policy,
                        fmt::join(broken, ", "), request.seed));
  return 1;
}

}  // namespace equipoise
