// Compares two results of the same experiment, for example of two commits, as far as noise allows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/records/description.hpp"
#include "tools/guard/checks.hpp"
#include "tools/guard/stored_results.hpp"

namespace equipoise {

/// What can be said of a change.
enum class Verdict : std::uint8_t {
  equal,     ///< there is no change, and no noise
  better,    ///< the whole interval is on the better side
  worse,     ///< the whole interval is on the worse side
  undecided  ///< the interval contains 0, or there is no interval
};

constexpr auto words(DescriptionOf<Verdict> /*of*/) {
  return std::array{Word{Verdict::equal, "equal"}, Word{Verdict::better, "better"},
                    Word{Verdict::worse, "worse"}, Word{Verdict::undecided, "undecided"}};
}

/// One policy in one world, before and now.
struct PolicyChange {
  std::string spelling;  ///< of the policy
  std::string on;
  double before = 0.0;
  double now = 0.0;
  std::size_t repetitions_before = 0;
  std::size_t repetitions_now = 0;
  bool is_paired = false;  ///< repetition by repetition, because both had the same random draws
  std::optional<Estimate> change;     ///< mean now / mean before - 1; none if the latter is 0
  std::optional<Estimate> from_zero;  ///< mean now, if that before is 0
  Verdict verdict = Verdict::undecided;
};

/// A fact in which the experiments differ.
struct Difference {
  std::string what;
  std::optional<JsonValue> before;  ///< none: it is not there
  std::optional<JsonValue> now;
};

/// Two policies of a world whose order is another now: how probable it is that `faster` has the
/// shorter mean makespan.
struct OrderChange {
  std::string faster;  ///< the one that was more probably faster before
  std::string slower;
  std::string on;
  double p_before = 0.0;
  double p_now = 0.0;
};

/// Two results, compared.
struct ResultsDiff {
  std::vector<PolicyChange> changes;    ///< policies that both have, verified, in the order of now
  std::vector<Difference> differences;  ///< of the experiments
  std::vector<OrderChange> orders;      ///< the most certain before first
  std::vector<std::string>
      only_before;  ///< "plb-hec (sim)": it, or its quantity, is known only there
  std::vector<std::string> only_now;
  std::vector<std::string> unverified;  ///< policies that are not verified now, but were before
};

/// The change of `quantity` for every policy that both results have. Intervals have the given
/// confidence. Where both are simulated with the same seed and nothing differs but policies and
/// repetitions, repetitions are paired; elsewhere the variances of both means are added, with
/// Welch's degrees of freedom. Throws InputError if the workloads differ, or if there is no policy
/// that both have.
[[nodiscard]] ResultsDiff diff_results(const StoredResults& before, const StoredResults& now,
                                       const Quantity& quantity, double confidence);

/// A check for every policy: it fails if the whole interval is worse by more than `limit` (a share
/// of the value before; if that was 0, worse at all), or if it is not verified any more. Throws
/// InputError if a change has no interval, because noise could not be told from change.
[[nodiscard]] std::vector<Check> check_diff(const ResultsDiff& diff, const StoredResults& now,
                                            const Quantity& quantity, double limit);

}  // namespace equipoise
