// Reads traces, and looks workloads up in the kernel catalog first, then in the traces; prints
// warnings.
#include "tools/worlds/inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "real/commands/command_kernel.hpp"
#include "real/kernels/catalog.hpp"
#include "shared_policies/machine/block_timing.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/console/console.hpp"
#include "tools/console/quantity_text.hpp"
#include "traces/costs_file.hpp"
#include "traces/trace_file.hpp"
#include "traces/work_file.hpp"

namespace equipoise {
namespace {

/// Throws InputError if two traces time the same kernel on the same unit, because either could be
/// right.
void expect_timed_once(const std::vector<Trace>& traces, const std::vector<std::string>& files) {
  std::map<std::pair<std::string, std::string>, std::size_t> timed;  // by kernel and unit
  for (std::size_t i = 0; i < traces.size(); ++i) {
    for (std::uint32_t unit = 0; unit < traces[i].units.size(); ++unit) {
      if (!has_samples(traces[i], unit)) continue;
      const std::string& name = traces[i].units[unit].name;
      const auto [found, is_new] = timed.emplace(std::pair(traces[i].kernel, name), i);
      if (is_new) continue;
      throw InputError(files[i], fmt::format("times {} on {}, as {} does; leave one of them out",
                                             traces[i].kernel, name, files[found->second]));
    }
  }
}

/// Names one of the optional members of traces that describe the workload.
template <class T>
using OfWorkload = std::optional<T> Trace::*;

/// Gives all traces of a kernel the value that some of them have. Throws InputError if two differ.
template <class T>
void agree_on(OfWorkload<T> member, const char* name, std::vector<Trace>& traces,
              const std::vector<std::string>& files) {
  std::map<std::string, std::size_t> giver;  // by kernel
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (!(traces[i].*member)) continue;
    const std::size_t first = giver.emplace(traces[i].kernel, i).first->second;
    if (traces[first].*member == traces[i].*member) continue;
    throw InputError(files[i], fmt::format("has {} {} for {}, and {} has {}; make them agree", name,
                                           *(traces[i].*member), traces[i].kernel, files[first],
                                           *(traces[first].*member)));
  }
  for (Trace& trace : traces) {
    const auto first = giver.find(trace.kernel);
    if (first != giver.end()) trace.*member = traces[first->second].*member;
  }
}

/// Throws InputError if two traces of a kernel say different things of how its items differ.
void expect_one_of_costs(const std::vector<Trace>& traces, const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < traces.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool both = traces[i].costs && traces[j].costs && traces[i].kernel == traces[j].kernel;
      if (!both || *traces[i].costs == *traces[j].costs) continue;
      throw InputError(files[i] + ":1", fmt::format("has other costs of the items of {} than {}; "
                                                    "make them agree",
                                                    traces[i].kernel, files[j]));
    }
  }
}

}  // namespace

std::vector<Trace> read_traces(const std::vector<std::string>& files) {
  std::vector<Trace> traces;
  std::vector<std::string> warnings;
  for (const std::string& file : files) traces.push_back(read_trace(file, &warnings));
  for (const std::string& warning : warnings) warn(warning);
  expect_timed_once(traces, files);
  agree_on(&Trace::grain_items, "grain_items", traces, files);
  agree_on(&Trace::resident_bytes, "resident_bytes", traces, files);
  agree_on(&Trace::resident_memory_bytes, "resident_memory_bytes", traces, files);
  agree_on(&Trace::memory_bytes_per_item, "memory_bytes_per_item", traces, files);
  expect_one_of_costs(traces, files);
  return traces;
}

void complete_watts(Unit& unit, const Unit& recorded) {
  if (unit.idle_w || unit.busy_w || !recorded.idle_w) return;
  unit.idle_w = recorded.idle_w;
  unit.busy_w = recorded.busy_w;
}

void add_block_limits(Unit& unit, const Unit& recorded) {
  unit.max_block_items.insert(recorded.max_block_items.begin(), recorded.max_block_items.end());
}

