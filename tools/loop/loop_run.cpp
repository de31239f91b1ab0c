// Hands a loop to the functions of the commands `record` and `run`, and sums up what they did.
#include "tools/loop/loop_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <new>
#include <set>
#include <utility>

#include "real/machine.hpp"
#include "real/worker.hpp"
#include "shared_policies/model/failure.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/commands/once.hpp"
#include "tools/console/console.hpp"
#include "tools/report/report_text.hpp"
#include "tools/worlds/real_machine.hpp"

namespace equipoise {
namespace {

constexpr int work_failed = 1;
constexpr int unusable_input = 2;

OwnWork own_work(const LoopWork& work, std::vector<UnitSpec> units = {}) {
  const auto shared = std::make_shared<const LoopWork>(work);
  return {[shared] { return make_loop_kernel(shared); }, std::move(units)};
}

/// How the loop is spelled where a workload is typed, as for simulations of it.
std::string spelling_of(const LoopWork& work) {
  return fmt::format("{}:items={}", work.workload.kernel, work.workload.items);
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

/// What a run was, or why it is no result.
Summary run_here(const LoopWork& work, const RunRequest& request) {
  const int left_before = threads_left_behind();
  Summary summary;
  run_once(request, "run", [&](const FinishedRun& run) {
    if (run.report.outcome.interrupted) {
      throw Error(
          "interrupted" + (request.out.empty() ? "" : "; " + request.out + " holds the run so far"),
          128 + stop_signal());
    }
    if (!run.report.run.verified) {
      const std::string last = work.failures->last();
      throw Error(
          "the run is not verified: " + run.report.problem + (last.empty() ? "" : "; " + last),
          work_failed);
    }
    summary = summary_of(run);
  });
  summary.calls_left = std::max(0, threads_left_behind() - left_before);
  return summary;
}

/// Records the loop as it is before its first iteration.
void record_loop(const LoopWork& work, RecordRequest request) {
  LoopWork at_rest = work;
  at_rest.between = nullptr;
  request.options.own = std::make_shared<const OwnWork>(own_work(at_rest));
  request.options.trace_files.clear();
  request.options.scenario_file.clear();
  if (!record_once(request).interrupted) return;
  throw Error("interrupted while it was recorded", 128 + stop_signal());
}

}  // namespace

std::vector<std::string> default_units(const LoopWork& work) {
  std::vector<std::string> units;
  if (work.cpu) {
    std::set<int> cores;
    for (const CpuThread& thread : this_machine().threads) cores.insert(thread.core);
    units.assign(std::max<std::size_t>(cores.size(), 1), "cpu");
  }
  if (work.gpu) {
    const std::size_t gpus = usable_gpus().size();
    for (std::size_t i = 0; i < gpus; ++i) units.push_back(fmt::format("cuda,device={}", i));
  }
  return units;
}

Summary run_loop(const LoopWork& work, LoopRequest request) {
  const StopSignals signals;
  RunOptions& options = request.run.options;
  if (!work.cpu && !work.gpu) {
    throw InputError(work.workload.kernel, "has no body; give it one with on_cpu or on_cuda");
  }
  if (options.units.empty()) options.units = default_units(work);
  if (options.units.empty()) {
    throw InputError(work.workload.kernel,
                     "has a body for GPUs only, and this machine has none that can be used; give "
                     "it one with on_cpu");
  }
  options.workloads = {spelling_of(work)};
  if (!request.record.out.empty()) {
    request.record.options = options;
    record_loop(work, request.record);
  }
  options.own = std::make_shared<const OwnWork>(own_work(work));
  return run_here(work, request.run);
}

Summary run_pulled(const LoopWork& work, LoopRequest request, const std::vector<std::string>& names,
                   const std::vector<std::unique_ptr<PulledUnit>>& units) {
  const StopSignals signals;
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
  options.own = std::make_shared<const OwnWork>(own_work(work, pulled_units(names, units)));
  return run_here(work, request.run);
}

int run_loop_command(const LoopWork& work, int argc, char** argv) {
  const OwnProgram own{std::filesystem::path(argv[0]).filename().string(), spelling_of(work),
                       std::make_shared<const OwnWork>(own_work(work))};
  const StopSignals signals;
  return run_program(argc, argv, &own);
}

Error as_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const HelpAsked& help) {
    return {help.what(), 0};
  } catch (const InputError& error) {
    return {error.what(), unusable_input};
  } catch (const Interrupted& stop) {
    return {"interrupted", 128 + stop.signal()};
  } catch (const std::bad_alloc&) {
    return {"there is not enough memory for this; free some, or give smaller inputs", work_failed};
  } catch (const std::exception& failure) {
    return {failure.what(), work_failed};
  }
}

}  // namespace equipoise
