// The devices on which the contract of devices is checked. Each program of tests has its own.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "real/devices/device.hpp"
#include "real/threads/clock.hpp"

namespace equipoise {

/// A device that keeps, or should keep, what real/devices/device.hpp promises.
struct DeviceSubject {
  std::string name;
  std::string why_absent;  ///< empty if it is there
  /// Opens it for the calling thread; its threads that wait run on `waiting`.
  std::function<std::unique_ptr<Device>(const std::vector<int>& waiting,
                                        std::shared_ptr<Clock> clock)>
      open;
  bool has_limited_memory = true;  ///< too large an allocation fails, without harm
};

inline std::ostream& operator<<(std::ostream& out, const DeviceSubject& subject) {
  return out << subject.name;
}

/// The devices of this program.
[[nodiscard]] std::vector<DeviceSubject> device_subjects();

}  // namespace equipoise
