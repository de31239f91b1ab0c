// Cost models: the estimated time of a block as a function of its size.
#pragma once

namespace equipoise {

/// The time and its derivative at one block size.
struct CostAt {
  double seconds = 0.0;
  double seconds_per_item = 0.0;
};

/// The estimated time of one block of x > 0 items on one unit, including transfers. By convention
/// the cost of 0 items is 0, whatever the limit for x -> 0 is.
class CostModel {
 public:
  CostModel() = default;
  virtual ~CostModel() = default;

  /// Time and slope at `items` > 0, both finite; the time is positive. At a kink of a piecewise
  /// curve, the slope is that to the right.
  [[nodiscard]] virtual CostAt at(double items) const = 0;
  /// The part of `at(items).seconds` in which the unit computes and so draws its busy watts. All of
  /// it if copies are not modelled separately.
  [[nodiscard]] virtual double computing_s(double items) const { return at(items).seconds; }
  /// Whether the time is known never to fall as the block grows. Solvers can then use a faster
  /// method.
  [[nodiscard]] virtual bool non_decreasing() const = 0;

 protected:
  CostModel(const CostModel&) = default;
  CostModel& operator=(const CostModel&) = default;
};

}  // namespace equipoise
