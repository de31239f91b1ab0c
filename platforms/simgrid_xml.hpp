// What SimGrid reads in place of a platform file: its elements as they were checked, nothing else.
#pragma once

#include <string>

#include "platforms/xml_file.hpp"

namespace equipoise {

/// The elements of <platform> and their attributes, each on its line of the file, so that SimGrid
/// names the right one. Written anew from what was parsed: SimGrid's parser differs from ours, and
/// what only one of them sees could not be checked. Text stands in <trace> only.
[[nodiscard]] std::string simgrid_xml(const XmlFile& file);

}  // namespace equipoise
