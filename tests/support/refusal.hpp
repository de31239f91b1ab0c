// How tests check refused input.
#pragma once

#include <string>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

/// The message of the InputError that `call` throws, as "where: why", or "not refused" if it throws
/// none.
template <class Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace equipoise
