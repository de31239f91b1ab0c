// An XML file in memory, which is read once and whose elements know their lines, and the text that
// SimGrid reads instead of it.
#pragma once

#include <pugixml.hpp>

#include <string>
#include <vector>

namespace equipoise {

/// A parsed file, without comments and declarations.
class XmlFile {
 public:
  /// Throws InputError like `read_input`, for an empty file, and, with the line, for invalid XML.
  explicit XmlFile(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const pugi::xml_document& document() const { return document_; }
  /// The line on which the element or text begins.
  [[nodiscard]] int line_of(const pugi::xml_node& node) const;
  /// Throws InputError with the file and the line of `node`.
  [[noreturn]] void refuse(const pugi::xml_node& node, const std::string& why) const;

 private:
  [[nodiscard]] int line_at(std::ptrdiff_t offset) const;

  std::string path_;
  std::vector<std::size_t> line_ends_;
  pugi::xml_document document_;
};

/// The elements of <platform> with their attributes, each on the same line as in the file, so that
/// SimGrid's messages name the right line. The text is generated from the parsed file: SimGrid's
/// parser differs from ours, and something that only SimGrid's sees could not be checked. Only
/// <trace> elements contain text.
[[nodiscard]] std::string simgrid_xml(const XmlFile& file);

}  // namespace equipoise
