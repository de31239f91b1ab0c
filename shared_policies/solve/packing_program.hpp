// The linear program that computes lower bounds with shared links. It is solved by Clp, in a shared
// library that is opened for the first one: Clp brings LAPACK, which on Debian is OpenBLAS, which
// starts threads wherever it is loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace equipoise {

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

/// Solves, one problem after the other,
///
///     maximise sum_p gain_p z_p   subject to   sum_p weight_lp z_p <= 1   for each row l,
///                                              0 <= z_p <= 1              for each column p
///
/// by the simplex method. It always has a solution, because z = 0 is feasible.
class PackingSolver {
 public:
  PackingSolver() = default;
  PackingSolver(const PackingSolver&) = delete;
  PackingSolver& operator=(const PackingSolver&) = delete;
  virtual ~PackingSolver() = default;

  /// None if Clp finds none.
  [[nodiscard]] virtual std::optional<Packing> solve(const PackingProblem& problem) = 0;
};

/// Throws BackendError if the module cannot be opened.
[[nodiscard]] std::unique_ptr<PackingSolver> make_packing_solver();

/// The table that the module exports under the name `equipoise_clp`.
struct ClpModule {
  std::unique_ptr<PackingSolver> (*make_solver)();
};

}  // namespace equipoise
