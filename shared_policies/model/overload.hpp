// Functions for std::visit that name every alternative, so that the compiler sees where one is not
// handled.
#pragma once

#include <concepts>

namespace equipoise {

/// Several functions as one: the call goes to the one that takes the argument.
template <class... Function>
struct Overload : Function... {
  using Function::operator()...;
};
template <class... Function>
Overload(Function...) -> Overload<Function...>;

/// The alternatives that one function handles: `[](const OneOf<UnitLost, UnitJoined> auto& event)`.
template <class T, class... Alternative>
concept OneOf = (std::same_as<T, Alternative> || ...);

}  // namespace equipoise
