// Bytes packed for a report page: numbers of few bytes, deflated, in base64.
#pragma once

#include <cstdint>
#include <string>

namespace equipoise {

/// Appends `value` to `bytes`, 7 bits a byte, the lowest first.
void append_unsigned(std::string& bytes, std::uint64_t value);
/// Does the same with the sign in the lowest bit.
void append_signed(std::string& bytes, std::int64_t value);
/// `bytes` deflated (zlib's format) and in base64.
[[nodiscard]] std::string packed(const std::string& bytes);

}  // namespace equipoise
