// Descriptions of records: for a struct that is written to files, its members with their names
// there, what they mean, unit of measure, bounds, and since which version of the format they are
// there. A description stands beside its struct, as a function
//
//     constexpr auto describe(DescriptionOf<Struct>) { return std::tuple(member(...), ...); }
//
// JSON and its reader (traces/json_record.hpp), its schema and the words of `explain` follow from
// it, so that a new member is written down once. Libraries for that were weighed: cereal and the
// macros of nlohmann's library know names only, so that meaning, bounds and the reader's messages
// would stand elsewhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace equipoise {

/// Names the struct, or the enumeration, whose description is asked for.
template <class T>
struct DescriptionOf {};

/// When a member is written.
enum class Writing : std::uint8_t {
  always,   ///< always written; a file without it is refused
  usual,    ///< always written; a file may lack it
  or_null,  ///< null where there is nothing; a file may lack it
  if_any    ///< left out where there is nothing; a file may lack it
};

/// Which files have a member, where a struct is written to several kinds. These can be combined.
enum Place : unsigned {
  in_traces = 1,
  in_runs = 2,         ///< header and summary of a run file
  in_points = 4,       ///< points of a sweep
  in_repetitions = 8,  ///< `repetitions` of results.json
  everywhere = in_traces | in_runs | in_points | in_repetitions,
  in_campaigns = 16  ///< experiments of campaigns, besides
};

/// What files say of a member.
struct MemberFacts {
  const char* name;  ///< in JSON; "a.b" is the member b of the object a
  const char* meaning;
  const char* unit = "";  ///< of measure: "s", "bytes", "W"; empty: none
  Writing writing = Writing::always;
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool is_above_least = false;       ///< `least` itself is not allowed
  bool is_duration = false;          ///< a time: 0, if that is allowed, or at least `least_time`
  unsigned short_in = 0;             ///< files in which doubles are written without ".0"
  bool is_filled = false;            ///< a text, list or object that is not empty
  const char* point_name = nullptr;  ///< in points of a sweep; nullptr: `name`
  const char* choices = "";          ///< the texts that it may be: "sim, real"; empty: any
  bool is_flat = false;              ///< its own members stand in the object of the record itself
  int since = 0;                     ///< minor version of the format; older files lack it
  unsigned places = everywhere;
};

/// The rules that every kind of member can be given. `Self` has `facts`.
template <class Self>
struct MemberRules {
  /// Its unit of measure.
  [[nodiscard]] constexpr Self in(const char* unit) const {
    return with([&](MemberFacts& f) { f.unit = unit; });
  }
  [[nodiscard]] constexpr Self at_least(double least) const {
    return with([&](MemberFacts& f) { f.least = least; });
  }
  [[nodiscard]] constexpr Self above(double least) const {
    return with([&](MemberFacts& f) {
      f.least = least;
      f.is_above_least = true;
    });
  }
  [[nodiscard]] constexpr Self at_most(double most) const {
    return with([&](MemberFacts& f) { f.most = most; });
  }
  /// Something that every block or iteration costs: 0, or a time. More than 1e9 s, 30 years,
  /// would hide all block times.
  [[nodiscard]] constexpr Self cost() const {
    return in("s").at_least(0).at_most(1e9).with([](MemberFacts& f) { f.is_duration = true; });
  }
  /// A time that something takes: above 0, and at least `least_time`.
  [[nodiscard]] constexpr Self time() const {
    return in("s").above(0).with([](MemberFacts& f) { f.is_duration = true; });
  }
  /// Files of these kinds have whole numbers of it without ".0".
  [[nodiscard]] constexpr Self short_form(unsigned places) const {
    return with([&](MemberFacts& f) { f.short_in = places; });
  }
  [[nodiscard]] constexpr Self not_empty() const {
    return with([](MemberFacts& f) { f.is_filled = true; });
  }
  [[nodiscard]] constexpr Self one_of(const char* choices) const {
    return with([&](MemberFacts& f) { f.choices = choices; });
  }
  [[nodiscard]] constexpr Self may_lack() const {
    return with([](MemberFacts& f) { f.writing = Writing::usual; });
  }
  [[nodiscard]] constexpr Self flat() const {
    return with([](MemberFacts& f) { f.is_flat = true; });
  }
  [[nodiscard]] constexpr Self or_null() const {
    return with([](MemberFacts& f) { f.writing = Writing::or_null; });
  }
  [[nodiscard]] constexpr Self if_any() const {
    return with([](MemberFacts& f) { f.writing = Writing::if_any; });
  }
  [[nodiscard]] constexpr Self since(int minor) const {
    return with([&](MemberFacts& f) { f.since = minor; });
  }
  /// Its name in points of a sweep, which have no objects in objects.
  [[nodiscard]] constexpr Self in_points_called(const char* name) const {
    return with([&](MemberFacts& f) { f.point_name = name; });
  }
  [[nodiscard]] constexpr Self also(unsigned places) const {
    return with([&](MemberFacts& f) { f.places |= places; });
  }
  [[nodiscard]] constexpr Self only(unsigned places) const {
    return with([&](MemberFacts& f) { f.places = places; });
  }

 private:
  template <class Change>
  [[nodiscard]] constexpr Self with(Change change) const {
    Self changed = static_cast<const Self&>(*this);
    change(changed.facts);
    return changed;
  }
};

/// A member that is stored in the struct.
template <class Struct, class T>
struct StoredMember : MemberRules<StoredMember<Struct, T>> {
  using Value = T;
  T Struct::*at;
  MemberFacts facts;

