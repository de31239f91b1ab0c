// The figures of known devices, as their makers print them.
#include "platforms/data_sheets.hpp"

#include <algorithm>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"

namespace equipoise {
namespace {

constexpr double giga = 1e9;
constexpr double tera = 1e12;
constexpr double gib = 0x1p30;

/// A GPU. `memory_gb` as printed, which is GiB.
DataSheet gpu(const char* name, const char* model, int cores, double single_tflops,
              std::optional<double> double_tflops, double memory_gb, double memory_gb_per_s,
              int pci_generation, std::optional<double> nvlink_gb_per_s, double tdp_w,
              const char* source) {
  DataSheet sheet;
  sheet.name = name;
  sheet.model = model;
  sheet.cores = cores;
  sheet.single_flop_per_s = single_tflops * tera;
  if (double_tflops) sheet.double_flop_per_s = *double_tflops * tera;
  sheet.memory_bytes = memory_gb * gib;
  sheet.memory_bytes_per_s = memory_gb_per_s * giga;
  sheet.pci_generation = pci_generation;
  if (nvlink_gb_per_s) sheet.nvlink_bytes_per_s = *nvlink_gb_per_s * giga;
  sheet.tdp_w = tdp_w;
  sheet.source = source;
  return sheet;
}

/// A CPU that does `flop_per_cycle` operations in single precision, and half of that in double.
DataSheet cpu(const char* name, const char* model, int cores, double base_ghz, int flop_per_cycle,
              double memory_gb_per_s, double tdp_w, const char* source) {
  DataSheet sheet;
  sheet.name = name;
  sheet.kind = UnitKind::cpu;
  sheet.model = model;
  sheet.cores = cores;
  sheet.single_flop_per_s = cores * base_ghz * giga * flop_per_cycle;
  sheet.double_flop_per_s = 0.5 * sheet.single_flop_per_s;
  sheet.memory_bytes_per_s = memory_gb_per_s * giga;
  sheet.tdp_w = tdp_w;
  sheet.source = source;
  return sheet;
}

constexpr std::nullopt_t none = std::nullopt;

std::vector<DataSheet> nvidia_gpus() {
  const char* const fermi = "NVIDIA, Tesla C2050/C2070 and M2050/M2070 data sheets";
  const char* const kepler = "NVIDIA, Tesla K40 board specification and Tesla Kepler family sheet";
  const char* const pascal = "NVIDIA, Tesla P100 data sheet; cores: GP100 whitepaper";
  const char* const volta = "NVIDIA, V100 data sheet; cores: GV100 whitepaper";
  const char* const ampere = "NVIDIA, A100 data sheet; cores: A100 whitepaper";
  const char* const hopper = "NVIDIA, H100 data sheet; cores: H100 whitepaper";
  return {
      gpu("c2050", "Tesla C2050", 448, 1.03, 0.515, 3, 144, 2, none, 238, fermi),
      gpu("m2070", "Tesla M2070", 448, 1.03, 0.515, 6, 150, 2, none, 225, fermi),
      gpu("k40m", "Tesla K40m", 2880, 4.29, 1.43, 12, 288, 3, none, 235, kepler),
      gpu("p100-pcie-16gb", "Tesla P100-PCIE-16GB", 3584, 9.3, 4.7, 16, 732, 3, none, 250, pascal),
      gpu("p100-sxm2", "Tesla P100-SXM2-16GB", 3584, 10.6, 5.3, 16, 732, 3, 160, 300, pascal),
      gpu("v100-pcie-16gb", "Tesla V100-PCIE-16GB", 5120, 14, 7, 16, 900, 3, none, 250, volta),
      gpu("v100-pcie-32gb", "Tesla V100-PCIE-32GB", 5120, 14, 7, 32, 900, 3, none, 250, volta),
      gpu("v100-sxm2-16gb", "Tesla V100-SXM2-16GB", 5120, 15.7, 7.8, 16, 900, 3, 300, 300, volta),
      gpu("v100-sxm2-32gb", "Tesla V100-SXM2-32GB", 5120, 15.7, 7.8, 32, 900, 3, 300, 300, volta),
      gpu("a100-pcie-40gb", "NVIDIA A100-PCIE-40GB", 6912, 19.5, 9.7, 40, 1555, 4, 600, 250,
          ampere),
      gpu("a100-pcie-80gb", "NVIDIA A100 80GB PCIe", 6912, 19.5, 9.7, 80, 1935, 4, 600, 300,
          ampere),
      gpu("a100-sxm4-40gb", "NVIDIA A100-SXM4-40GB", 6912, 19.5, 9.7, 40, 1555, 4, 600, 400,
          ampere),
      gpu("a100-sxm4-80gb", "NVIDIA A100-SXM4-80GB", 6912, 19.5, 9.7, 80, 2039, 4, 600, 400,
          ampere),
      gpu("a40", "NVIDIA A40", 10752, 37.4, none, 48, 696, 4, 112.5, 300,
          "NVIDIA, A40 data sheet (no double precision printed)"),
      gpu("rtx-3090", "NVIDIA GeForce RTX 3090", 10496, 35.6, 35.6 / 64, 24, 936, 4, none, 350,
          "NVIDIA, GA102 whitepaper; double precision is 1/64 of single"),
      gpu("rtx-4090", "NVIDIA GeForce RTX 4090", 16384, 82.6, 82.6 / 64, 24, 1008, 4, none, 450,
          "NVIDIA, Ada whitepaper; double precision is 1/64 of single"),
      gpu("l40s", "NVIDIA L40S", 18176, 91.6, none, 48, 864, 4, none, 350,
          "NVIDIA, L40S data sheet (no double precision printed)"),
      gpu("h100-pcie-80gb", "NVIDIA H100 PCIe", 14592, 51, 26, 80, 2000, 5, 600, 350, hopper),
      gpu("h100-sxm5-80gb", "NVIDIA H100 80GB HBM3", 16896, 67, 34, 80, 3350, 5, 900, 700, hopper),
      gpu("h200-sxm-141gb", "NVIDIA H200", 16896, 67, 34, 141, 4800, 5, 900, 700,
          "NVIDIA, H200 data sheet; cores: H100 whitepaper (same chip)"),
  };
}

std::vector<DataSheet> amd_gpus() {
  return {
      gpu("mi100", "AMD Instinct MI100", 7680, 23.1, 11.5, 32, 1228.8, 4, none, 300,
          "AMD, Instinct MI100 product page"),
      gpu("mi250x-die", "AMD Instinct MI250X (one die)", 7040, 23.95, 23.95, 64, 1638.4, 4, none,
          250,
          "AMD, Instinct MI250X product page: half of the board's 47.9 TFLOP/s, 128 GB, 3276.8 "
          "GB/s and 500 W, because programs see two GPUs"),
      gpu("mi300x", "AMD Instinct MI300X", 19456, 163.4, 81.7, 192, 5300, 5, none, 750,
          "AMD, Instinct MI300X data sheet"),
  };
}

std::vector<DataSheet> cpus() {
  return {
      cpu("xeon-e5-2680-v3", "Intel Xeon E5-2680 v3", 12, 2.5, 32, 68.3, 120,
          "Intel, product page (4 channels of DDR4-2133); AVX2, two FMA units"),
      cpu("xeon-gold-6148", "Intel Xeon Gold 6148", 20, 2.4, 64, 128, 150,
          "Intel, product page (6 channels of DDR4-2666); AVX-512, two FMA units, at base clock, "
          "though AVX-512 lowers it"),
      cpu("xeon-8480", "Intel Xeon Platinum 8480+", 56, 2.0, 64, 307.2, 350,
          "Intel, product page (8 channels of DDR5-4800); AVX-512, two FMA units, at base clock"),
      cpu("epyc-7742", "AMD EPYC 7742", 64, 2.25, 32, 204.8, 225,
          "AMD, product page (8 channels of DDR4-3200); AVX2, two FMA units"),
      cpu("epyc-7763", "AMD EPYC 7763", 64, 2.45, 32, 204.8, 280,
          "AMD, product page (8 channels of DDR4-3200); AVX2, two FMA units"),
      cpu("epyc-9654", "AMD EPYC 9654", 96, 2.4, 32, 460.8, 360,
          "AMD, product page (12 channels of DDR5-4800); two FMA units of 256 bits"),
  };
}

}  // namespace

double DataSheet::bus_bytes_per_s() const {
  switch (pci_generation) {
    case 2:
      return 16 * 5e9 / 8 * 8 / 10;
    case 3:
      return 16 * 8e9 / 8 * 128 / 130;
    case 4:
      return 16 * 16e9 / 8 * 128 / 130;
    case 5:
      return 16 * 32e9 / 8 * 128 / 130;
    default:
      return 0.0;
  }
}

const std::vector<DataSheet>& data_sheets() {
  static const std::vector<DataSheet> all = [] {
    std::vector<DataSheet> sheets = nvidia_gpus();
    for (const DataSheet& sheet : amd_gpus()) sheets.push_back(sheet);
    for (const DataSheet& sheet : cpus()) sheets.push_back(sheet);
    return sheets;
  }();
  return all;
}

const DataSheet& find_data_sheet(const std::string& name, const std::string& where) {
  const auto found = std::ranges::find(data_sheets(), name, &DataSheet::name);
  if (found != data_sheets().end()) return *found;
  std::vector<std::string> known;
  for (const DataSheet& sheet : data_sheets()) known.push_back(sheet.name);
  throw InputError(where, unknown_name("device", name, known));
}

}  // namespace equipoise
