// Questions to the nodes, and what is made of their answers.
#include "tools/worlds/node_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "real/nodes/nodes.hpp"
#include "real/nodes/remote_unit.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/text/words.hpp"
#include "tools/console/console.hpp"
#include "tools/worlds/inputs.hpp"
#include "tools/worlds/node_program.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

/// One line of the file of --units-per-rank.
RankSettings read_rank(const std::string& line, const std::string& where) {
  RankSettings rank;
  const std::vector<std::string> words = split_at_blanks(line);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t sign = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    // KIND,k=v has a sign, too, but behind the name of an option.
    const bool is_joined = sign != std::string::npos && sign < words[i].find(',');
    const std::string name = is_joined ? words[i].substr(0, sign) : words[i];
    std::string value;
    if (is_joined) {
      value = words[i].substr(sign + 1);
    } else if (++i < words.size()) {
      value = words[i];
    } else {
      throw InputError(where, fmt::format("{} has no value; give one behind it", name));
    }
    if (name == "--unit") {
      rank.units.push_back(value);
    } else if (name == "--link-bandwidth") {
      rank.link_bytes_per_s = parse_link_bandwidth(value, where);
    } else if (name == "--link-latency") {
      rank.link_latency = parse_link_latency(value, where);
    } else {
      throw InputError(where,
                       fmt::format("'{}' is no option of a rank; give --unit KIND[,k=v,...] for "
                                   "each unit, --link-bandwidth and --link-latency",
                                   name));
    }
  }
  return rank;
}

}  // namespace

double parse_link_bandwidth(const std::string& text, const std::string& where) {
  const double bytes_per_s = parse_quantity(text, "bytes/s", where);
  if (bytes_per_s >= 1.0) return bytes_per_s;
  throw InputError(where, "a link carries at least a byte in a second; give a rate such as 1Gb/s");
}

Seconds parse_link_latency(const std::string& text, const std::string& where) {
  constexpr double most_s = 1e3;
  const double latency_s = parse_quantity(text, "s", where);
  if (latency_s >= 0.0 && latency_s <= most_s) return Seconds{latency_s};
  throw InputError(where, "a latency lies between 0 and 1000 s; give one such as 50us");
}

RunOptions with_ranks(RunOptions options) {
  const bool is_given = !options.units_per_rank_file.empty();
  if (!options.nodes) {
    const auto is_for_mpirun = [](const std::string& option) {
      throw InputError(option, "is for several ranks; start the program with mpirun -n RANKS");
    };
    if (is_given) is_for_mpirun("--units-per-rank");
    if (options.link_bytes_per_s) is_for_mpirun("--link-bandwidth");
    if (options.link_latency) is_for_mpirun("--link-latency");
    if (options.ranks.empty()) return options;
    throw InputError("the run", fmt::format("had {} ranks; start the program with mpirun -n {}",
                                            options.ranks.size(), options.ranks.size()));
  }
  const auto ranks = static_cast<std::size_t>(options.nodes->ranks());
  if (is_given && !options.units.empty()) {
    throw InputError("--units-per-rank", "says what units there are; leave --unit out");
  }
  if (is_given) options.ranks = read_units_per_rank(options.units_per_rank_file);
  const bool is_from_file = !options.ranks.empty();
  if (!is_from_file) options.ranks.assign(ranks, RankSettings{options.units, {}, {}});
  if (options.ranks.size() != ranks) {
    throw InputError(is_given ? options.units_per_rank_file : "the run",
                     fmt::format("has units for {} ranks, and mpirun has started {}; start {}",
                                 options.ranks.size(), ranks, options.ranks.size()));
  }
  for (RankSettings& rank : options.ranks) {
    if (!rank.link_bytes_per_s) rank.link_bytes_per_s = options.link_bytes_per_s;
    if (!rank.link_latency) rank.link_latency = options.link_latency;
  }
  return options;
}

const std::vector<std::string>& units_of_rank(const RunOptions& options, int rank) {
  return options.ranks.empty() ? options.units
                               : options.ranks[static_cast<std::size_t>(rank)].units;
}

