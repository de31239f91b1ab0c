// The message of a program that has found a bug in itself, before it aborts.
#include "shared_policies/model/failure.hpp"

#include <cstdio>
#include <cstdlib>

namespace equipoise {

void stop_on_bug(const char* condition, const char* why, const char* file, int line) {
  std::fprintf(stderr, "equipoise: error: %s:%d: bug: %s (%s does not hold); please report it\n",
               file, line, why, condition);
  std::abort();
}

}  // namespace equipoise
