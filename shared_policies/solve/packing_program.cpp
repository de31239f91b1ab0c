// Solves packing programs with Clp. The only file that includes Clp.
#include "shared_policies/solve/packing_program.hpp"

#include <Clp_C_Interface.h>

#include <cmath>

#include "shared_policies/model/failure.hpp"

namespace equipoise {
namespace {

constexpr double tolerance = 1e-10;

}  // namespace

class PackingSolver::Model {
 public:
  Model() : clp_(Clp_newModel()) {
    Clp_setLogLevel(clp_, 0);
    Clp_setPrimalTolerance(clp_, tolerance);
    Clp_setDualTolerance(clp_, tolerance);
  }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model() { Clp_deleteModel(clp_); }

  Packing solve(const PackingProblem& problem) {
    const auto columns = static_cast<int>(problem.gains.size());
    const auto row_count = static_cast<int>(problem.row_count);
    const std::vector<double> ones(static_cast<std::size_t>(columns + row_count), 1.0);
    Clp_loadProblem(clp_, columns, row_count, problem.column_starts.data(), problem.rows.data(),
                    problem.weights.data(), nullptr, ones.data(), problem.gains.data(), nullptr,
                    ones.data());
    Clp_setOptimizationDirection(clp_, -1.0);
    Clp_primal(clp_, 0);
    EQ_CHECK(Clp_status(clp_) == 0, "a packing program has an optimum");
    Packing packing;
    packing.gain = Clp_objectiveValue(clp_);
    const double* fractions = Clp_primalColumnSolution(clp_);
    packing.fractions.assign(fractions, fractions + columns);
    const double* prices = Clp_dualRowSolution(clp_);
    for (int l = 0; l < row_count; ++l) {
      packing.row_prices.push_back(std::abs(prices[l]));
    }
    return packing;
  }

 private:
  Clp_Simplex* clp_;
};

PackingSolver::PackingSolver() : model_(std::make_unique<Model>()) {}
PackingSolver::~PackingSolver() = default;

Packing PackingSolver::solve(const PackingProblem& problem) { return model_->solve(problem); }

}  // namespace equipoise
