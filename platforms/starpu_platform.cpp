// Reads StarPU's bus files (the units of a machine and their connections), and makes a platform of
// them.
#include "platforms/starpu_platform.hpp"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

/// GPU models known from other sources (StarPU's publications; NVIDIA's data sheets).
struct KnownGpu {
  const char* machine;
  const char* model;
};
constexpr KnownGpu known_gpus[] = {{"sirocco", "Tesla K40m"},
                                   {"mirage", "Tesla M2070"},
                                   {"attila", "Tesla C2050"},
                                   {"idgraf", "Tesla C2050"}};

std::string bus_file(const std::string& directory, const std::string& machine,
                     const std::string& ending) {
  return directory + "/bus/" + machine + ending;
}

void require_machine(const std::string& directory, const std::string& machine) {
  std::error_code error;  // without the folder there are no entries
  std::vector<std::string> machines;
  for (const auto& entry : fs::directory_iterator(fs::path(directory) / "bus", error)) {
    if (entry.path().extension() == ".config") machines.push_back(entry.path().stem().string());
  }
  if (machines.empty()) {
    throw InputError(directory,
                     "no StarPU performance models (bus) here; `apt install starpu-examples`, or "
                     "give their directory with --perfmodels DIR");
  }
  std::sort(machines.begin(), machines.end());
  if (std::find(machines.begin(), machines.end(), machine) != machines.end()) return;
  throw InputError("--machine", unknown_name("machine of StarPU's models", machine, machines));
}

/// Reads the numbers before "# Number of ...".
void read_config(const std::string& path, int& cpu_cores, int& cuda_devices) {
  std::ifstream in = open_input(path, "calibrate the machine again");
  int line_number = 0;
  cpu_cores = -1;
  cuda_devices = -1;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    std::istringstream words(line);
    int value = 0;
    if (line.starts_with('#') || !(words >> value)) continue;
    if (value < 0 || value > 100000) {
      throw InputError(path + ":" + std::to_string(line_number),
                       "an absurd number of units; correct the file");
    }
    if (line.find("Number of CPUs") != std::string::npos) cpu_cores = value;
    if (line.find("Number of CUDA") != std::string::npos) cuda_devices = value;
  }
  if (cpu_cores < 1 || cuda_devices < 0) {
    throw InputError(
        path, "does not say how many CPUs and CUDA devices there are; calibrate the machine again");
  }
}

/// Reads a square matrix of numbers, which may be nan; empty if the file is missing.
std::vector<std::vector<double>> read_matrix(const std::string& path) {
  std::vector<std::vector<double>> rows;
  std::error_code error;
  if (!fs::exists(path, error)) return rows;
  std::ifstream in = open_input(path, "calibrate the machine again");
  int line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::vector<double> row;
    for (std::string word; words >> word;) {
      char* end = nullptr;
      row.push_back(std::strtod(word.c_str(), &end));
      if (end != word.c_str() + word.size()) {
        throw InputError(path + ":" + std::to_string(line_number),
                         "`" + word + "` is no number; correct the file");
      }
    }
    if (!row.empty()) rows.push_back(std::move(row));
  }
  return rows;
}

double entry(const std::vector<std::vector<double>>& matrix, std::size_t row, std::size_t column) {
  if (row >= matrix.size() || column >= matrix[row].size()) return std::nan("");
  return matrix[row][column];
}

/// Converts to seconds, rounded to 9 digits (the most that the files can have), so that the number
/// prints as short as in the file.
Seconds seconds_of(double microseconds) {
  return {std::strtod(fmt::format("{:.9g}", microseconds * 1e-6).c_str(), nullptr)};
}

double leading_number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

/// Links by name, added on first use.
class LinkTable {
 public:
  explicit LinkTable(std::vector<Link>& links) : links_(links) {}

  std::uint32_t add(const Link& link) {
    const auto [found, added] =
        index_.emplace(link.name, static_cast<std::uint32_t>(links_.size()));
    if (added) links_.push_back(link);
    return found->second;
  }

 private:
  std::vector<Link>& links_;
  std::map<std::string, std::uint32_t> index_;
};

/// Reads hosts, links and routes from StarPU's own SimGrid platform.
class XmlMachine {
 public:
  XmlMachine(std::string path, StarpuMachine& machine)
      : path_(std::move(path)), machine_(machine), table_(machine.links) {}

