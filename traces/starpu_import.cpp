// Reads a StarPU model file, selects its usable measurements and makes a trace of them.
#include "traces/starpu_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "shared_policies/text/words.hpp"
#include "traces/files/input_file.hpp"
#include "traces/time_limits.hpp"

namespace equipoise {
namespace {

/// The device to which the rows of a model file belong.
struct StarpuDevice {
  int type = 0;  ///< StarPU's number: 0 CPU, 1 CUDA, 2 OpenCL, 3 MIC
  int id = 0;
  int cores = 1;
};

/// One row: the measurements for one size of operands.
struct StarpuRow {
  int line = 0;
  double size_bytes = 0.0;  ///< of all operands
  double flop = 0.0;        ///< 0 if the program did not report it
  double mean_us = 0.0;
  double deviation_us = 0.0;
  double sum_us = 0.0;
  double count = 0.0;
};

/// The rows of one implementation on one combination of devices.
struct StarpuTable {
  std::vector<StarpuDevice> devices;
  int implementation = 0;
  std::vector<StarpuRow> rows;
};

/// The contents of a model file.
struct StarpuModel {
  std::vector<StarpuTable> tables;  ///< in the file's order
  int unread_from_line = 0;         ///< first line after the announced combinations; 0: none
};

constexpr int known_version = 45;
/// A file with more combinations, devices or rows than this is damaged.
constexpr int most_entries = 100000;

class ModelReader {
 public:
  ModelReader(std::string path, std::istream& in) : path_(std::move(path)), in_(in) {}

  StarpuModel read() {
    const int version = whole("the version");
    if (version != known_version) {
      refuse("performance model version " + std::to_string(version) + " instead of " +
             std::to_string(known_version));
    }
    StarpuModel model;
    const int combinations = count("the number of combinations");
    for (int i = 0; i < combinations; ++i) read_combination(model);
    if (advance()) model.unread_from_line = line_;
    return model;
  }

 private:
  [[noreturn]] void refuse(const std::string& why,
                           const char* hint = "give a model file as StarPU writes it") const {
    throw InputError(path_ + ":" + std::to_string(std::max(line_, 1)), why + "; " + hint);
  }

  /// Goes to the next line with values.
  bool advance() {
    std::string text;
    while (next_line(in_, text, path_, static_cast<std::size_t>(line_) + 1)) {
      ++line_;
      words_ = split_at_blanks(text);
      if (!words_.empty() && words_.front().front() != '#') return true;
    }
    return false;
  }

  void need(const char* what) {
    if (!advance()) refuse(std::string("the file ends where ") + what + " should be");
  }

  int whole(const char* what) {
    need(what);
    const std::string& word = words_.front();
    const auto value = number_of_all<int>(word);
    if (words_.size() != 1 || !value) {
      refuse(std::string("expected ") + what + ", a whole number, not `" + word + "`");
    }
    return *value;
  }

  int count(const char* what) {
    const int value = whole(what);
    if (value < 0 || value > most_entries) refuse(std::string(what) + " is out of range");
    return value;
  }

  /// Uses strtod because it reads "nan", which these files contain; streams do not.
  [[nodiscard]] double real(std::size_t position) const {
    const std::string& word = words_[position];
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (end != word.c_str() + word.size()) refuse("`" + word + "` is not a number");
    return value;
  }

  void read_combination(StarpuModel& model) {
    std::vector<StarpuDevice> devices(
        static_cast<std::size_t>(count("the number of types of devices")));
    for (StarpuDevice& device : devices) {
      device.type = whole("a device type");
      device.id = whole("a device id");
      device.cores = whole("a number of cores");
    }
    const int implementations = count("the number of implementations");
    for (int i = 0; i < implementations; ++i) {
      StarpuTable table{.devices = devices, .implementation = i, .rows = {}};
      const int rows = count("the number of entries");
      skip_regressions();
      for (int row = 0; row < rows; ++row) table.rows.push_back(read_row());
      model.tables.push_back(std::move(table));
    }
  }

  /// Skips three lines: the sums of the linear regression, a b c of the non-linear one, and the
  /// number of coefficients of the multiple one. One of StarPU's files has the last two in the
  /// opposite order.
  void skip_regressions() {
    need("the linear regression");
    for (int i = 0; i < 2; ++i) {
      need("a regression");
      if (words_.size() == 1 && words_.front() != "0") {
        refuse("a multiple-regression model", "only history-based models are read");
      }
    }
  }

