// Reads a file into memory, parses it with pugixml, and writes what was parsed.
#include "platforms/xml_file.hpp"

#include <algorithm>
#include <string_view>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/printable_text.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

std::string text_of(const std::string& path) {
  std::string text = read_input(path, "give a SimGrid platform file");
  if (text.empty()) throw InputError(path, "the file is empty; give a SimGrid platform file");
  return text;
}

}  // namespace

XmlFile::XmlFile(const std::string& path) : path_(path) {
  const std::string text = text_of(path);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_ends_.push_back(i);
  }
  // Only UTF-8: other encodings would shift the offsets from which lines are computed, and SimGrid
  // does not read them.
  const pugi::xml_parse_result parsed = document_.load_buffer(
      text.data(), text.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
  if (parsed) return;
  const bool empty = parsed.status == pugi::status_no_document_element;
  throw InputError(
      path + ":" + std::to_string(line_at(empty ? 0 : parsed.offset)),
      std::string("not XML: ") + parsed.description() + "; give a SimGrid platform file");
}

int XmlFile::line_at(std::ptrdiff_t offset) const {
  const auto position = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
  const auto before = std::lower_bound(line_ends_.begin(), line_ends_.end(), position);
  return static_cast<int>(before - line_ends_.begin()) + 1;
}

int XmlFile::line_of(const pugi::xml_node& node) const { return line_at(node.offset_debug()); }

void XmlFile::refuse(const pugi::xml_node& node, const std::string& why) const {
  throw InputError(path_ + ":" + std::to_string(line_of(node)), why);
}

namespace {

class SimGridXml {
 public:
  explicit SimGridXml(const XmlFile& file) : file_(file) {}

  std::string write(const pugi::xml_node& root) {
    pugi::xml_node node = root;
    begin(node);
    for (;;) {
      if (const pugi::xml_node child = node.first_child()) {
        node = child;
        begin(node);
        continue;
      }
      for (end(node); node != root && !node.next_sibling(); end(node)) node = node.parent();
      if (node == root) return std::move(text_);
      node = node.next_sibling();
      begin(node);
    }
  }

 private:
  void begin(const pugi::xml_node& node) {
    if (node.type() != pugi::node_element) {
      put_escaped(node.value());
      return;
    }
    while (line_ < file_.line_of(node)) put('\n');
    text_.append("<").append(node.name());
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      text_.append(" ").append(attribute.name()).append("=\"");
      put_escaped(attribute.value());
      put('"');
    }
    put('>');
  }

  void end(const pugi::xml_node& node) {
    if (node.type() == pugi::node_element) text_.append("</").append(node.name()).append(">");
  }

  void put_escaped(std::string_view value) {
    for (const char c : markup_escaped(value)) put(c);
  }

  void put(char c) {
    text_ += c;
    if (c == '\n') ++line_;
  }

  const XmlFile& file_;
  std::string text_ =
      "<?xml version='1.0'?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">";
  int line_ = 1;
};

}  // namespace

std::string simgrid_xml(const XmlFile& file) {
  return SimGridXml(file).write(file.document().child("platform"));
}

}  // namespace equipoise
