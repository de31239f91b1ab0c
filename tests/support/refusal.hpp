// How tests look at refused input.
#pragma once

#include <string>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

/// What `call` is refused with, as "where: why"; "not refused" where it is not.
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
