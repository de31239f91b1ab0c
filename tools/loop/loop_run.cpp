// Hands a loop to the functions of the commands `record` and `run`, and sums up what they did.
#include "tools/loop/loop_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "real/machine.hpp"
#include "real/mpi/mpi_module.hpp"
#include "real/nodes/nodes.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/commands/failures.hpp"
#include "tools/commands/once.hpp"
#include "tools/console/console.hpp"
#include "tools/report/report_text.hpp"
#include "tools/worlds/node_program.hpp"
#include "tools/worlds/real_machine.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

constexpr int work_failed = 1;

bool is_mpi_ours = false;  ///< we have initialised it; used while a loop runs

/// The one loop of this process that runs: units have its cores, and Ctrl-C is for it.
class RunningLoop {
 public:
  RunningLoop() {
    if (!is_any_running.exchange(true)) return;
    throw InputError("the loop", "another one of this program runs; let it end first");
  }
  RunningLoop(const RunningLoop&) = delete;
  RunningLoop& operator=(const RunningLoop&) = delete;
  ~RunningLoop() { is_any_running = false; }

 private:
  static inline std::atomic<bool> is_any_running = false;
};

/// Does `work` while no other loop runs and signals are ours, and throws only Errors.
template <class Work>
auto while_running(Work&& work) {
  try {
    const RunningLoop running;
    const StopSignals signals;
    forget_inputs();  // of loops before
    try {
      return work();
    } catch (...) {
      throw as_error();  // while it is known whether a signal has come
    }
  } catch (...) {
    throw as_error();
  }
}

/// Connected ranks, until this object is gone.
class ConnectedRanks {
 public:
  ConnectedRanks() : ranks_(connect_ranks()) {}
  ConnectedRanks(const ConnectedRanks&) = delete;
  ConnectedRanks& operator=(const ConnectedRanks&) = delete;
  ~ConnectedRanks() {
    if (ranks_) ranks_->leave(true);
  }
  /// Null if there is one rank.
  [[nodiscard]] const std::shared_ptr<Communicator>& get() const { return ranks_; }

 private:
  std::shared_ptr<Communicator> ranks_;
};

/// Calls `work` with the ranks of this process; null: there are no others. Where the program has
/// initialised MPI, they are connected for `work` alone, because it may call MPI before and
/// afterwards; else until the process ends, because MPI starts once.
template <class Work>
Summary with_ranks_of_process(Work&& work) {
  if (!is_started_by_mpirun()) return work(std::shared_ptr<Communicator>());
  if (has_initialized_mpi() && !is_mpi_ours) {
    const ConnectedRanks ranks;
    return work(ranks.get());
  }
  is_mpi_ours = true;
  static const ConnectedRanks ranks;
  return work(ranks.get());
}

std::shared_ptr<const LoopWorkload> loop_workload(const LoopWork& work,
                                                  std::vector<UnitSpec> units = {}) {
  const auto shared = std::make_shared<const LoopWork>(work);
  return std::make_shared<const LoopWorkload>(
      LoopWorkload{[shared] { return make_loop_kernel(shared); }, std::move(units)});
}

/// The loop without what goes on between its iterations, and without the check of its results,
/// which may need that. It is recorded so: its program must not change by that.
LoopWork at_rest(LoopWork work) {
  work.between = nullptr;
  work.verify = nullptr;
  return work;
}

/// How the loop is spelled where a workload is typed, as for simulations of it.
std::string spelling_of(const LoopWork& work) {
  const Workload& workload = work.workload;
  const std::string iterations =
      workload.iterations == 1 ? "" : fmt::format(",iterations={}", workload.iterations);
  return fmt::format("{}:items={}{}", workload.kernel, workload.items, iterations);
}

