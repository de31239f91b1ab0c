// The items of an iteration cut into equal pieces, and what pieces take on each unit in time and
// energy: the problem of the policy `pareto` and of `equipoise optimum --objective pareto`.
#pragma once

#include <span>
#include <vector>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/policies/divide/energy_split.hpp"
#include "shared_policies/run/view.hpp"
#include "shared_policies/solve/pareto_front.hpp"

namespace equipoise {

/// The largest number of pieces that may be asked for.
inline constexpr Items most_pieces = 4096;

/// Equal pieces of a workload; the last one may be smaller.
struct Pieces {
  Items count = 0;
  Items items = 0;  ///< of a piece, in whole grains
  Items last_items = 0;

  /// The items of a share.
  [[nodiscard]] Items of(const UnitPieces& share) const {
    return static_cast<Items>(share.pieces) * items - (share.has_last ? items - last_items : 0);
  }
};

/// Cuts the items of `workload` into at most `wanted` > 0 pieces of whole grains, as small as that
/// allows.
[[nodiscard]] Pieces cut_into_pieces(const Workload& workload, Items wanted);

/// The division of the current workload among the units that are present.
///
/// A share is one block, or as many equal blocks as the unit's memory requires, one after another.
/// Its time is that of its blocks, copies included; its dynamic energy is
/// `dynamic_w` times their computing time, as in the energy of runs (`Metrics`). Units without
/// watts have none.
///
///     T = max_p t_p(x_p),   E = static_w T + sum_p e_p(x_p)
///
/// where `static_w` is the sum of the idle watts of all units, which are drawn whoever works. So
/// less dynamic energy in no more time is less energy, too, and a division that none beats in time
/// and energy, or that has the least E T, is one that none beats in time and dynamic energy.
class PieceDivision {
 public:
  /// `costs` (n) are those of single blocks, for each unit that is present; at least one is.
  /// `wanted`: the number of pieces.
  PieceDivision(const View& view, std::span<const CostModel* const> costs, Items wanted);

  [[nodiscard]] const PieceProblem& problem() const { return problem_; }
  [[nodiscard]] const Pieces& pieces() const { return pieces_; }
  [[nodiscard]] double static_w() const { return static_w_; }

  /// Time and energy of a point of the front.
  [[nodiscard]] SplitResult result_of(const FrontPoint& point) const {
    return {point.seconds, static_w_ * point.seconds + point.dynamic_j};
  }
  /// The items of each unit (n); 0 for units that are absent.
  [[nodiscard]] std::vector<Items> items_of(const FrontPoint& point) const;

 private:
  Pieces pieces_;
  PieceProblem problem_;
  double static_w_ = 0.0;
  std::vector<UnitId> units_;  // those of the problem
  std::size_t all_units_ = 0;
};

}  // namespace equipoise