  void read(const std::vector<std::vector<double>>& latency_us) {
    const std::string text = read_input(path_, "calibrate the machine again");
    const pugi::xml_parse_result parsed = document_.load_buffer(text.data(), text.size());
    if (!parsed)
      throw InputError(
          path_, std::string("not XML: ") + parsed.description() + "; calibrate the machine again");
    zone_ = document_.child("platform").first_element_by_path("AS");
    if (!zone_) zone_ = document_.child("platform").child("zone");
    if (!zone_) throw InputError(path_, "a platform without a zone; calibrate the machine again");
    for (std::size_t i = 0; i < machine_.gpus.size(); ++i) read_gpu(i, latency_us);
  }

 private:
  void read_gpu(std::size_t i, const std::vector<std::vector<double>>& latency_us) {
    StarpuGpu& gpu = machine_.gpus[i];
    const std::string name = "CUDA" + std::to_string(i);
    const pugi::xml_node host = zone_.find_child_by_attribute("host", "id", name.c_str());
    if (!host)
      throw InputError(
          path_,
          "no host " + name + ", which the configuration announces; calibrate the machine again");
    const double memory =
        host.find_child_by_attribute("prop", "id", "memsize").attribute("value").as_double();
    if (memory > 0.0) gpu.unit.memory_bytes = memory;
    gpu.in = read_route("RAM", name, entry(latency_us, 0, i + 1));
    gpu.out = read_route(name, "RAM", entry(latency_us, i + 1, 0));
  }

  Route read_route(const std::string& from, const std::string& to, double measured_us) {
    const std::string private_link = fmt::format("{}-{}", from, to);
    Route route;
    for (const pugi::xml_node& node : zone_.children("route")) {
      if (node.attribute("src").as_string() != from || node.attribute("dst").as_string() != to) {
        continue;
      }
      for (const pugi::xml_node& part : node.children("link_ctn")) {
        const std::string name = part.attribute("id").as_string();
        Link link = find_link(name);
        if (name == private_link && measured_us > 0.0) link.latency = seconds_of(measured_us);
        route.links.push_back(table_.add(link));
      }
      return route;
    }
    throw InputError(path_,
                     "no route from " + from + " to " + to + "; calibrate the machine again");
  }

  Link find_link(const std::string& name) {
    const pugi::xml_node node = zone_.find_child_by_attribute("link", "id", name.c_str());
    Link link{.name = name,
              .bandwidth_bytes_per_s = leading_number(node.attribute("bandwidth").as_string()),
              .latency = Seconds{leading_number(node.attribute("latency").as_string())},
              .shared = std::string(node.attribute("sharing_policy").as_string()) != "FATPIPE"};
    if (!(link.bandwidth_bytes_per_s > 0.0) || !(link.latency.value >= 0.0)) {
      throw InputError(path_,
                       "link " + name + " has no usable bandwidth and latency; correct the file");
    }
    return link;
  }

  std::string path_;
  StarpuMachine& machine_;
  LinkTable table_;
  pugi::xml_document document_;
  pugi::xml_node zone_;
};

/// Creates links from the measured matrices in the same way as StarPU.
void connect_by_matrices(const std::string& path,
                         const std::vector<std::vector<double>>& bandwidth_mb_per_s,
                         const std::vector<std::vector<double>>& latency_us,
                         StarpuMachine& machine) {
  LinkTable table(machine.links);
  Link shared;
  shared.name = "Host";
  for (std::size_t i = 1; i <= machine.gpus.size(); ++i) {
    for (const double speed : {entry(bandwidth_mb_per_s, 0, i), entry(bandwidth_mb_per_s, i, 0)}) {
      if (!(speed > 0.0)) {
        throw InputError(
            path,
            fmt::format("no bandwidth between main memory and CUDA {}; calibrate the machine again",
                        i - 1));
      }
      shared.bandwidth_bytes_per_s = std::max(shared.bandwidth_bytes_per_s, speed * 1e6);
    }
  }
  const auto connect = [&](std::size_t from, std::size_t to, const std::string& name) {
    const double latency = entry(latency_us, from, to);
    Link link{.name = name,
              .bandwidth_bytes_per_s = entry(bandwidth_mb_per_s, from, to) * 1e6,
              .latency = std::isnan(latency) ? Seconds{} : seconds_of(latency)};
    return Route{{table.add(link), table.add(shared)}};
  };
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    const std::string name = "CUDA" + std::to_string(i);
    machine.gpus[i].in = connect(0, i + 1, "RAM-" + name);
    machine.gpus[i].out = connect(i + 1, 0, name + "-RAM");
  }
}

}  // namespace

