// Writes the text that SimGrid reads instead of a platform file: exactly the elements that were
// checked.
#pragma once

#include <string>

#include "platforms/xml_file.hpp"

namespace equipoise {

/// The elements of <platform> with their attributes, each on the same line as in the file, so that
/// SimGrid's messages name the right line. The text is generated from the parsed file: SimGrid's
/// parser differs from ours, and something that only SimGrid's sees could not be checked. Only
/// <trace> elements contain text.
[[nodiscard]] std::string simgrid_xml(const XmlFile& file);

}  // namespace equipoise
