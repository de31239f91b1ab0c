// What is believed about the time of a block as a function of its size.
#pragma once

namespace equipoise {

/// The time and its derivative at one block size.
struct CostAt {
  double seconds = 0.0;
  double seconds_per_item = 0.0;
};

/// The time that one block of x > 0 items takes on one unit, transfers included. By convention the
/// cost of no items is 0, whatever the limit for x -> 0 is.
class CostModel {
 public:
  CostModel() = default;
  virtual ~CostModel() = default;

  /// Time and slope at `items` > 0. Finite and positive. Piecewise curves give the slope to the
  /// right.
  [[nodiscard]] virtual CostAt at(double items) const = 0;
  /// The part of `at(items).seconds` in which the unit computes, and so draws its busy watts: all
  /// of it where copies are not known apart.
  [[nodiscard]] virtual double computing_s(double items) const { return at(items).seconds; }
  /// Whether the time is known not to fall anywhere as the block grows; solvers take their fast way
  /// then.
  [[nodiscard]] virtual bool non_decreasing() const = 0;

 protected:
  CostModel(const CostModel&) = default;
  CostModel& operator=(const CostModel&) = default;
};

}  // namespace equipoise
