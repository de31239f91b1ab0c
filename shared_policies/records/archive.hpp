// Values as bytes and back, exactly: what processes of this program tell each other.
//
// A plain struct is archived member by member, without naming them (struct_members.hpp); one with
// members that are not sent has a function `fields(archive, value)` for both directions. Messages
// have no types, versions or byte order, because only processes of one build, on machines of one
// kind, write and read them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/records/struct_members.hpp"

namespace equipoise {

/// A parameter of `fields`: `Struct`, constant while it is written.
template <class T, class Struct>
concept Of = std::same_as<std::remove_const_t<T>, Struct>;

/// Values that are copied byte by byte.
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T, template <class...> class Template>
inline constexpr bool is_a = false;
template <template <class...> class Template, class... T>
inline constexpr bool is_a<Template<T...>, Template> = true;

/// Throws BackendError unless bytes that are read can have been written for what they are read as.
inline void expect_well_formed(bool is_well_formed) {
  if (is_well_formed) return;
  throw BackendError(
      "a process of this program told another one what cannot be read; run it again");
}

/// Writes values into bytes, or reads them in the order in which they were written. Bytes that were
/// not written for these types throw BackendError or what the values' own types throw, or give
/// other values.
template <bool is_reading>
class Archive {
 public:
  Archive() = default;
  /// Reads `bytes`.
  explicit Archive(std::string_view bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&&... values) {
    (pass(values), ...);
  }
  /// The bytes of all written values; the archive is empty afterwards.
  [[nodiscard]] std::string take() { return std::move(bytes_); }
  [[nodiscard]] bool is_at_end() const { return bytes_.empty(); }

 private:
  void pass_bytes(std::conditional_t<is_reading, void*, const void*> at, std::size_t size) {
    if constexpr (is_reading) {
      expect_well_formed(size <= bytes_.size());
      if (size > 0) std::memcpy(at, bytes_.data(), size);
      bytes_.remove_prefix(size);
    } else {
      bytes_.append(static_cast<const char*>(at), size);
    }
  }
  [[nodiscard]] std::size_t passed_count(std::uint64_t count) {
    pass(count);
    if constexpr (is_reading) expect_well_formed(count <= bytes_.size());
    return count;
  }

  template <class T>
  void pass(T& value) {
    using Value = std::remove_const_t<T>;
    if constexpr (is_reading && std::same_as<Value, bool>) {
      std::uint8_t byte = 0;  // of which a bool must not have every value
      pass(byte);
      value = byte != 0;
    } else if constexpr (Plain<Value>) {
      pass_bytes(&value, sizeof value);
    } else if constexpr (requires { typename Value::value_type::first_type; }) {
      pass_pairs(value);
    } else if constexpr (std::same_as<Value, std::string> || is_a<Value, std::vector>) {
      pass_list(value);
    } else if constexpr (is_a<Value, std::optional> || is_a<Value, std::shared_ptr>) {
      pass_pointed(value);
    } else if constexpr (is_a<Value, std::variant>) {
      pass_variant(value);
    } else if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else {
      with_members(value, *this);
    }
  }
  template <class List>
  void pass_list(List& values) {
    using Element = typename List::value_type;
    const std::size_t count = passed_count(values.size());
    if constexpr (is_reading) values.resize(count);
    if constexpr (Plain<Element>) {
      pass_bytes(values.data(), count * sizeof(Element));
    } else {
      for (auto& value : values) pass(value);
    }
  }
  /// A map, or a list of pairs.
  template <class Pairs>
  void pass_pairs(Pairs& pairs) {
    using Pair = typename Pairs::value_type;
    std::size_t left = passed_count(pairs.size());
    if constexpr (is_reading) {
      for (pairs.clear(); left > 0; --left) {
        std::remove_const_t<typename Pair::first_type> first{};
        typename Pair::second_type second{};
        (*this)(first, second);
        pairs.insert(pairs.end(), Pair(std::move(first), std::move(second)));
      }
    } else {
      for (const auto& [first, second] : pairs) (*this)(first, second);
    }
  }
  /// What it points to; null is kept.
  template <class Pointer>
  void pass_pointed(Pointer& value) {
    bool is_there = static_cast<bool>(value);
    pass(is_there);
    if constexpr (is_reading) {
      value.reset();
      if (!is_there) return;
      std::remove_cvref_t<decltype(*value)> read{};
      pass(read);
      if constexpr (is_a<Pointer, std::optional>) {
        value = std::move(read);
      } else {
        value = std::make_shared<decltype(read)>(std::move(read));
      }
    } else if (is_there) {
      pass(*value);
    }
  }
  template <class Variant>
  void pass_variant(Variant& value) {
    auto index = static_cast<std::uint8_t>(value.index());
    pass(index);
    if constexpr (is_reading) {
      emplace(value, index, std::make_index_sequence<std::variant_size_v<Variant>>());
    }
    std::visit([this](auto& held) { pass(held); }, value);
  }
  template <class Variant, std::size_t... I>
  static void emplace(Variant& value, std::uint8_t index, std::index_sequence<I...> /*all*/) {
    const bool is_known = ((I == index && (value.template emplace<I>(), true)) || ...);
    expect_well_formed(is_known);
  }

  std::conditional_t<is_reading, std::string_view, std::string> bytes_;
};

using ArchiveWriter = Archive<false>;
using ArchiveReader = Archive<true>;

/// `message` as bytes.
template <class Message>
[[nodiscard]] std::string archive_of(const Message& message) {
  ArchiveWriter archive;
  archive(message);
  return archive.take();
}

/// The message of which `bytes` are the archive. Throws as ArchiveReader does.
template <class Message>
[[nodiscard]] Message read_archive(std::string_view bytes) {
  ArchiveReader archive(bytes);
  Message message;
  archive(message);
  expect_well_formed(archive.is_at_end());
  return message;
}

}  // namespace equipoise
