// The members of a plain struct one after another, without naming them: what sends structs from one
// process to another, and what finds a member that a description has forgotten.
//
// C++20 cannot list the members of a struct, but it can take one apart if their number is known.
// Boost.PFR does the same; Debian 12's Boost (1.74) does not have it yet.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace equipoise {

/// Converts to anything but `Struct`, and only where no value is needed.
template <class Struct>
struct AnyMemberOf {
  template <class T>
  requires(!std::is_same_v<T, Struct>) operator T&() const& noexcept;
  template <class T>
  requires(!std::is_same_v<T, Struct>) operator T&() const&& noexcept;
};

template <class Struct, std::size_t... i>
constexpr bool has_members(std::index_sequence<i...> /*one for each*/) {
  return requires { Struct{(static_cast<void>(i), AnyMemberOf<Struct>{})...}; };
}

/// The number of members of an aggregate without base classes and arrays.
template <class Struct, std::size_t n = 0>
constexpr std::size_t count_members() {
  static_assert(std::is_aggregate_v<Struct>);
  if constexpr (has_members<Struct>(std::make_index_sequence<n + 1>())) {
    return count_members<Struct, n + 1>();
  } else {
    return n;
  }
}

/// `with_members` of a struct with 10 members or more.
template <std::size_t members, class Struct, class Visit>
constexpr decltype(auto) with_many_members(Struct& record, Visit&& visit) {
  if constexpr (members == 10) {
    auto& [a, b, c, d, e, f, g, h, i, j] = record;
    return visit(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (members == 11) {
    auto& [a, b, c, d, e, f, g, h, i, j, k] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (members == 12) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l);
  } else if constexpr (members == 13) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m);
  } else if constexpr (members == 14) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
  } else if constexpr (members == 15) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o);
  } else if constexpr (members == 16) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
  } else if constexpr (members == 17) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q);
  } else if constexpr (members == 18) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
  } else if constexpr (members == 19) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s);
  } else if constexpr (members == 20) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
  } else if constexpr (members == 21) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
  } else if constexpr (members == 22) {
    auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = record;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  } else {
    static_assert(members == 0, "a line for structs with so many members is missing");
  }
}

/// Calls `visit(members...)` with all members of `record`, in the order of the struct. A struct
/// with more members than there are lines here does not compile: add a line.
template <class Struct, class Visit>
constexpr decltype(auto) with_members(Struct& record, Visit&& visit) {
  constexpr std::size_t members = count_members<std::remove_const_t<Struct>>();
  if constexpr (members == 0) {
    return visit();
  } else if constexpr (members == 1) {
    auto& [a] = record;
    return visit(a);
  } else if constexpr (members == 2) {
    auto& [a, b] = record;
    return visit(a, b);
  } else if constexpr (members == 3) {
    auto& [a, b, c] = record;
    return visit(a, b, c);
  } else if constexpr (members == 4) {
    auto& [a, b, c, d] = record;
    return visit(a, b, c, d);
  } else if constexpr (members == 5) {
    auto& [a, b, c, d, e] = record;
    return visit(a, b, c, d, e);
  } else if constexpr (members == 6) {
    auto& [a, b, c, d, e, f] = record;
    return visit(a, b, c, d, e, f);
  } else if constexpr (members == 7) {
    auto& [a, b, c, d, e, f, g] = record;
    return visit(a, b, c, d, e, f, g);
  } else if constexpr (members == 8) {
    auto& [a, b, c, d, e, f, g, h] = record;
    return visit(a, b, c, d, e, f, g, h);
  } else if constexpr (members == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = record;
    return visit(a, b, c, d, e, f, g, h, i);
  } else {
    return with_many_members<members>(record, std::forward<Visit>(visit));
  }
}

}  // namespace equipoise