bool computes_on_nodes(const RunOptions& options) {
  for (std::size_t rank = 1; rank < options.ranks.size(); ++rank) {
    for (const std::string& unit : options.ranks[rank].units) {
      if (parse_spec(unit, ',', "--unit " + unit).name != "paced") return true;
    }
  }
  return false;
}

std::vector<RankSettings> read_units_per_rank(const std::string& path) {
  std::istringstream text(read_input(path, "give a file with one line for each rank"));
  std::vector<RankSettings> ranks;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    if (line.starts_with('#')) continue;
    ranks.push_back(read_rank(line, fmt::format("{}:{}", path, number)));
  }
  return ranks;
}

void name_units_of(const std::string& node, std::vector<UnitSpec>& specs) {
  for (UnitSpec& spec : specs) {
    spec.unit.node = node;
    spec.unit.name = node + "." + spec.unit.name;
    // Links are called by it, on a platform of several nodes.
    if (!spec.unit.device.empty()) spec.unit.device = node + "." + spec.unit.device;
  }
}

Unit as_remote(Unit unit) {
  unit.is_remote = true;
  unit.copy_engines = 2;
  return unit;
}

NodeUnits open_nodes(const RunOptions& options, const RealMachine& machine) {
  const int ranks = options.nodes->ranks();
  std::vector<std::string> questions;
  for (int rank = 1; rank < ranks; ++rank) {
    questions.push_back(
        archived(UnitsQuestion{node_name(rank), units_of_rank(options, rank), options.workloads,
                               machine.kernels.front() != nullptr, machine.traces,
                               options.results_folder, options.per_node}));
  }
  NodeUnits all;
  const std::vector<std::string> answers = options.nodes->ask(questions);
  for (int rank = 1; rank < ranks; ++rank) {
    UnitsAnswer answer = read_units_answer(answers[static_cast<std::size_t>(rank - 1)]);
    const std::string title = options.nodes->title_of(rank);
    if (!answer.why.empty()) {
      throw InputError(answer.where, fmt::format("on {}: {}", title, answer.why));
    }
    if (answer.phases != machine.phases) {
      throw InputError("--workload",
                       fmt::format("{} has another workload than node0: its files differ; use the "
                                   "same ones on all nodes",
                                   title));
    }
    RankUnits units{answer.host, std::move(answer.machine), {}};
    for (std::size_t i = 0; i < answer.units.size(); ++i) {
      const OpenedUnit& opened = answer.units[i];
      const NodeUnit unit{rank, static_cast<std::uint32_t>(i), opened.trace_unit.empty(),
                          opened.unit.copy_engines == 0};
      all.specs.push_back({as_remote(opened.unit), opened.placed.slowdown,
                           make_remote_factory(options.nodes, unit, opened.trace_unit)});
      units.units.push_back(opened.placed);
    }
    all.ranks.push_back(std::move(units));
  }
  return all;
}

void add_remote_units(RealMachine& machine, const RunOptions& options, NodeUnits units) {
  std::vector<RankUnits> ranks = {{this_host(), this_machine(), placed_units(machine.specs)}};
  std::ranges::move(units.ranks, std::back_inserter(ranks));
  std::vector<Placement> placements = place_ranks(ranks);
  for (const Placement& placement : placements) {
    for (const std::string& warning : placement.warnings) warn(warning);
  }
  machine.placement = placements.front();
  for (UnitSpec& spec : units.specs) {
    if (!takes_part(spec.unit, machine.phases)) {
      throw InputError("--unit", fmt::format("{} cannot take part; leave it out", spec.unit.name));
    }
    machine.units.push_back(spec.unit);
    machine.specs.push_back(std::move(spec));
    machine.placement->cores.emplace_back();
  }
  std::vector<HeldLink> links;
  for (const RankSettings& rank : options.ranks) {
    links.push_back({rank.link_bytes_per_s, rank.link_latency.value_or(Seconds{})});
  }
  machine.nodes = options.nodes;
  machine.nodes->place(std::move(placements));
  machine.nodes->hold(std::move(links));
}

}  // namespace equipoise
