// Emulated accelerators, for the contract of devices.
#include <memory>
#include <utility>

#include "real/emulated/emulated_device.hpp"
#include "real/machine.hpp"
#include "tests/support/device_subjects.hpp"

namespace equipoise {
namespace {

DeviceSubject emulated(const std::string& name, int copy_engines) {
  const EmulatedFigures figures{2e9, 1e9, Seconds{1e-5}, copy_engines};
  return {name, "",
          [figures](const std::vector<int>& waiting, std::shared_ptr<Clock> clock) {
            return open_emulated_device(
                std::make_shared<EmulatedEngines>(figures, waiting, std::move(clock)),
                {this_machine().threads.at(0).number});
          },
          false};  // it has the host's
}

}  // namespace

std::vector<DeviceSubject> device_subjects() {
  return {emulated("emulated", 2), emulated("emulated_with_one_copy_engine", 1)};
}

}  // namespace equipoise
