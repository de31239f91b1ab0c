// `equipoise list devices [NAME]`: devices whose figures are known, for machine specs.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/data_sheets.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/text_table.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

std::string number_text(std::optional<double> value, double unit) {
  return value && *value > 0.0 ? fmt::format("{:.4g}", *value / unit) : "-";
}

void print_table(const std::vector<DataSheet>& sheets) {
  TextTable table({"device", "kind", "cores", "single TFLOP/s", "double TFLOP/s", "memory GiB",
                   "memory GB/s", "bus GB/s", "TDP W"});
  for (const DataSheet& sheet : sheets) {
    table.add({sheet.name, to_string(sheet.kind), fmt::format("{}", sheet.cores),
               number_text(sheet.single_flop_per_s, 1e12),
               number_text(sheet.double_flop_per_s, 1e12), number_text(sheet.memory_bytes, 0x1p30),
               number_text(sheet.memory_bytes_per_s, 1e9),
               number_text(sheet.bus_bytes_per_s(), 1e9), number_text(sheet.tdp_w, 1.0)});
  }
  std::printf(
      "%s\n"
      "single, double: peak without tensor cores; of a CPU, at its base clock. bus: PCI Express,\n"
      "each direction. In a machine spec (platforms/README.md): \"data_sheet\": \"NAME\"\n"
      "sources and more of one device: equipoise list devices NAME\n",
      table.text().c_str());
}

void print_one(const DataSheet& sheet) {
  std::printf("%s  %s\n", sheet.name.c_str(), sheet.model.c_str());
  std::printf("  kind              %s, %d cores\n", to_string(sheet.kind), sheet.cores);
  std::printf("  peak              %s TFLOP/s single, %s TFLOP/s double precision\n",
              number_text(sheet.single_flop_per_s, 1e12).c_str(),
              number_text(sheet.double_flop_per_s, 1e12).c_str());
  std::printf("  memory            %s GiB, %s GB/s\n",
              number_text(sheet.memory_bytes, 0x1p30).c_str(),
              number_text(sheet.memory_bytes_per_s, 1e9).c_str());
  if (sheet.pci_generation > 0) {
    std::printf("  PCI Express       generation %d, 16 lanes: %s GB/s in each direction\n",
                sheet.pci_generation, number_text(sheet.bus_bytes_per_s(), 1e9).c_str());
  }
  if (sheet.nvlink_bytes_per_s) {
    std::printf("  NVLink            %s GB/s, both directions together (not used)\n",
                number_text(sheet.nvlink_bytes_per_s, 1e9).c_str());
  }
  std::printf("  TDP               %s W\n  source            %s\n",
              number_text(sheet.tdp_w, 1.0).c_str(), sheet.source.c_str());
}

Json device_json(const DataSheet& sheet) {
  const double bus = sheet.bus_bytes_per_s();
  return {{"name", sheet.name},
          {"kind", to_string(sheet.kind)},
          {"model", sheet.model},
          {"cores", static_cast<double>(sheet.cores)},  // written as 16.0, like the other figures
          {"single_flop_per_s", sheet.single_flop_per_s},
          {"double_flop_per_s", json_of(sheet.double_flop_per_s)},
          {"memory_bytes", json_of(sheet.memory_bytes)},
          {"memory_bytes_per_s", sheet.memory_bytes_per_s},
          {"bus_bytes_per_s", bus > 0.0 ? Json(bus) : Json()},
          {"nvlink_bytes_per_s", json_of(sheet.nvlink_bytes_per_s)},
          {"tdp_w", sheet.tdp_w},
          {"source", sheet.source}};
}

}  // namespace

int list_devices_command(const ListRequest& request) {
  const std::string& name = request.name;
  const std::vector<DataSheet> sheets =
      name.empty() ? data_sheets() : std::vector{find_data_sheet(name, "list")};
  if (request.json) {
    Json list = Json::array();
    for (const DataSheet& sheet : sheets) list.push_back(device_json(sheet));
    std::printf("%s\n",
                line_of({{"schema", "equipoise.list/1"}, {"devices", std::move(list)}}).c_str());
  } else if (name.empty()) {
    print_table(sheets);
  } else {
    print_one(sheets.front());
  }
  return 0;
}

}  // namespace equipoise
