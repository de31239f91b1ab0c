// Platform files as text, and the messages with which they are refused.
#pragma once

#include <string>

#include "platforms/platform_file.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace equipoise {

inline const std::string head =
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"simgrid.dtd\">\n";

inline std::string zone(const std::string& inside) {
  return head + "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Full\">\n" + inside +
         "</zone>\n</platform>\n";
}

inline PlatformFileFacts check(const std::string& text) {
  const TemporaryFolder folder;
  return check_platform_file(folder.write("p.xml", text));
}

inline std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder.write("p.xml", text);
  std::string why = refusal_of([&] { (void)check_platform_file(path); });
  if (why.starts_with(path)) why.replace(0, path.size(), "p.xml");
  return why;
}

/// The refusal of a platform whose only host has the property `name` = `value`.
inline std::string property_refusal(const std::string& name, const std::string& value) {
  return refusal(zone("<host id=\"a\" speed=\"1Gf\">\n<prop id=\"" + name + "\" value=\"" + value +
                      "\"/></host>\n"));
}

}  // namespace equipoise
