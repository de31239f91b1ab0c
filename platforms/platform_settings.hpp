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

  /// Removes the settings that have their default values from the file in memory. SimGrid treats a
  /// setting that was made, with whatever value, in another way than one that was not, and a
  /// platform with default settings is to be simulated as one without settings. Keeps them all if
  /// the platform sets a network model of other defaults.
  void drop_defaults();

  /// A line "FILE:LINE: ..." for each setting that differs from the default.
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

 private:
  std::map<std::string, int> line_of_;
  std::vector<pugi::xml_node> defaults_;  ///< the settings with default values
  bool has_other_model_ = false;
  std::vector<std::string> notices_;
};

}  // namespace equipoise