bool takes_part(const Unit& unit, const std::vector<Workload>& phases) {
  for (const Workload& phase : phases) {
    if (holds_a_grain(unit, phase)) continue;
    const auto limit = unit.max_block_items.find(phase.kernel);
    if (limit != unit.max_block_items.end() && limit->second < phase.grain_items) {
      warn(
          fmt::format("{} takes no part: its times hold for blocks of at most {} items, and those "
                      "of {} are multiples of {}",
                      unit.name, limit->second, phase.kernel, phase.grain_items));
      return false;
    }
    const double grain_bytes = phase.memory_bytes_per_item * static_cast<double>(phase.grain_items);
    const std::string kept =
        streamed_data(unit, phase)
            ? ""
            : fmt::format("{} there for data that stays and ", bytes_text(phase.bytes_kept()));
    warn(fmt::format(
        "{} takes no part: {} needs {}{} {}for a block of {} items, and its memory_bytes are {}",
        unit.name, phase.kernel, kept, bytes_text(grain_bytes), kept.empty() ? "there " : "",
        phase.grain_items, bytes_text(unit.memory_bytes.value_or(0.0))));
    return false;
  }
  return true;
}

namespace {

constexpr const char* alike = "alike";

const std::vector<ParameterInfo> trace_kernel_parameters = {
    {"items", "", "items", "how many items there are; required"},
    {"grain_items", "the trace's, else 1", "items", "block sizes are multiples of it"},
    {"iterations", "1", "", "how often all items are processed, behind a barrier each"},
    {"in_bytes_per_item", "the trace's, else 0", "bytes", "moved to the unit with a block"},
    {"out_bytes_per_item", "the trace's, else 0", "bytes", "moved back with a block's results"},
    {"resident_bytes", "the trace's, else 0", "bytes", "that every unit needs and keeps"},
    {"distribution", "master", "",
     "where these lie at the start: on the master, which sends them to a unit before its first "
     "block, or replicated on every unit"},
    {"resident_memory_bytes", "the trace's, else all of them", "bytes",
     "of unit memory that they occupy"},
    {"iteration_bytes", "0", "bytes",
     "of the resident ones, moved again before a unit's first block of each further iteration"},
    {"memory_bytes_per_item", "the trace's, else 0", "bytes",
     "of unit memory, while a block is there"},
    {"flop_per_item", "0", "FLOP", "for reports"},
    costs_info,
    costs_seed_info};

/// What an item of `kernel` copies in or out, by all samples of the traces; none if one of them
/// does not say.
std::optional<double> traced_bytes(const std::vector<Trace>& traces, const std::string& kernel,
                                   std::optional<double> TraceSample::*bytes_of) {
  double bytes = 0.0;
  double items = 0.0;
  for (const Trace& trace : traces) {
    if (trace.kernel != kernel) continue;
    for (const TraceSample& sample : trace.samples) {
      if (!(sample.*bytes_of)) return std::nullopt;
      bytes += *(sample.*bytes_of);
      items += sample.items;
    }
  }
  return items > 0.0 ? std::optional(bytes / items) : std::nullopt;
}

/// `trace`: the first of the `traces` of this kernel.
Workload choose_trace_kernel(const Spec& spec, const Trace& trace, const std::vector<Trace>& traces,
                             const std::string& where) {
  const Parameters read(spec.parameters, trace_kernel_parameters, spec.name, where);
  if (!read.is_given("items")) {
    throw InputError(where, fmt::format("'{0}' needs a size; write {0}:items=1e6", spec.name));
  }
  constexpr double largest = 1e300;
  Workload w;
  w.kernel = spec.name;
  w.items = read.items("items", 1);
  w.grain_items =
      read.is_given("grain_items") ? read.items("grain_items", 1) : trace.grain_items.value_or(1);
  w.iterations = static_cast<int>(read.items("iterations", 1, std::numeric_limits<int>::max()));
  const auto number_or = [&read](const char* name, const std::optional<double>& traced) {
    return read.is_given(name) ? read.number(name, 0.0, largest) : traced.value_or(0.0);
  };
  w.in_bytes_per_item =
      number_or("in_bytes_per_item", traced_bytes(traces, trace.kernel, &TraceSample::in_bytes));
  w.out_bytes_per_item =
      number_or("out_bytes_per_item", traced_bytes(traces, trace.kernel, &TraceSample::out_bytes));
  w.resident_bytes = number_or("resident_bytes", trace.resident_bytes);
  w.iteration_bytes = read.number("iteration_bytes", 0.0, largest);
  w.distribution = distribution_of(read);
  w.resident_memory_bytes = trace.resident_memory_bytes;
  if (read.is_given("resident_memory_bytes")) {
    w.resident_memory_bytes = read.number("resident_memory_bytes", 0.0, largest);
  }
  w.memory_bytes_per_item = number_or("memory_bytes_per_item", trace.memory_bytes_per_item);
  w.flop_per_item = read.number("flop_per_item", 0.0, largest);
  w.parameters["items"] = static_cast<double>(w.items);
  if (trace.problem.contains("items")) w.problem = w.parameters;
  w.validate(where);
  return w;
}

/// Takes resident bytes and memory per item from the header of the kernel's first trace, if it
/// states them. The same share of the resident bytes changes between iterations.
void take_from_trace(Workload& workload, const std::vector<Trace>& traces) {
  for (const Trace& trace : traces) {
    if (trace.kernel != workload.kernel) continue;
    if (trace.resident_bytes && workload.resident_bytes > 0.0) {
      workload.iteration_bytes =
          std::min(workload.iteration_bytes * (*trace.resident_bytes / workload.resident_bytes),
                   *trace.resident_bytes);
    }
    workload.resident_bytes = trace.resident_bytes.value_or(workload.resident_bytes);
    workload.resident_memory_bytes = trace.resident_memory_bytes;
    workload.memory_bytes_per_item =
        trace.memory_bytes_per_item.value_or(workload.memory_bytes_per_item);
    return;
  }
}

/// Whether `spec` gives a kernel of the catalog a size in `items` that only a trace supports.
bool is_sized_for_a_trace(const Spec& spec, const KernelInfo& info) {
  return spec.parameters.contains("items") &&
         std::ranges::find(info.parameters, "items", &ParameterInfo::name) == info.parameters.end();
}

/// Throws InputError (at `where`) if the user says how the items of a kernel differ that computes
/// them: they differ as they do. Kernels that take costs are excepted.
void refuse_given_costs(const Spec& spec, const std::string& kernel, const std::string& where) {
  if (!spec.parameters.contains("costs") && !spec.parameters.contains("costs_seed")) return;
  throw InputError(
      where, fmt::format("{} computes its items, so they cost what they cost; leave "
                         "out costs, take the kernel synthetic, or give a trace of a kernel of "
                         "another name",
                         kernel));
}

void refuse_given_costs(const Spec& spec, const KernelInfo& info, const std::string& where) {
  if (!takes_costs(info)) refuse_given_costs(spec, info.name, where);
}

/// Whether `spec` asks to simulate as if items cost the same, where a trace may have their costs.
bool leaves_costs_of_trace_out(const Spec& spec, const KernelInfo& info) {
  const auto costs = spec.parameters.find("costs");
  return costs != spec.parameters.end() && costs->second == alike && !takes_costs(info);
}

/// What a user may say of a work file in addition.
const std::vector<ParameterInfo> work_parameters = {
    {"items", "the file's", "items", "how many items there are"},
    {"grain", "the file's", "items", "block sizes are multiples of it"},
    costs_info,
    costs_seed_info};

constexpr std::string_view work_file_ending = ".json";

bool names_work_file(const std::string& name) { return name.ends_with(work_file_ending); }

/// The work of the file that `spec` names, with the numbers that the user gave.
CommandWork typed_work(const Spec& spec, const std::string& where) {
  CommandWork work = read_work(spec.name);
  for (const KernelInfo& info : kernel_catalog()) {
    if (info.name != work.name) continue;
    throw InputError(spec.name, fmt::format("its name is '{}', that of a kernel ('equipoise list "
                                            "kernels'); choose another",
                                            work.name));
  }
  const Parameters read(spec.parameters, work_parameters, spec.name, where);
  if (read.is_given("items")) work.items = read.items("items", 1);
  if (read.is_given("grain")) work.grain_items = read.items("grain", 1);
  return work;
}

/// The workload of a work file, for units that take their times from traces.
Workload choose_work(const Spec& spec, const std::vector<Trace>& traces, const std::string& where) {
  Workload workload = workload_of(typed_work(spec, where));
  workload.validate(where);
  if (std::ranges::none_of(traces,
                           [&](const Trace& trace) { return trace.kernel == workload.kernel; })) {
    throw InputError(where,
                     fmt::format("no trace is of {0}; record one: equipoise record --workload "
                                 "{1} --unit cpu --out {0}.jsonl",
                                 workload.kernel, spec.name));
  }
  return workload;
}

/// Throws InputError at `trace_file` if `trace` was made for another problem than `workload`.
void expect_problem(const Trace& trace, const std::string& trace_file, const Workload& workload) {
  for (const auto& [name, value] : workload.problem) {
    const auto recorded = trace.problem.find(name);
    if (recorded == trace.problem.end() || recorded->second == value) continue;
    const auto items = trace.problem.find("items");
    if (name == "command") {
      throw InputError(trace_file + ":1",
                       fmt::format("was recorded with another command, or other parameters of it, "
                                   "than that of {}; record it again",
                                   workload.kernel));
    }
    throw InputError(
        trace_file + ":1",
        fmt::format(
            "its `problem`, the recorded workload, has {0}={1}, not {0}={2}, and the cost per item "
            "depends on it; record a trace of that size{3}",
            name, recorded->second, value,
            items == trace.problem.end() || name == "items"
                ? std::string()
                : fmt::format(", or write {}:items={} for as much work as in this one (items "
                              "are what blocks are cut from)",
                              trace.kernel, items->second)));
  }
}

}  // namespace

