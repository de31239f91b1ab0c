// An XML file in memory, read once, whose elements know their lines.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <vector>

namespace equipoise {

/// A file that was read whole and parsed; comments and declarations are left out.
class XmlFile {
 public:
  /// Throws InputError as `read_input` does, for an empty file, and for one that is no XML (with the
  /// line).
  explicit XmlFile(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const pugi::xml_document& document() const { return document_; }
  /// The line that the element or text begins on.
  [[nodiscard]] int line_of(const pugi::xml_node& node) const;
  /// Throws InputError with the file and the line of `node`.
  [[noreturn]] void refuse(const pugi::xml_node& node, const std::string& why) const;

 private:
  [[nodiscard]] int line_at(std::ptrdiff_t offset) const;

  std::string path_;
  std::vector<std::size_t> line_ends_;
  pugi::xml_document document_;
};

}  // namespace equipoise