  StarpuRow read_row() {
    need("a row of measurements");
    if (words_.size() != 8) refuse("a row of measurements must have 8 values");
    return {.line = line_,
            .size_bytes = real(1),
            .flop = real(2),
            .mean_us = real(3),
            .deviation_us = real(4),
            .sum_us = real(5),
            .count = real(7)};
  }

  std::string path_;
  std::istream& in_;
  int line_ = 0;
  std::vector<std::string> words_;
};

/// Reads the model file at `path`. Empty lines and lines that begin with # are skipped, so only the
/// order of the values matters. Numbers may be nan. Throws InputError with FILE:LINE for another
/// version, a file that ends early, a value that is not a number, and multiple-regression models.
StarpuModel read_starpu_model(const std::string& path) {
  std::ifstream in = open_input(path, "name one of StarPU's performance models");
  return ModelReader(path, in).read();
}

constexpr double growth_to_tell = 1.25;

/// The number at the beginning of `text`, which is removed, or 0 if there is none.
double take_number(std::string& text) {
  double number = 0.0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.erase(0, static_cast<std::size_t>(rest - text.data()));
  return error == std::errc() && std::isfinite(number) ? number : 0.0;
}

}  // namespace

double FlopsOfBytes::flop(double bytes) const { return factor * std::pow(bytes, exponent); }

FlopsOfBytes parse_flops(const std::string& text, const std::string& where) {
  std::string rest = text;
  std::erase(rest, ' ');
  FlopsOfBytes flops;
  flops.factor = take_number(rest);
  const std::string bytes = "*bytes";
  bool is_read = flops.factor > 0.0 && rest.starts_with(bytes);
  if (is_read) rest.erase(0, bytes.size());
  if (is_read && rest.starts_with('^')) {
    rest.erase(0, 1);
    flops.exponent = take_number(rest);
  }
  is_read = is_read && rest.empty() && flops.exponent > 0.0 && flops.exponent <= 10.0;
  if (is_read) return flops;
  throw InputError(where, "'" + text +
                              "' says no flops; write FACTOR*bytes^EXPONENT of the bytes of a "
                              "task's operands: a product of square tiles is 0.017*bytes^1.5 of "
                              "doubles, 0.048*bytes^1.5 of floats");
}

std::optional<GrowthBeyondBytes> growth_beyond_bytes(const Trace& trace) {
  double worst = growth_to_tell;
  std::optional<GrowthBeyondBytes> found;
  for (std::uint32_t unit = 0; unit < trace.units.size(); ++unit) {
    const TraceSample* cheapest = nullptr;  // per item, of all sizes
    const TraceSample* largest = nullptr;
    const auto cost = [](const TraceSample& sample) {
      return sample.compute_mean_s / sample.items;
    };
    for (const TraceSample& sample : trace.samples) {
      if (sample.unit != unit) continue;
      if (cheapest == nullptr || cost(sample) < cost(*cheapest)) cheapest = &sample;
      if (largest == nullptr || sample.items > largest->items) largest = &sample;
    }
    if (largest == nullptr || cost(*largest) <= worst * cost(*cheapest)) continue;
    worst = cost(*largest) / cost(*cheapest);
    found = GrowthBeyondBytes{trace.units[unit].name, largest->items / cheapest->items,
                              largest->compute_mean_s / cheapest->compute_mean_s};
  }
  return found;
}

const char* const default_starpu_directory = "/usr/share/starpu/perfmodels/sampling";

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 4> type_names = {"cpu", "cuda", "opencl", "mic"};

/// A row that may be used, with its unit.
struct Candidate {
  std::size_t unit_order = 0;  ///< order of units: cpu before cuda before opencl, then by number
  Unit unit;
  StarpuRow row;
  double items = 0.0;
};

std::string type_name(int type) {
  const bool known = type >= 0 && type < static_cast<int>(type_names.size());
  return known ? type_names[static_cast<std::size_t>(type)] : "type" + std::to_string(type);
}

std::string combination_name(const StarpuTable& table) {
  std::string name;
  for (const StarpuDevice& device : table.devices) {
    if (!name.empty()) name += " + ";
    name += type_name(device.type) + std::to_string(device.id);
    if (device.cores != 1) name += " x " + std::to_string(device.cores) + " cores";
  }
  return name.empty() ? "no device" : name;
}

/// Why the table as a whole does not describe one unit; empty if it does.
std::string why_no_unit(const StarpuTable& table) {
  if (table.devices.size() != 1) return "a combination of several devices is not one unit";
  const StarpuDevice& device = table.devices.front();
  if (device.cores != 1) return "a parallel task on several cores is not one unit";
  if (device.type < 0 || device.type >= static_cast<int>(type_names.size()) || device.id < 0) {
    return "an unknown type of device";
  }
  if (table.implementation != 0) {
    return "implementation " + std::to_string(table.implementation) + "; the first one is used";
  }
  return {};
}

/// The flops of the row, or, where it has none, those that the user gives.
double flop_of(const StarpuRow& row, const StarpuImportOptions& options) {
  return row.flop == 0.0 && options.flops ? options.flops->flop(row.size_bytes) : row.flop;
}

/// Why the row cannot be used; empty if it can.
std::string why_unusable(const StarpuRow& row, const StarpuImportOptions& options) {
  const bool items_from_bytes = options.items_from_bytes;
  if (!(row.count >= 1.0) || row.count > 9e15) return "it says that nothing was measured (n = 0)";
  if (!std::isfinite(row.mean_us) || row.mean_us <= 0.0) return "its mean is not a positive time";
  if (!why_no_time(row.mean_us / 1e6).empty()) return "its mean " + why_no_time(row.mean_us / 1e6);
  if (!std::isfinite(row.deviation_us) || row.deviation_us < 0.0) {
    return "its deviation is not a time";
  }
  if (row.deviation_us > row.mean_us) {
    return fmt::format("its deviation is {:.0f} % of its mean",
                       100.0 * row.deviation_us / row.mean_us);
  }
  const double size = items_from_bytes ? row.size_bytes : flop_of(row, options);
  if (size == 0.0) {
    return items_from_bytes ? "it has no operands"
                            : "its flops are 0; give them with --flops FACTOR*bytes^EXPONENT, or "
                              "let --items-from bytes count KiB of operands instead";
  }
  const auto is_countable = [](double x) { return std::isfinite(x) && x >= 0.0 && x <= 9e18; };
  if (!is_countable(size)) return "its size is out of range";
  if (options.operand_bytes && !is_countable(row.size_bytes)) {
    return "the bytes of its operands are out of range";
  }
  return {};
}

/// The simple factor between the means of `row` and `original`; 0 if `row` is a measurement of its
/// own.
double copy_factor(const StarpuRow& row, const StarpuRow& original) {
  if (row.count != original.count) return 0.0;
  // Both means are printed with seven digits, so each may be off by half a unit of the last digit.
  constexpr double tolerance = 1.5e-6;
  const double ratio = row.mean_us / original.mean_us;
  for (const double factor :
       {1.0, 2.0, 3.0, 4.0, 5.0, 8.0, 10.0, 16.0, 32.0, 64.0, 100.0, 1e3, 1e6}) {
    if (std::abs(ratio / factor - 1.0) < tolerance) return factor;
    if (std::abs(ratio * factor - 1.0) < tolerance) return 1.0 / factor;
  }
  return 0.0;
}

/// Whether the mean equals the sum over the count. Rows that were scaled by hand often keep their
/// old sum.
bool adds_up(const StarpuRow& row) {
  return std::abs(row.sum_us / row.count / row.mean_us - 1.0) < 1e-4;
}

/// Whether `a` should be kept and its copy `b` refused.
bool rather(const Candidate& a, const Candidate& b) {
  if (adds_up(a.row) != adds_up(b.row)) return adds_up(a.row);
  if (a.unit_order != b.unit_order) return a.unit_order < b.unit_order;
  if (a.row.size_bytes != b.row.size_bytes) return a.row.size_bytes > b.row.size_bytes;
  return a.row.line < b.row.line;
}

RefusedRow refusal(const Candidate& candidate, std::string why) {
  return {candidate.unit.name, candidate.row.size_bytes, candidate.row.line, std::move(why)};
}

/// Removes the rows that are copies of another one.
void refuse_copies(std::vector<Candidate>& candidates, std::vector<RefusedRow>& refused) {
  std::stable_sort(candidates.begin(), candidates.end(), rather);
  std::vector<Candidate> kept;
  std::set<std::string> lost;
  for (Candidate& candidate : candidates) {
    const auto original = std::find_if(kept.begin(), kept.end(), [&](const Candidate& other) {
      return copy_factor(candidate.row, other.row) != 0.0;
    });
    if (original == kept.end()) {
      kept.push_back(std::move(candidate));
      continue;
    }
    const double factor = copy_factor(candidate.row, original->row);
    refused.push_back(refusal(
        candidate, fmt::format("not a measurement of its own: the same count as the row of {} with "
                               "{:.0f} bytes (line {}), {}",
                               original->unit.name, original->row.size_bytes, original->row.line,
                               factor == 1.0 ? "and the same mean"
                                             : fmt::format("and its mean times {:g}", factor))));
    lost.insert(candidate.unit.name);
  }
  candidates.clear();
  for (Candidate& candidate : kept) {
    const auto sizes = std::count_if(kept.begin(), kept.end(), [&](const Candidate& other) {
      return other.unit_order == candidate.unit_order;
    });
    if (lost.contains(candidate.unit.name) && sizes < 2) {
      refused.push_back(
          refusal(candidate,
                  "this unit has only this size that is not a copy, so it is left out; to let it "
                  "take part, give its host a trace_unit that has times"));
    } else {
      candidates.push_back(candidate);
    }
  }
}

Unit unit_of(const StarpuDevice& device, const StarpuImportOptions& options) {
  const std::string name = type_name(device.type) + std::to_string(device.id);
  for (const Unit& known : options.known_units) {
    if (known.name == name) return known;
  }
  Unit unit;
  unit.name = name;
  unit.node = options.machine;
  unit.kind = device.type == 0 ? UnitKind::cpu : device.type == 3 ? UnitKind::mic : UnitKind::gpu;
  return unit;
}

/// Divides all rows into those to use and those to refuse.
std::vector<Candidate> choose_rows(const StarpuModel& model, const StarpuImportOptions& options,
                                   std::vector<RefusedRow>& refused) {
  std::vector<Candidate> candidates;
  for (const StarpuTable& table : model.tables) {
    const std::string no_unit = why_no_unit(table);
    if (!no_unit.empty()) {
      const int line = table.rows.empty() ? 0 : table.rows.front().line;
      refused.push_back({combination_name(table), 0.0, line, no_unit});
      continue;
    }
    const StarpuDevice& device = table.devices.front();
    for (const StarpuRow& row : table.rows) {
      Candidate candidate{.unit_order = static_cast<std::size_t>(device.type) * 100000 +
                                        static_cast<std::size_t>(device.id),
                          .unit = unit_of(device, options),
                          .row = row};
      candidate.items =
          options.items_from_bytes ? row.size_bytes / 1024.0 : flop_of(row, options) / 1e6;
      const std::string why = why_unusable(row, options);
      if (why.empty()) {
        candidates.push_back(std::move(candidate));
      } else {
        refused.push_back(refusal(candidate, why));
      }
    }
  }
  refuse_copies(candidates, refused);
  if (model.unread_from_line != 0) {
    refused.push_back({"", 0.0, model.unread_from_line,
                       "behind the last combination that the file announces, as StarPU reads it"});
  }
  std::stable_sort(refused.begin(), refused.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  return candidates;
}

/// Converts to seconds, rounded to 9 digits (files have 7), so that the number prints as short as
/// in the file.
double seconds_of(double microseconds) {
  return std::strtod(fmt::format("{:.9g}", microseconds / 1e6).c_str(), nullptr);
}

std::string provenance(const StarpuImportOptions& options) {
  std::string text = fmt::format(
      "{}, file codelets/45/{}.{}, licence LGPL-2.1-or-later; mean, deviation and count of tasks "
      "on "
      "tiles, one core or one GPU each",
      starpu_source(options.directory), options.kernel, options.machine);
  if (options.flops) {
    text += fmt::format("; where it has no flops, they are taken to be {}*bytes^{} of the operands",
                        options.flops->factor, options.flops->exponent);
  }
  if (options.operand_bytes) {
    text +=
        "; in_bytes are all operands of a task, out_bytes a third of them (assumed: one tile of "
        "three is written), which overstates what a divisible load moves";
  }
  return text;
}

void fill_trace(std::vector<Candidate> candidates, const StarpuImportOptions& options,
                Trace& trace) {
  std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.unit_order != b.unit_order ? a.unit_order < b.unit_order : a.items < b.items;
  });
  trace.source = "imported";
  trace.kernel = options.kernel;
  trace.item = options.items_from_bytes ? "KiB of operands" : "MFlop";
  trace.provenance = provenance(options);
  trace.machine = options.machine_facts;
  for (const Candidate& candidate : candidates) {
    if (trace.units.empty() || trace.units.back().name != candidate.unit.name) {
      trace.units.push_back(candidate.unit);
    }
    TraceSample& sample = trace.samples.emplace_back();
    sample.unit = static_cast<std::uint32_t>(trace.units.size() - 1);
    sample.items = candidate.items;
    sample.count = static_cast<std::uint64_t>(candidate.row.count);
    sample.compute_mean_s = seconds_of(candidate.row.mean_us);
    sample.compute_sd_s = seconds_of(candidate.row.deviation_us);
    sample.is_summary = true;
    if (options.operand_bytes) {
      sample.in_bytes = candidate.row.size_bytes;
      sample.out_bytes = candidate.row.size_bytes / 3.0;
    }
  }
}

