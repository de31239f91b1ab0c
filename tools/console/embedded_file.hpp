// A file that is part of the program as text; tools/console/embed.cmake writes the sources.
#pragma once

#include <string_view>

namespace equipoise {

struct EmbeddedFile {
  std::string_view name;  ///< "weighted_greedy.cpp"
  std::string_view text;
};

}  // namespace equipoise
