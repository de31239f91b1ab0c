// A hash of contents, used to find out whether two experiments would give the same numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shared_policies/text/text_hash.hpp"

namespace equipoise {

/// FNV-1a over parts. The length of each part is included, so that ("ab", "c") differs from ("a",
/// "bc"). Distinguishes versions of files; does not protect against deliberate collisions.
class ContentHash {
 public:
  void add(std::string_view part);
  /// Adds the file's contents without its name. Throws InputError if it cannot be read.
  void add_file(const std::string& path);
  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t state_ = empty_text_hash;
};

/// The hash of one file's contents. Throws InputError if it cannot be read.
[[nodiscard]] std::string hash_of_file(const std::string& path);

}  // namespace equipoise
