// What the environment says about the units of a benchmark.
#pragma once

#include <cstdlib>
#include <string>

namespace equipoise {

/// The spelling of a unit in the environment variable `variable`, or `otherwise`.
inline std::string unit_of_bench(const char* variable, const char* otherwise) {
  const char* const given = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): one thread
  return given != nullptr ? given : otherwise;
}

/// By what the environment variable EQUIPOISE_BENCH_SIZE multiplies sizes; 1 without it.
inline double size_of_bench() { return std::stod(unit_of_bench("EQUIPOISE_BENCH_SIZE", "1")); }

}  // namespace equipoise
