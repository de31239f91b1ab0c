// Makes damaged copies of a text, for tests of readers.
#pragma once

#include <random>
#include <string>

namespace equipoise {

/// `text` with one to four random changes: bytes replaced, removed or repeated, or the end cut off.
inline std::string mutate(std::string text, std::mt19937_64& random) {
  static const std::string bytes = "{}[]\",:<>/#\n\r -+.0123456789eEnulNaxy\x01\xff";
  const auto below = [&random](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  for (std::size_t i = below(4) + 1; i > 0 && !text.empty(); --i) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text[at] = bytes[below(bytes.size())];
        break;
      case 1:
        text.erase(at, below(8) + 1);
        break;
      case 2:
        text.insert(at, text.substr(at, below(40) + 1));
        break;
      default:
        if (below(4) == 0) text.resize(at);
    }
  }
  return text;
}

}  // namespace equipoise
