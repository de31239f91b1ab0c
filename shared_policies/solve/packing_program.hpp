// The linear program that computes lower bounds with shared links.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace equipoise {

class PackingModel;

/// A problem with n columns, some rows and non-negative entries, which are stored column by column.
struct PackingProblem {
  std::vector<double> gains;       ///< (n)
  std::vector<int> column_starts;  ///< (n + 1) positions in `rows` and `weights`
  std::vector<int> rows;           ///< the row of each entry
  std::vector<double> weights;     ///< the value of each entry
  std::size_t row_count = 0;
};

/// The optimal solution.
struct Packing {
  double gain = 0.0;
  std::vector<double> fractions;   ///< (n)
  std::vector<double> row_prices;  ///< (rows), dual values: gain for each unit of additional room
                                   ///< in a row
};

/// Solves
///
///     maximise sum_p gain_p z_p   subject to   sum_p weight_lp z_p <= 1   for each row l,
///                                              0 <= z_p <= 1              for each column p
///
/// by the simplex method (Clp, in a module that is opened when the first problem is solved). It
/// always has a solution, because z = 0 is feasible.
class PackingSolver {
 public:
  PackingSolver();
  ~PackingSolver();
  PackingSolver(const PackingSolver&) = delete;
  PackingSolver& operator=(const PackingSolver&) = delete;

  /// Throws BackendError if the module cannot be opened.
  [[nodiscard]] Packing solve(const PackingProblem& problem);

 private:
  std::unique_ptr<PackingModel> model_;
};

}  // namespace equipoise