/// The machines and kernels that have a model file in `directory`, as pairs of names.
std::vector<std::pair<std::string, std::string>> list_models(const std::string& directory) {
  const fs::path models = fs::path(directory) / "codelets" / "45";
  std::error_code error;
  if (!fs::is_directory(models, error)) {
    throw InputError(directory,
                     "no StarPU performance models (codelets/45) here; `apt install "
                     "starpu-examples`, or give their directory with --perfmodels DIR");
  }
  std::vector<std::pair<std::string, std::string>> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(models, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos || !entry.is_regular_file(error)) continue;
    if (!is_printable(name)) {
      throw InputError(models.string(), "'" + printable(name) + "' is no name in UTF-8; rename it");
    }
    found.emplace_back(name.substr(dot + 1), name.substr(0, dot));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string model_file(const StarpuImportOptions& options) {
  const auto models = list_models(options.directory);
  std::vector<std::string> machines;
  machines.reserve(models.size());
  for (const auto& entry : models) machines.push_back(entry.first);
  if (std::find(machines.begin(), machines.end(), options.machine) == machines.end()) {
    machines.erase(std::unique(machines.begin(), machines.end()), machines.end());
    throw InputError("--machine",
                     unknown_name("machine of StarPU's models", options.machine, machines));
  }
  const std::vector<std::string> kernels = starpu_kernels(options.directory, options.machine);
  if (std::find(kernels.begin(), kernels.end(), options.kernel) == kernels.end()) {
    throw InputError("--kernel",
                     unknown_name("kernel of " + options.machine, options.kernel, kernels));
  }
  return options.directory + "/codelets/45/" + options.kernel + "." + options.machine;
}

}  // namespace

