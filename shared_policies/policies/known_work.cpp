// Adds up the work of items, and finds the items that have so much work.
#include "shared_policies/policies/known_work.hpp"

#include <algorithm>
#include <cstddef>

namespace equipoise {

const ItemWork* KnownWork::in(const View& view) const {
  const auto phase = static_cast<std::size_t>(view.phase());
  if (known_ == nullptr || phase >= known_->items.size()) return nullptr;
  return known_->items[phase].get();
}

double KnownWork::of(const View& view, Items first, Items count) const {
  const ItemWork* const work = in(view);
  return work == nullptr ? static_cast<double>(count) : work->sum(first, count);
}

double KnownWork::remaining(const View& view) const {
  if (!differs(view)) return static_cast<double>(view.remaining());
  double sum = 0.0;
  for (const ItemRange& range : view.not_handed_out()) sum += of(view, range.first, range.items);
  return sum;
}

double KnownWork::items_from(const View& view, Items first, Items most, double work) const {
  const ItemWork* const known = in(view);
  if (known == nullptr) return work;
  constexpr double rounding_error = 1e-9;
  const auto fits = [&](Items count) {
    return known->sum(first, count) <= work * (1.0 + rounding_error);
  };
  Items whole = 0;  // the most that fit
  for (Items too_many = most + 1; too_many - whole > 1;) {
    const Items middle = whole + (too_many - whole) / 2;
    (fits(middle) ? whole : too_many) = middle;
  }
  const double rest = std::max(0.0, work - known->sum(first, whole));
  if (whole == most) return static_cast<double>(most) + rest;
  const double next = known->sum(first + whole, 1);
  return static_cast<double>(whole) + (rest < next ? rest / next : 1.0);
}

double KnownWork::next_items(const View& view, double work) const {
  const ItemRange next = *view.not_handed_out().begin();
  return items_from(view, next.first, next.items, work);
}

}  // namespace equipoise