Summary summary_of(const FinishedRun& run) {
  const RunNumbers& numbers = run.report.run.numbers;
  Summary summary;
  summary.makespan_s = numbers.makespan.value;
  summary.blocks = static_cast<std::int64_t>(numbers.blocks);
  summary.items_redone = numbers.items_redone;
  for (std::size_t i = 0; i < run.units.size(); ++i) {
    const UnitNumbers& unit = numbers.units[i];
    summary.units.push_back({run.units[i].name, unit.items, static_cast<std::int64_t>(unit.blocks),
                             unit.occupied.value});
  }
  std::set<std::string> lost;
  for (const UnitLoss& loss : run.report.unit_losses) {
    if (lost.insert(run.units[loss.unit.index].name).second) {
      summary.lost.push_back(run.units[loss.unit.index].name);
    }
  }
  summary.is_verified = run.report.run.verified && !run.report.run.unchecked;
  summary.text = run_text(run.report, run.choice, run.units, run.resident);
  while (summary.text.ends_with('\n')) summary.text.pop_back();
  return summary;
}

/// What a run was. Throws an Error if it is no result.
Summary run_here(const LoopWork& work, const RunRequest& request) {
  Summary summary;
  std::optional<Error> failure;
  run_once(request, "run", [&](const FinishedRun& run) {
    if (run.report.outcome.interrupted) {
      failure.emplace(
          "interrupted" + (request.out.empty() ? "" : "; " + request.out + " holds the run so far"),
          128 + stop_signal());
    } else if (!run.report.run.verified) {
      const std::string last = work.calls->last_failure();
      failure.emplace(
          "the run is not verified: " + run.report.problem + (last.empty() ? "" : "; " + last),
          work_failed);
    } else {
      summary = summary_of(run);
    }
  });
  summary.calls_left = work.calls->going_on();
  if (failure) throw Error(failure->what(), failure->exit_code(), summary.calls_left);
  return summary;
}

/// Records the loop as it is before its first iteration.
void record_loop(const LoopWork& work, RecordRequest request, const RunOptions& options) {
  request.options = options;
  request.options.loop = loop_workload(at_rest(work));
  request.options.trace_files.clear();
  request.options.scenario_file.clear();
  if (!record_once(request).interrupted) return;
  throw Error("interrupted while it was recorded", 128 + stop_signal());
}

/// A `cpu` for each core that the program may use, and each GPU if the loop has a body for it. A
/// quarter of the cores is then left to the controller and to threads that copy.
std::vector<std::string> default_units(const LoopWork& work) {
  std::vector<std::string> gpus;
  if (work.gpu) {
    const std::size_t count = usable_gpus().size();
    for (std::size_t i = 0; i < count; ++i) gpus.push_back(fmt::format("cuda,device={}", i));
  }
  std::set<int> cores;
  for (const CpuThread& thread : this_machine().threads) cores.insert(thread.core);
  std::size_t cpus = work.cpu ? std::max<std::size_t>(cores.size(), 1) : 0;
  if (!gpus.empty()) cpus -= std::min(cpus, std::max<std::size_t>(1, cpus / 4));
  std::vector<std::string> units(cpus, "cpu");
  units.insert(units.end(), gpus.begin(), gpus.end());
  return units;
}

Summary run_with(const LoopWork& work, LoopRequest request, const std::shared_ptr<Nodes>& nodes) {
  RunOptions& options = request.run.options;
  options.nodes = nodes;
  if (nodes && !has_units(options)) {
    throw InputError("--unit", "says which units each rank has; give it, or --units-per-rank");
  }
  if (!has_units(options)) options.units = default_units(work);
  if (!has_units(options)) {
    throw InputError(work.workload.kernel,
                     "has a body for GPUs only, and this machine has none that can be used; give "
                     "it one with on_cpu");
  }
  for (const std::string& unit : options.units) {
    if (!unit.starts_with("paced")) continue;
    throw InputError("--unit " + unit,
                     "waits as long as a trace says and does no items, which this program needs; "
                     "leave it out, or compare");
  }
  options.workloads = {spelling_of(work)};
  if (!request.record.out.empty()) record_loop(work, request.record, options);
  options.loop = loop_workload(work);
  return run_here(work, request.run);
}

