// A recording on a machine with a meter that a test controls.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "real/meters/meter.hpp"
#include "real/recording/recorder.hpp"
#include "real/unit_spec.hpp"
#include "tests/support/scripted_kernel.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise {

/// A machine whose package takes nothing unless units compute: then its meter, in a powercap folder
/// like that of Linux, counts a joule for each block. A block takes at least 2 ms.
class MeteredMachine {
 public:
  MeteredMachine() {
    script_.compute = [this](const Block&, int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const std::lock_guard lock(mutex_);
      ++blocks_;
      show();
      if (after_block_) after_block_();
    };
    folder_.write("intel-rapl:0/name", "package-0\n");
    folder_.write("intel-rapl:0/max_energy_range_uj", "262143328850\n");
    show();
  }

  Recording record_with_meters(const std::vector<UnitSpec>& units, bool alone) {
    RecordSetup setup;
    setup.units = units;
    setup.kernel = &kernel_;
    setup.samples_min = setup.samples_max = 2;
    setup.sizes = {1, 10};
    setup.alone = alone;
    setup.busy_span = Seconds{0.1};
    setup.meters = std::make_shared<MeterSampler>(
        machine_meters(gpus_of(units), {folder_.path(""), nvml_file_}));
    setup.meters->measure_idle(std::chrono::milliseconds(40));
    return record(setup);
  }

 protected:
  /// The counter is never half written.
  void show() {
    folder_.write("next", std::to_string(blocks_ * 1'000'000) + "\n");
    std::filesystem::rename(folder_.path("next"), folder_.path("intel-rapl:0/energy_uj"));
  }
  void remove_counter() { std::filesystem::remove(folder_.path("intel-rapl:0/energy_uj")); }

  TemporaryFolder folder_;
  std::string nvml_file_;
  KernelScript script_{100};
  ScriptedKernel kernel_{script_};
  std::mutex mutex_;
  std::uint64_t blocks_ = 1;
  std::function<void()> after_block_;  ///< may be empty
};

}  // namespace equipoise