StarpuImport import_starpu_model(const StarpuImportOptions& options) {
  StarpuImport import;
  import.file = model_file(options);
  const StarpuModel model = read_starpu_model(import.file);
  std::vector<Candidate> candidates = choose_rows(model, options, import.refused);
  if (candidates.empty()) {
    const std::string why = import.refused.empty() ? "it is empty" : import.refused.front().why;
    throw InputError(import.file, "the model has no usable row (of the first: " + why +
                                      "); choose another kernel");
  }
  fill_trace(std::move(candidates), options, import.trace);
  return import;
}

std::string short_kernel_name(const std::string& kernel) {
  const std::string before = "starpu_";
  const std::string behind = "_gemm";
  std::string name = kernel.starts_with(before) ? kernel.substr(before.size()) : kernel;
  if (name.size() > behind.size() && name.ends_with(behind)) {
    name.resize(name.size() - behind.size());
  }
  return name;
}

std::vector<std::string> starpu_kernels(const std::string& directory, const std::string& machine) {
  std::vector<std::string> kernels;
  for (const auto& [of_machine, kernel] : list_models(directory)) {
    if (of_machine == machine) kernels.push_back(kernel);
  }
  return kernels;
}

std::string starpu_source(const std::string& directory) {
  std::string unknown = "StarPU performance models";
  if (directory != default_starpu_directory) return unknown;
  std::ifstream status("/var/lib/dpkg/status");
  bool here = false;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Package: ")) here = line == "Package: starpu-examples";
    if (here && line.starts_with("Version: ")) {
      return "StarPU performance models of Debian package starpu-examples " + line.substr(9);
    }
  }
  return unknown;
}

}  // namespace equipoise