Spec workload_spec(const std::string& spelling, const std::string& where) {
  for (std::size_t at = spelling.find(work_file_ending); at != std::string::npos;
       at = spelling.find(work_file_ending, at + 1)) {
    const std::size_t end = at + work_file_ending.size();
    if (end < spelling.size() && spelling[end] != ':') continue;
    Spec spec = parse_spec("work" + spelling.substr(end), ':', where);
    spec.name = spelling.substr(0, end);
    return spec;
  }
  return parse_spec(spelling, ':', where);
}

std::optional<CommandMode> command_mode_of(const std::string& spelling) {
  const Spec spec = workload_spec(spelling, "--workload");
  if (!names_work_file(spec.name)) return std::nullopt;
  return read_work(spec.name).mode;
}

std::unique_ptr<Kernel> choose_kernel(const std::string& spelling, const std::string& where) {
  const Spec spec = workload_spec(spelling, where);
  if (names_work_file(spec.name)) {
    std::unique_ptr<Kernel> kernel =
        make_command_kernel(typed_work(spec, where), [] { return stop_signal() != 0; });
    refuse_given_costs(spec, kernel->workload().kernel, where);
    kernel->workload().validate(where);
    return kernel;
  }
  refuse_given_costs(spec, find_kernel(spec.name, where), where);
  return make_kernel(spec.name, spec.parameters, where);
}