StarpuMachine read_starpu_machine(const std::string& directory, const std::string& machine) {
  require_machine(directory, machine);
  StarpuMachine result;
  result.name = machine;
  int cuda_devices = 0;
  read_config(bus_file(directory, machine, ".config"), result.cpu_cores, cuda_devices);
  for (int i = 0; i < cuda_devices; ++i) {
    Unit& unit = result.gpus.emplace_back().unit;
    unit.name = "cuda" + std::to_string(i);
    unit.kind = UnitKind::gpu;
    unit.node = machine;
    for (const KnownGpu& known : known_gpus) {
      if (machine != known.machine) continue;
      unit.model = known.model;
      unit.copy_engines = 2;
    }
  }
  const auto latency_us = read_matrix(bus_file(directory, machine, ".latency"));
  const std::string xml = bus_file(directory, machine, ".platform.v4.xml");
  if (fs::exists(xml)) {
    XmlMachine(xml, result).read(latency_us);
  } else {
    const std::string bandwidth = bus_file(directory, machine, ".bandwidth");
    connect_by_matrices(bandwidth, read_matrix(bandwidth), latency_us, result);
  }
  return result;
}

namespace {

Unit cpu_core(const StarpuMachine& machine, int number) {
  Unit unit;
  unit.name = "cpu" + std::to_string(number);
  unit.kind = UnitKind::cpu;
  unit.node = machine.name;
  return unit;
}

std::string comment(const StarpuMachine& machine, int cores, bool keep_drivers,
                    const std::string& source) {
  std::string text = fmt::format(
      "Machine {}: {} CPU cores and {} GPUs, as StarPU's developers measured it.\nMade by "
      "`equipoise trace import starpu` from {}, files bus/{}.*, licence LGPL-2.1-or-later.\n",
      machine.name, machine.cpu_cores, machine.gpus.size(), source, machine.name);
  if (!keep_drivers) {
    text += fmt::format(
        "{} of the {} cores are here: as under StarPU, one core for each GPU is busy driving it.\n",
        cores, machine.cpu_cores);
  }
  text +=
      "Speeds are dummies; times come from traces, of which `cpu0` times every core. Routes "
      "between "
      "RAM and the cores cost nothing.";
  return text;
}

}  // namespace

PlatformDescription starpu_platform(const StarpuMachine& machine, bool keep_drivers,
                                    const std::string& source) {
  const int drivers = keep_drivers ? 0 : static_cast<int>(machine.gpus.size());
  const int cores = machine.cpu_cores - drivers;
  if (cores < 0) {
    throw InputError(machine.name, "fewer cores than GPUs to drive; give --drivers keep");
  }
  PlatformDescription platform;
  platform.comment = comment(machine, cores, keep_drivers, source);
  platform.zone = machine.name;
  platform.links = machine.links;
  platform.links.push_back(
      {.name = free_link, .bandwidth_bytes_per_s = 1e15, .latency = Seconds{}, .shared = false});
  platform.hosts.push_back(
      {.name = master_host, .properties = {{"master", "true"}, {"node", machine.name}}});
  const auto connect = [&platform](const std::string& unit, std::vector<std::string> in,
                                   std::vector<std::string> out) {
    platform.routes.push_back({.from = master_host, .to = unit, .links = std::move(in)});
    platform.routes.push_back({.from = unit, .to = master_host, .links = std::move(out)});
  };
  for (int i = 0; i < cores; ++i) {
    const Unit core = cpu_core(machine, i);
    platform.hosts.push_back(describe_unit(core, "cpu0"));
    connect(core.name, {free_link}, {free_link});
  }
  const auto names = [&machine](const Route& route) {
    std::vector<std::string> links;
    for (const std::uint32_t link : route.links) links.push_back(machine.links[link].name);
    return links;
  };
  for (const StarpuGpu& gpu : machine.gpus) {
    platform.hosts.push_back(describe_unit(gpu.unit, gpu.unit.name));
    connect(gpu.unit.name, names(gpu.in), names(gpu.out));
  }
  return platform;
}

std::vector<Unit> starpu_units(const StarpuMachine& machine) {
  std::vector<Unit> units = {cpu_core(machine, 0)};
  for (const StarpuGpu& gpu : machine.gpus) units.push_back(gpu.unit);
  return units;
}

Facts starpu_machine_facts(const StarpuMachine& machine) {
  Facts facts = {{"name", {machine.name}},
                 {"cpu_cores", {std::int64_t{machine.cpu_cores}}},
                 {"cuda_devices", {static_cast<std::int64_t>(machine.gpus.size())}}};
  if (!machine.gpus.empty() && !machine.gpus.front().unit.model.empty()) {
    facts.emplace_back("gpu_model", Fact{machine.gpus.front().unit.model});
  }
  return facts;
}

}  // namespace equipoise
