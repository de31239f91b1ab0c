// A fingerprint of contents: whether two experiments would give the same numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace equipoise {

/// FNV-1a over parts; each part's length counts, so that ("ab", "c") differs from ("a", "bc").
/// For telling versions of files apart, not against people who want them to look alike.
class ContentHash {
 public:
  void add(std::string_view part);
  /// Adds what the file holds, not how it is called. Throws InputError when it cannot be read.
  void add_file(const std::string& path);
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  void mix(unsigned char byte);

  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

}  // namespace equipoise
