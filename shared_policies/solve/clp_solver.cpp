// Packing programs as problems of Clp: the content of the Clp module, and the only file that
// includes Clp.
#include <Clp_C_Interface.h>

#include <cmath>
#include <vector>

#include "shared_policies/solve/packing_program.hpp"

namespace equipoise {
namespace {

constexpr double tolerance = 1e-10;

class ClpSolver final : public PackingSolver {
 public:
  ClpSolver() : clp_(Clp_newModel()) {
    Clp_setLogLevel(clp_, 0);
    Clp_setPrimalTolerance(clp_, tolerance);
    Clp_setDualTolerance(clp_, tolerance);
  }
  ~ClpSolver() override { Clp_deleteModel(clp_); }

  std::optional<Packing> solve(const PackingProblem& problem) override {
    const auto columns = static_cast<int>(problem.gains.size());
    const auto row_count = static_cast<int>(problem.row_count);
    const std::vector<double> ones(static_cast<std::size_t>(columns + row_count), 1.0);
    Clp_loadProblem(clp_, columns, row_count, problem.column_starts.data(), problem.rows.data(),
                    problem.weights.data(), nullptr, ones.data(), problem.gains.data(), nullptr,
                    ones.data());
    Clp_setOptimizationDirection(clp_, -1.0);
    Clp_primal(clp_, 0);
    if (Clp_status(clp_) != 0) return std::nullopt;
    Packing packing;
    packing.gain = Clp_objectiveValue(clp_);
    const double* fractions = Clp_primalColumnSolution(clp_);
    packing.fractions.assign(fractions, fractions + columns);
    const double* prices = Clp_dualRowSolution(clp_);
    for (int l = 0; l < row_count; ++l) packing.row_prices.push_back(std::abs(prices[l]));
    return packing;
  }

 private:
  Clp_Simplex* clp_;
};

std::unique_ptr<PackingSolver> make_solver() { return std::make_unique<ClpSolver>(); }

}  // namespace

extern "C" {
extern const ClpModule equipoise_clp;
const ClpModule equipoise_clp{&make_solver};
}

}  // namespace equipoise
