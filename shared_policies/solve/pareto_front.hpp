// Which divisions of equal pieces among units no other division beats in both time and energy:
// exactly, for any table of times and energies.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace equipoise {

/// What a number of pieces takes on a unit.
struct PieceCost {
  double seconds = 0.0;
  double dynamic_j = 0.0;  ///< >= 0: the energy that is not drawn without them

  auto operator<=>(const PieceCost&) const = default;
};

/// What k pieces take on a unit, at place k of each table. Any shape is allowed; place 0 is not
/// read.
struct UnitTables {
  std::vector<PieceCost> whole;      ///< (pieces + 1) of whole pieces
  std::vector<PieceCost> with_last;  ///< (pieces + 1) if one of them is the last piece

  auto operator<=>(const UnitTables&) const = default;
};

/// Pieces to divide among units.
struct PieceProblem {
  std::vector<UnitTables> units;  ///< (n), at least one
  std::size_t pieces = 0;         ///< > 0
  bool last_is_smaller = false;   ///< whether `with_last` counts; else all pieces are equal
};

/// The pieces of one unit.
struct UnitPieces {
  std::size_t pieces = 0;
  bool has_last = false;  ///< the last piece, which is smaller, is one of them

  bool operator==(const UnitPieces&) const = default;
};

/// A division that no other one beats in both time and energy.
struct FrontPoint {
  double seconds = 0.0;            ///< until the last unit ends
  double dynamic_j = 0.0;          ///< of all units together
  std::vector<UnitPieces> shares;  ///< (n)
};

/// All pairs of time and dynamic energy that no division beats, one division for each: with longer
/// times and less energy. Energies that differ by less than 1e-12 of their value count as equal.
///
///     minimise ( max_p t_p(x_p), sum_p e_p(x_p) ),   sum_p x_p = pieces
///
/// For a limit T on the time, the least energy of k pieces on the units 1 to p is
/// F_p(k) = min_x F_{p-1}(k - x) + e_p(x) over x with t_p(x) <= T. Units with equal tables form a
/// class; F of c of them takes about log2(c) such convolutions. The least energy can change only at
/// times that stand in the tables and falls with T. So T is tried at the least time of all (the
/// first at which the pieces fit), at the greatest, and between times whose energies differ, half
/// way, until no time is left between them. This is exact.
///
/// O(classes (1 + log2(n / classes)) pieces^2) for each T, fewer where T allows short shares only;
/// O((1 + points of the front) log2(times)) of them.
///
/// Source of the problem: Khaleghzadeh et al., IEEE TPDS 2021 (arXiv:1907.04080), whose HEPOPTA
/// solves it. The method is ours.
[[nodiscard]] std::vector<FrontPoint> pareto_front(const PieceProblem& problem);

/// What is to be least; it must not fall as the time (s) or the dynamic energy (J) grows.
using FrontValue = std::function<double(double seconds, double dynamic_j)>;

/// The point of the front with the least `value` among those that take at most `most_times` (>= 1)
/// the least time; of several, the shortest. As `pareto_front`, but parts of the front that cannot
/// hold it are passed over: between times T1 < T2 that were tried, no value is below that of the
/// time after T1 and the energy at T2.
[[nodiscard]] FrontPoint best_of_front(const PieceProblem& problem, const FrontValue& value,
                                       double most_times);

}  // namespace equipoise
