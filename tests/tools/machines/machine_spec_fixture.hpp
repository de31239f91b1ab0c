// A machine spec that tests change, read and use.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/worlds/machine_spec_file.hpp"

namespace equipoise {

/// Two machines. `a` has a CPU and two GPUs on one bus, `b` has four cores, each of which is a
/// unit.
inline const char* const two_machines = R"({
  "schema": "equipoise.machines/1", "source": ["Figures", "of a test."],
  "network": {"bytes_per_s": 1e8, "latency_s": 1e-4},
  "machines": [
    {"id": "a", "units": [
      {"id": "cpu", "kind": "cpu", "peak_flop_per_s": 1e9, "memory_bytes_per_s": 1e8,
       "startup_s": 1e-3, "idle_w": 10, "busy_w": 30},
      {"id": "gpu", "kind": "gpu", "count": 2, "cores": 10, "clock_hz": 1e9, "flop_per_cycle": 2,
       "startup_s": 0, "half_saturation_threads": 1000, "memory_bytes": 1000, "copy_engines": 2,
       "bus": {"in_bytes_per_s": 1e9, "out_bytes_per_s": 2e9, "latency_s": 1e-5}}]},
    {"id": "b", "units": [
      {"id": "core", "kind": "cpu", "count": 4, "items_per_s": {"stencil": 5}, "startup_s": 0}]}],
  "platforms": [{"name": "both", "machines": ["a", "b"]}, {"name": "other", "machines": ["b", "a"]}],
  "traces": [{"name": "t", "kernel": "stencil", "items": 20, "item": "cell", "flop_per_item": 100,
    "traffic_bytes_per_item": 80, "in_bytes_per_item": 8, "out_bytes_per_item": 2,
    "threads_per_item": 50, "efficiency": {"cpu": 0.5, "gpu": 0.25}}]})";

class MachineSpecTest : public testing::Test {
 protected:
  [[nodiscard]] MachineSpec read(const nlohmann::json& json) const {
    return read_machine_spec(folder_.write("spec.json", json.dump(1)));
  }

  /// The message for the spec, without the folder of the file.
  [[nodiscard]] std::string refusal(const nlohmann::json& json) const {
    const std::string text = refusal_of([&] { (void)read(json); });
    const std::size_t start = text.find("spec.json");
    return start == std::string::npos ? text : text.substr(start);
  }

  static std::vector<TraceSample> samples_of(const Trace& trace, const std::string& unit) {
    std::vector<TraceSample> samples;
    for (const TraceSample& sample : trace.samples) {
      if (trace.units[sample.unit].name == unit) samples.push_back(sample);
    }
    return samples;
  }

  nlohmann::json spec_ = nlohmann::json::parse(two_machines);
  TemporaryFolder folder_;
};

}  // namespace equipoise
