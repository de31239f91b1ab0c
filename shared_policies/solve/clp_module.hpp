// The interface of the Clp module: a shared library that is opened when the first packing program
// is solved. Clp brings LAPACK, which on Debian is OpenBLAS, which starts threads wherever it is
// loaded.
#pragma once

#include <memory>
#include <optional>

#include "shared_policies/solve/packing_program.hpp"

namespace equipoise {

/// A model of Clp's, used for one problem after the other.
class PackingModel {
 public:
  PackingModel() = default;
  PackingModel(const PackingModel&) = delete;
  PackingModel& operator=(const PackingModel&) = delete;
  virtual ~PackingModel() = default;

  /// The optimum; none if Clp finds none.
  virtual std::optional<Packing> solve(const PackingProblem& problem) = 0;
};

/// The table that the module exports under the name `equipoise_clp`. Only `PackingSolver`, which
/// opens the module, calls its function.
struct ClpModule {
  std::unique_ptr<PackingModel> (*make_model)();
};

}  // namespace equipoise