Workload choose_workload(const std::string& spelling, const std::vector<Trace>& traces,
                         const std::string& where) {
  Spec spec = workload_spec(spelling, where);
  if (names_work_file(spec.name)) return choose_work(spec, traces, where);
  std::vector<std::string> known;
  for (const KernelInfo& info : kernel_catalog()) {
    known.push_back(info.name);
    if (info.name != spec.name) continue;
    if (leaves_costs_of_trace_out(spec, info)) spec.parameters.erase("costs");
    refuse_given_costs(spec, info, where);
    if (is_sized_for_a_trace(spec, info)) continue;
    Workload workload = make_kernel(spec.name, spec.parameters, where)->workload();
    take_from_trace(workload, traces);
    return workload;
  }
  for (const Trace& trace : traces) {
    if (trace.kernel == spec.name) return choose_trace_kernel(spec, trace, traces, where);
    if (std::find(known.begin(), known.end(), trace.kernel) == known.end()) {
      known.push_back(trace.kernel);
    }
  }
  if (spec.parameters.contains("items") && std::ranges::find(known, spec.name) != known.end()) {
    throw InputError(
        where,
        fmt::format("{0} has no parameter 'items', but for a trace of {0}, and none is given; see "
                    "'equipoise list kernels'",
                    spec.name));
  }
  throw InputError(where, unknown_name("kernel", spec.name, known));
}

