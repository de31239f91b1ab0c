// The settings of SimGrid that a platform file's <config> may make.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platforms/xml_file.hpp"

namespace equipoise {

/// The settings of one file, as they are found.
class PlatformSettings {
 public:
  /// Takes in one <prop> of a <config>. A platform may say how transfers take their time
  /// (network/model, latency and bandwidth factors, weight-S, TCP-gamma, crosstraffic) in values
  /// that SimGrid can compute with. Throws InputError with the line for every other setting, which
  /// could write files, end the program or change what is simulated unseen, for values that cannot
  /// be used, and for a setting that was there already.
  void take(const XmlFile& file, const pugi::xml_node& prop);

  /// A line for each setting that differs from what is simulated otherwise: "FILE:LINE: ...".
  [[nodiscard]] const std::vector<std::string>& notices() const { return notices_; }

 private:
  std::map<std::string, int> line_of_;
  std::vector<std::string> notices_;
};

}  // namespace equipoise
