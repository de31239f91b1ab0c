// A binary tree over the units, whose nodes have the sums of those below them.
#include "shared_policies/policies/loop/speed_shares.hpp"

#include <algorithm>
#include <variant>

namespace equipoise {

void SpeedShares::begin(const View& view, const ItemSeconds& item_s) {
  item_s_ = item_s;
  nodes_.resize(2 * item_s.size());
  for (const UnitState& unit : view.units()) set_leaf(unit);
  for (std::size_t node = item_s.size(); node-- > 1;) add_up(node);
}

void SpeedShares::include(const View& view, const Event& event) {
  if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
    set(view.unit(lost->unit), item_s_[lost->unit.index]);
  } else if (const auto* joined = std::get_if<UnitJoined>(&event.what)) {
    set(view.unit(joined->unit), item_s_[joined->unit.index]);
  }
}

void SpeedShares::set(const UnitState& unit, std::optional<double> item_s) {
  item_s_[unit.id.index] = item_s;
  set_leaf(unit);
  for (std::size_t node = (item_s_.size() + unit.id.index) / 2; node > 0; node /= 2) add_up(node);
}

void SpeedShares::set_leaf(const UnitState& unit) {
  Speeds of;
  if (const std::optional<double> item_s = item_s_[unit.id.index]) {
    of.known = unit.present ? 1.0 / *item_s : 0.0;
    of.least_s = of.most_s = *item_s;
  } else {
    of.unknown = unit.present ? 1.0 : 0.0;
  }
  nodes_[item_s_.size() + unit.id.index] = of;
}

void SpeedShares::add_up(std::size_t node) {
  const Speeds& a = nodes_[2 * node];
  const Speeds& b = nodes_[2 * node + 1];
  nodes_[node] = {a.known + b.known, a.unknown + b.unknown, std::min(a.least_s, b.least_s),
                  std::max(a.most_s, b.most_s)};
}

double SpeedShares::of(UnitId unit, UnknownUnit unknown) const {
  const Speeds& all = nodes_[1];
  const bool is_any_known = all.most_s > 0.0;
  const double extreme_s = unknown == UnknownUnit::as_fastest ? all.least_s : all.most_s;
  const double otherwise_s = is_any_known ? extreme_s : 1.0;
  const double speed = all.known + all.unknown / otherwise_s;
  return 1.0 / (item_s_[unit.index].value_or(otherwise_s) * speed);
}

}  // namespace equipoise