namespace {

/// The file with the costs of items that `spec` names, if it names one.
std::optional<std::string> costs_file_of(const Spec& spec) {
  const auto given = spec.parameters.find("costs");
  if (given == spec.parameters.end() || given->second == alike) return std::nullopt;
  return called<CostPattern>(given->second) ? std::nullopt : std::optional(given->second);
}

}  // namespace

std::vector<std::string> files_of_workload(const std::string& spelling) {
  const Spec spec = workload_spec(spelling, "workload");
  std::vector<std::string> files;
  if (names_work_file(spec.name)) files.push_back(spec.name);
  if (const std::optional<std::string> costs = costs_file_of(spec)) files.push_back(*costs);
  return files;
}

std::string workload_from_folder(const std::string& folder, const std::string& spelling) {
  std::string moved = spelling;
  const auto move = [&](const std::string& path, std::size_t at) {
    moved.replace(at, path.size(),
                  (std::filesystem::path(folder) / path).lexically_normal().string());
  };
  const Spec spec = workload_spec(spelling, "workload");
  if (const std::optional<std::string> costs = costs_file_of(spec)) {
    const std::string typed = "costs=" + *costs;
    move(*costs, moved.find(typed) + typed.size() - costs->size());
  }
  if (names_work_file(spec.name)) move(spec.name, 0);
  return moved;
}

ItemCostsPtr choose_costs(const std::string& spelling, const Workload& workload,
                          const std::vector<Trace>& traces, const std::string& where) {
  const Spec spec = workload_spec(spelling, where);
  const auto given = spec.parameters.find("costs");
  const auto seed = spec.parameters.find("costs_seed");
  const auto pattern =
      given == spec.parameters.end() ? std::nullopt : called<CostPattern>(given->second);
  if (seed != spec.parameters.end() && (!pattern || !is_random(*pattern))) {
    throw InputError(where,
                     "costs_seed is for costs that are drawn (gaussian, bimodal, "
                     "exponential); leave it out");
  }
  if (pattern) {
    const Items number = seed == spec.parameters.end() ? 1 : parse_items(seed->second, where);
    return std::make_shared<ItemCosts>(
        generated_costs(*pattern, workload.items, static_cast<std::uint64_t>(number)));
  }
  if (const std::optional<std::string> file = costs_file_of(spec)) {
    return std::make_shared<ItemCosts>(read_costs(*file, workload.items));
  }
  const auto trace = std::ranges::find_if(traces, [&](const Trace& of) {
    return of.kernel == workload.kernel && of.costs.has_value();
  });
  if (trace == traces.end()) return nullptr;
  const ItemCosts traced(trace->costs->ranges);
  if (given != spec.parameters.end()) {
    if (traced.deviation() > 0.0) {
      warn(fmt::format(
          "the items of {} differ, by its trace: they cost from {} to {} times the "
          "mean. costs=alike leaves that out, so runs are simulated as if every item "
          "cost the mean; leave out costs to simulate them as recorded",
          workload.kernel, significant(traced.least(), 2), significant(traced.most(), 2)));
    }
    return nullptr;
  }
  return std::make_shared<ItemCosts>(traced.stretched(workload.items));
}

bool check_problem(const std::vector<Trace>& traces, const std::vector<std::string>& files,
                   const Workload& workload) {
  bool is_any_of_kernel = false;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (traces[i].kernel != workload.kernel) continue;
    is_any_of_kernel = true;
    expect_problem(traces[i], files[i], workload);
  }
  return is_any_of_kernel;
}

}  // namespace equipoise
