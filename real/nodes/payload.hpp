// How the bytes of a block travel: which parts of a kernel's data they are, and in which pieces
// they are sent. Both ends derive it from the same shape.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "real/kernels/kernel_data.hpp"
#include "shared_policies/model/block.hpp"

namespace equipoise {

using SentPart = std::span<const std::byte>;
using ReceivedPart = std::span<std::byte>;

/// The contiguous parts of the input of `block`, in the order of arrays and rows.
[[nodiscard]] inline std::vector<SentPart> input_parts(const KernelData& data, const Block& block) {
  std::vector<SentPart> parts;
  for (const InputRows& rows : data.inputs) {
    for_each_segment(rows, block, [&](const std::byte* begin, std::size_t bytes) {
      parts.emplace_back(begin, bytes);
    });
  }
  return parts;
}

/// Those of its results.
[[nodiscard]] inline std::vector<ReceivedPart> result_parts(const KernelData& data,
                                                            const Block& block) {
  std::vector<ReceivedPart> parts;
  for (const ResultRows& rows : data.results) {
    for_each_segment(rows, block, [&](std::byte* begin, std::size_t bytes) {
      parts.emplace_back(begin, bytes);
    });
  }
  return parts;
}

template <class Parts>
[[nodiscard]] std::size_t bytes_in(const Parts& parts) {
  std::size_t bytes = 0;
  for (const auto& part : parts) bytes += part.size();
  return bytes;
}

/// How parts travel.
enum class PayloadForm : std::uint8_t {
  none,      ///< there are no bytes
  enclosed,  ///< in the message: few bytes
  apart,     ///< each part by itself, from where it lies to where it belongs
  gathered   ///< all in one piece, because there are many parts, or small ones
};

template <class Parts>
[[nodiscard]] PayloadForm form_of(const Parts& parts) {
  constexpr std::size_t enclosed_max = 4096;
  constexpr std::size_t apart_min = 8192;
  constexpr std::size_t parts_max = 8;
  const std::size_t bytes = bytes_in(parts);
  if (bytes == 0) return PayloadForm::none;
  if (bytes <= enclosed_max) return PayloadForm::enclosed;
  const bool are_large =
      std::ranges::all_of(parts, [](const auto& part) { return part.size() >= apart_min; });
  return parts.size() == 1 || (are_large && parts.size() <= parts_max) ? PayloadForm::apart
                                                                       : PayloadForm::gathered;
}

/// Copies all parts to `to`, one after the other.
template <class Parts>
void gather(const Parts& parts, std::span<std::byte> to) {
  for (const auto& part : parts) {
    std::memcpy(to.data(), part.data(), part.size());
    to = to.subspan(part.size());
  }
}

/// What a message says of parts that travel.
struct Packed {
  PayloadForm form = PayloadForm::none;
  std::string enclosed{};               ///< all of them, if that is little
  std::vector<std::uint64_t> pieces{};  ///< else the bytes of each payload behind the message
};

template <class Parts>
[[nodiscard]] Packed pack(const Parts& parts) {
  Packed packed{form_of(parts)};
  switch (packed.form) {
    case PayloadForm::none:
      break;
    case PayloadForm::enclosed:
      packed.enclosed.resize(bytes_in(parts));
      gather(parts, std::as_writable_bytes(std::span(packed.enclosed)));
      break;
    case PayloadForm::apart:
      for (const auto& part : parts) packed.pieces.push_back(part.size());
      break;
    case PayloadForm::gathered:
      packed.pieces.push_back(bytes_in(parts));
      break;
  }
  return packed;
}

/// Copies to `parts` what `gather` made of such.
inline void scatter(std::span<const std::byte> all, const std::vector<ReceivedPart>& parts) {
  for (const ReceivedPart& part : parts) {
    std::memcpy(part.data(), all.data(), part.size());
    all = all.subspan(part.size());
  }
}

}  // namespace equipoise
