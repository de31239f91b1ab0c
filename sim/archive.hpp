// Values as bytes and back, exactly: what processes of this program tell each other.
//
// A plain struct is archived member by member, without naming them (struct_members.hpp); one with
// members that are not sent has a function `fields(archive, value)` for both directions. Messages
// have no types, versions or byte order, because only one program on one machine writes and reads
// them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
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

/// Appends values to a text of bytes.
class ArchiveWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  /// The bytes of all values; the writer is empty afterwards.
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void put_bytes(const void* from, std::size_t size) {
    bytes_.append(static_cast<const char*>(from), size);
  }

  template <Plain T>
  void put(const T& value) {
    put_bytes(&value, sizeof value);
  }
  void put(const std::string& text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(std::uint64_t{values.size()});
    if constexpr (Plain<T>) {
      put_bytes(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) put(value);
    }
  }
  template <class Key, class T>
  void put(const std::map<Key, T>& values) {
    put(std::uint64_t{values.size()});
    for (const auto& [key, value] : values) (*this)(key, value);
  }
  template <class First, class Second>
  void put(const std::pair<First, Second>& value) {
    (*this)(value.first, value.second);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  /// What it points to; null is kept.
  template <class T>
  void put(const std::shared_ptr<const T>& value) {
    put(value != nullptr);
    if (value != nullptr) put(*value);
  }
  template <class... T>
  void put(const std::variant<T...>& value) {
    put(static_cast<std::uint8_t>(value.index()));
    std::visit([this](const auto& held) { put(held); }, value);
  }
  template <class T>
  void put(const T& value) {
    if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else {
      with_members(value, *this);
    }
  }

  std::string bytes_;
};

/// Reads values in the order in which they were written. To read past the end is a bug.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  [[nodiscard]] bool is_at_end() const { return bytes_.empty(); }

 private:
  void get_bytes(void* into, std::size_t size) {
    EQ_CHECK(size <= bytes_.size(), "an archive is read as it was written");
    if (size > 0) std::memcpy(into, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  [[nodiscard]] std::size_t get_count() {
    std::uint64_t count = 0;
    get(count);
    EQ_CHECK(count <= bytes_.size(), "an archive is read as it was written");
    return count;
  }

  template <Plain T>
  void get(T& value) {
    get_bytes(&value, sizeof value);
  }
  void get(std::string& text) {
    text.resize(get_count());
    get_bytes(text.data(), text.size());
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.resize(get_count());
    if constexpr (Plain<T>) {
      get_bytes(values.data(), values.size() * sizeof(T));
    } else {
      for (T& value : values) get(value);
    }
  }
  template <class Key, class T>
  void get(std::map<Key, T>& values) {
    values.clear();
    for (std::size_t left = get_count(); left > 0; --left) {
      Key key{};
      get(key);
      get(values[std::move(key)]);
    }
  }
  template <class First, class Second>
  void get(std::vector<std::pair<First, Second>>& values) {
    values.clear();
    for (std::size_t left = get_count(); left > 0; --left) {
      First first{};
      Second second{};
      (*this)(first, second);
      values.emplace_back(std::move(first), std::move(second));
    }
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    value.reset();
    if (is_there) get(value.emplace());
  }
  template <class T>
  void get(std::shared_ptr<const T>& value) {
    bool is_there = false;
    get(is_there);
    value.reset();
    if (!is_there) return;
    auto read = std::make_shared<T>();
    get(*read);
    value = std::move(read);
  }
  template <class... T>
  void get(std::variant<T...>& value) {
    std::uint8_t index = 0;
    get(index);
    get_alternative(value, index, std::index_sequence_for<T...>());
  }
  template <class Variant, std::size_t... I>
  void get_alternative(Variant& value, std::uint8_t index, std::index_sequence<I...>) {
    const bool is_known = ((I == index && (get(value.template emplace<I>()), true)) || ...);
    EQ_CHECK(is_known, "an archive is read as it was written");
  }
  template <class T>
  void get(T& value) {
    if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else {
      with_members(value, *this);
    }
  }

  std::string_view bytes_;
};

}  // namespace equipoise