/// Does the command that `arguments` begin with, as the program `equipoise` does.
[[noreturn]] void do_command(const LoopWork& work, std::string program,
                             std::vector<std::string> arguments,
                             const std::shared_ptr<Nodes>& nodes) {
  const bool records = arguments.front() == "record" || arguments.front() == "validate";
  const LoopProgram loop{program, spelling_of(work), loop_workload(records ? at_rest(work) : work),
                         nodes};
  std::vector<char*> words = {program.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const int exit_code = run_program(static_cast<int>(words.size()) - 1, words.data(), &loop);
  if (nodes) nodes->end(exit_code);
  throw Error("", exit_code);
}

/// The arguments, which all ranks read alike; what is wrong with them, or help, rank 0 says.
LoopRequest read_arguments(const LoopWork& work, const std::string& program,
                           const std::vector<std::string>& arguments, bool is_node) {
  try {
    return parse_loop_arguments(program, work.workload.kernel, arguments);
  } catch (...) {
    if (is_node) throw Error("", as_error().exit_code());
    throw;
  }
}

/// Does the part of this rank in a loop that rank 0 divides, or in a command, with which the
/// program ends.
Summary serve_loop(Communicator& ranks, const LoopWork& work, bool is_command) {
  RunOptions options;
  options.loop = loop_workload(work);
  const int exit_code = be_node(ranks, options);
  if (is_command) throw Error("", exit_code);
  if (exit_code != 0) {
    throw Error(
        fmt::format("rank {}: the loop ended on rank 0, which is gone or has failed", ranks.rank()),
        exit_code);
  }
  Summary summary;
  summary.rank = ranks.rank();
  summary.is_verified = true;
  summary.text = fmt::format("rank {}: did its part; the results are on rank 0", ranks.rank());
  return summary;
}

}  // namespace

Summary run_loop(const LoopWork& work, const std::string& program,
                 const std::vector<std::string>& arguments) {
  return while_running([&] {
    if (!work.cpu && !work.gpu) {
      throw InputError(work.workload.kernel, "has no body; give it one with on_cpu or on_cuda");
    }
    return with_ranks_of_process([&](const std::shared_ptr<Communicator>& ranks) {
      const bool is_command = !arguments.empty() && !arguments.front().starts_with('-');
      const bool is_node = ranks && ranks->rank() > 0;
      std::optional<LoopRequest> request;
      if (!is_command) request = read_arguments(work, program, arguments, is_node);
      if (is_node) return serve_loop(*ranks, work, is_command);
      // If something throws, the other ranks are told so by its destructor.
      const std::shared_ptr<Nodes> nodes = ranks ? std::make_shared<Nodes>(ranks) : nullptr;
      if (is_command) do_command(work, program, arguments, nodes);
      Summary summary = run_with(work, std::move(*request), nodes);
      if (nodes) nodes->end(0);
      return summary;
    });
  });
}

Summary run_pulled(const LoopWork& work, LoopRequest request, const std::vector<std::string>& names,
                   const std::vector<std::unique_ptr<PulledUnit>>& units) {
  return while_running([&] {
    RunOptions& options = request.run.options;
    if (!options.units.empty()) {
      throw InputError("--unit", "the units are threads of the program; leave it out");
    }
    if (!request.record.out.empty()) {
      throw InputError("--record",
                       "needs a body, which it calls for blocks of many sizes; leave it out");
    }
    if (!options.scenario_file.empty()) {
      throw InputError("--scenario", "threads of the program cannot be disturbed; leave it out");
    }
    options.units = names;
    options.workloads = {spelling_of(work)};
    options.loop = loop_workload(work, pulled_units(names, units));
    return run_here(work, request.run);
  });
}

Error as_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const HelpAsked& help) {
    return {help.what(), 0};
  } catch (...) {
    const CommandFailure failure = command_failure();
    return {failure.text, failure.exit_code};
  }
}

}  // namespace equipoise
