// The linear program behind bounds with shared links.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace equipoise {

/// n columns and some rows, no entry negative, columns after each other.
struct PackingProblem {
  std::vector<double> gains;       ///< (n)
  std::vector<int> column_starts;  ///< (n + 1) positions in `rows` and `weights`
  std::vector<int> rows;           ///< row of each entry
  std::vector<double> weights;     ///< value of each entry
  std::size_t row_count = 0;
};

/// How much fits.
struct Packing {
  double gain = 0.0;
  std::vector<double> fractions;   ///< (n)
  std::vector<double> row_prices;  ///< (rows) how much gain more room in that row would bring
};

/// Solves
///
///     maximise sum_p gain_p z_p   subject to   sum_p weight_lp z_p <= 1   for each row l,
///                                              0 <= z_p <= 1              for each column p
///
/// by the simplex method (Clp). It always has a solution, as z = 0 is one.
class PackingSolver {
 public:
  PackingSolver();
  ~PackingSolver();
  PackingSolver(const PackingSolver&) = delete;
  PackingSolver& operator=(const PackingSolver&) = delete;

  [[nodiscard]] Packing solve(const PackingProblem& problem);

 private:
  class Model;
  std::unique_ptr<Model> model_;
};

}  // namespace equipoise
