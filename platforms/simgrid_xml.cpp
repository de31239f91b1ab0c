// Walks the XML tree without recursion (files may be nested very deeply) and writes it.
#include "platforms/simgrid_xml.hpp"

#include <string_view>

#include "shared_policies/text/markup.hpp"

namespace equipoise {
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
