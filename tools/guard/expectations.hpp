// Bounds that results must keep: files of schema equipoise.expect/1 (traces/README.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/guard/checks.hpp"
#include "tools/guard/stored_results.hpp"
#include "tools/worlds/comparison.hpp"

namespace equipoise {

/// One bound on a number of a policy's results.
struct Bound {
  std::string where;       ///< FILE:LINE
  std::string spelling;    ///< of the policy; "*": every policy
  std::string on;          ///< sim, real or paced; empty: everywhere
  std::string experiment;  ///< of a sweep, a pattern such as "sirocco-*"; empty: all
  std::string quantity;    ///< see `number_of`
  std::optional<double> at_most;
  std::optional<double> at_least;
  double confidence = 0.95;  ///< of the interval whose near end must break the bound
};

/// The bounds in a file.
struct Expectations {
  std::string file;
  std::vector<Bound> bounds;
};

/// Reads the file at `path`. Throws InputError, with the line, for everything that is malformed.
[[nodiscard]] Expectations read_expectations(const std::string& path);

/// The results that bounds are meant for.
struct ExpectedResults {
  std::vector<std::string> spellings;  ///< of the policies
  std::vector<std::string> units;
  std::size_t phases = 1;
};

/// Throws InputError at the first bound on a policy or on a number that `expected` does not have:
/// such a bound would check nothing.
void expect_known(const Expectations& expectations, const ExpectedResults& expected);

/// Reads the expectations in `file` and checks that they are on results that are `expected`
/// (`expect_known`); nullopt if `file` is empty. Throws InputError for everything that is wrong
/// with them, and if `junit_file` is given and cannot be written.
[[nodiscard]] std::optional<Expectations> expectations_of(const std::string& file,
                                                          const std::string& junit_file,
                                                          const ExpectedResults& expected);

/// The results of one experiment.
struct NamedResults {
  std::string name;  ///< of an experiment of a sweep; else empty
  StoredResults results;
};

/// The results of a comparison, as its results.json has them; `folder` is where that is, or empty.
[[nodiscard]] NamedResults named_results(const Comparison& comparison, const std::string& folder,
                                         const std::string& name = {});

/// Checks all results against every bound that is meant for them. A bound fails if the whole
/// interval is beyond it; a number without interval is compared itself. It also fails if there is
/// no such result or number.
[[nodiscard]] std::vector<Check> check_expectations(const Expectations& expectations,
                                                    const std::vector<NamedResults>& experiments);

/// Checks all results (`check_expectations`), names each broken bound on stderr, writes a JUnit
/// report to `junit_file` unless that is empty, and prints how many bounds hold if `prints`.
/// Returns whether all hold.
[[nodiscard]] bool meets(const Expectations& expectations,
                         const std::vector<NamedResults>& experiments,
                         const std::string& junit_file, bool prints);

}  // namespace equipoise
