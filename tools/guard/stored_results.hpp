// Results of comparisons as results.json has them, and numbers of them with confidence intervals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "shared_policies/run/results.hpp"
#include "traces/json_document.hpp"

namespace equipoise {

/// The result of one policy in one world.
struct StoredResult {
  std::string spelling;  ///< of the policy
  std::string on;        ///< sim, real or paced
  bool verified = false;
  JsonValue entry;  ///< all of it, as in results.json
};

/// The contents of a results.json.
struct StoredResults {
  std::string file;  ///< for messages
  JsonValue document;
  std::string baseline;
  std::string reference;  ///< of `paired_ratio`; empty if there is none
  std::optional<double> lower_bound_s;
  std::optional<double> best_known_s;
  bool is_interrupted = false;
  bool is_noise_free = false;  ///< simulations took mean times: every repetition is the same
  std::vector<StoredResult> results;
};

/// Reads `text`, the contents of a results.json called `file`. Throws InputError, with the line, if
/// it is something else, and for results without repetitions, which older versions wrote.
[[nodiscard]] StoredResults parse_results(const std::string& text, std::string file);
/// Reads the file. Throws like `parse_results`, and InputError if it cannot be read.
[[nodiscard]] StoredResults read_results(const std::string& file);

/// The result of `policy` in the world `on`; nullptr if there is none.
[[nodiscard]] const StoredResult* find_result(const StoredResults& results,
                                              const std::string& policy, const std::string& on);

/// A number that is known of every repetition.
struct Quantity {
  const char* name;
  bool more_is_better = false;
};

/// The quantity called `name` in results.json or in the heading of a table, such as "times bound"
/// and "idle %"; means also as `name`.mean; `over_best_known` is the makespan over `best_known_s`.
/// nullptr if there is none.
[[nodiscard]] const Quantity* find_quantity(const std::string& name);
/// The names of all quantities in results.json.
[[nodiscard]] std::vector<std::string> quantity_names();

/// The samples of a quantity: their mean is the number, and their deviation that of the number. A
/// ratio of means b / a, such as the speedup over the baseline, has the samples R + (b_i - R a_i) /
/// mean(a) with R = mean(b) / mean(a), and the product of two means (`edp_js`) those that belong to
/// it: to first order, the variance of their mean is that of the ratio or the product. nullopt if
/// the quantity is not known of every repetition.
[[nodiscard]] std::optional<Samples> samples_of(const StoredResults& results,
                                                const StoredResult& result,
                                                const Quantity& quantity);

/// The samples of mean(above) / mean(below), of the repetitions that both have; nullopt if there
/// are none, or if mean(below) is 0.
[[nodiscard]] std::optional<Samples> ratio_samples(const Samples& above, const Samples& below);

/// A number and its confidence interval.
struct Estimate {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
  bool has_interval = false;  ///< otherwise low and high are the value
};

/// The mean of (n) values and its interval by Student's t. One value has an interval, itself, only
/// if it `is_exact`.
[[nodiscard]] Estimate mean_of(const std::vector<double>& values, double confidence, bool is_exact);

/// Whether all repetitions of `result` are the same, because it was simulated without noise.
[[nodiscard]] bool is_exact(const StoredResults& results, const StoredResult& result);

/// The number called `name`: a quantity, or any other number of the result by its path in
/// results.json ("share_by_unit.cuda0"), which has no interval. nullopt if it is not known or there
/// is none.
[[nodiscard]] std::optional<Estimate> number_of(const StoredResults& results,
                                                const StoredResult& result, const std::string& name,
                                                double confidence);

}  // namespace equipoise
