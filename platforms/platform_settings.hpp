// The SimGrid settings that the <config> of a platform file may make.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/xml_file.hpp"

namespace equipoise {

/// Collects and checks the settings of one file.
class PlatformSettings {
 public:
  /// Processes one <prop> of a <config>. A platform may set how the times of transfers are computed
  /// (network/model, latency and bandwidth factors, weight-S, TCP-gamma, crosstraffic), with values
  /// that SimGrid can compute with. Throws InputError with the line for every other setting (it
  /// could write files, end the program or silently change what is simulated), for values that
  /// cannot be used, and for a setting that occurs twice.
  void take(const XmlFile& file, const pugi::xml_node& prop);

  /// A line "FILE:LINE: ..." for each setting that differs from the default.
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

 private:
  std::map<std::string, int> line_of_;
  std::vector<std::string> notices_;
};

}  // namespace equipoise