  constexpr StoredMember(T Struct::*where, MemberFacts what) : at(where), facts(what) {}
  [[nodiscard]] constexpr const T& get(const Struct& record) const { return record.*at; }
  void set(Struct& record, T value) const { record.*at = std::move(value); }
};

/// A member that is computed from the struct, and changes it when it is read.
template <class Struct, class T>
struct ComputedMember : MemberRules<ComputedMember<Struct, T>> {
  using Value = T;
  T (*compute)(const Struct& record);
  void (*apply)(Struct& record, T value);  ///< nullptr: it is written only
  MemberFacts facts;

  constexpr ComputedMember(T (*of)(const Struct&), void (*to)(Struct&, T), MemberFacts what)
      : compute(of), apply(to), facts(what) {}
  [[nodiscard]] T get(const Struct& record) const { return compute(record); }
  void set(Struct& record, T value) const {
    if (apply != nullptr) apply(record, std::move(value));
  }
};

/// Members that no file has, or that files have in another form (a computed member).
template <class Struct, class... T>
struct Unwritten {
  std::tuple<T Struct::*...> members;
};

/// Describes the member `at`, which files call `name`. `meaning`: what it is, without a full stop.
template <class Struct, class T>
[[nodiscard]] constexpr StoredMember<Struct, T> member(const char* name, T Struct::*at,
                                                       const char* meaning) {
  return {at, {name, meaning}};
}

/// Describes what files call `name` and `compute` makes of the struct. `apply` puts what was read
/// into the struct; without it, it is only written.
template <class Struct, class T>
[[nodiscard]] constexpr ComputedMember<Struct, T> computed(
    const char* name, T (*compute)(const Struct&), const char* meaning,
    std::type_identity_t<void (*)(Struct&, T)> apply = nullptr) {
  return {compute, apply, {name, meaning}};
}

/// Names the members that are not described.
template <class Struct, class... T>
[[nodiscard]] constexpr Unwritten<Struct, T...> unwritten(T Struct::*... members) {
  return {{members...}};
}

/// The word of an enumeration's value in files.
template <class Enum>
struct Word {
  Enum value;
  const char* word;
};
template <class Enum>
Word(Enum, const char*) -> Word<Enum>;

/// A struct with a description.
template <class T>
concept Described = requires {
  describe(DescriptionOf<T>{});
};

/// A struct that is written as the list of the values of its members, and of theirs, in the order
/// of the struct, because there are many: `constexpr bool is_row(DescriptionOf<Struct>) { return
/// true; }`.
template <class T>
concept WrittenAsRow = requires {
  is_row(DescriptionOf<T>{});
};

/// An enumeration with words: `constexpr auto words(DescriptionOf<Enum>) { return
/// std::array{Word{...}, ...}; }`.
template <class T>
concept Worded = std::is_enum_v<T> && requires {
  words(DescriptionOf<T>{});
};

/// The word of `value`.
template <Worded Enum>
[[nodiscard]] constexpr const char* word_of(Enum value) {
  for (const Word<Enum>& one : words(DescriptionOf<Enum>{})) {
    if (one.value == value) return one.word;
  }
  return "";
}

/// The value with this word; nothing if there is none.
template <Worded Enum>
[[nodiscard]] constexpr std::optional<Enum> called(std::string_view word) {
  for (const Word<Enum>& one : words(DescriptionOf<Enum>{})) {
    if (one.word == word) return one.value;
  }
  return std::nullopt;
}

/// The description of `Struct`, made once.
template <Described Struct>
inline constexpr auto description_of = describe(DescriptionOf<Struct>{});

/// The members of the struct that an entry of its description is about.
template <class Struct, class T>
constexpr auto members_of(const StoredMember<Struct, T>& one) {
  return std::tuple(one.at);
}
template <class Struct, class T>
constexpr auto members_of(const ComputedMember<Struct, T>& /*none*/) {
  return std::tuple();
}
template <class Struct, class... T>
constexpr auto members_of(const Unwritten<Struct, T...>& some) {
  return some.members;
}

/// Whether two pointers to members are the same.
template <class A, class B>
constexpr bool are_same(A a, B b) {
  if constexpr (std::is_same_v<A, B>) {
    return a == b;
  } else {
    return false;
  }
}

/// Whether pointer `i` is not among those before it.
template <std::size_t i, class Members, std::size_t... before>
constexpr bool is_new(const Members& members, std::index_sequence<before...> /*indices*/) {
  return !(are_same(std::get<i>(members), std::get<before>(members)) || ...);
}

template <class Members, std::size_t... i>
constexpr std::size_t count_different(const Members& members, std::index_sequence<i...> /*all*/) {
  return (std::size_t{0} + ... + (is_new<i>(members, std::make_index_sequence<i>()) ? 1 : 0));
}

/// How many members of `Struct` its description is about, each counted once. If there are fewer
/// than `count_members`, one was forgotten.
template <Described Struct>
[[nodiscard]] constexpr std::size_t count_described() {
  const auto members =
      std::apply([](const auto&... one) { return std::tuple_cat(members_of(one)...); },
                 description_of<Struct>);
  return count_different(members, std::make_index_sequence<std::tuple_size_v<decltype(members)>>());
}

/// Calls `visit(member)` for each member of the description that files have.
template <Described Struct, class Visit>
constexpr void for_each_member(Visit&& visit) {
  const auto visit_written = [&]<class One>(const One& one) {
    if constexpr (requires { one.facts; }) visit(one);
  };
  std::apply([&](const auto&... one) { (visit_written(one), ...); }, description_of<Struct>);
}

}  // namespace equipoise
