// Ranges of items: blocks are cut from the first one; lost ranges are put back in order and merged.
#include "shared_policies/run/pool.hpp"

#include <algorithm>
#include <iterator>

#include "shared_policies/model/failure.hpp"

namespace equipoise {

Pool::Pool(ItemRange range, Items grain) : grain_(grain), remaining_(range.items), ranges_{range} {
  EQ_CHECK(range.items > 0 && grain > 0, "a pool holds items and has a grain");
}

ItemRange Pool::cut(Items want, Items cap) {
  EQ_CHECK(!ranges_.empty() && want > 0, "there is something to cut");
  ItemRange& range = ranges_.back();
  EQ_CHECK(cap >= std::min(grain_, range.items), "a unit that is handed work has room for it");
  const Items grains = std::max<Items>(1, want / grain_ + (want % grain_ * 2 >= grain_ ? 1 : 0));
  Items granted = range.items;
  if (grains <= range.items / grain_) granted = grains * grain_;
  if (granted > cap) granted = cap / grain_ * grain_;
  const Items rest = range.items - granted;
  if (rest < grain_ && granted + rest <= cap) granted = range.items;

  const ItemRange block{range.first, granted};
  range.first += granted;
  range.items -= granted;
  remaining_ -= granted;
  if (range.items == 0) ranges_.pop_back();
  return block;
}

void Pool::take(ItemRange range) {
  const auto in = std::find_if(ranges_.rbegin(), ranges_.rend(), [&](const ItemRange& r) {
    return range.first >= r.first && range.first < r.first + r.items;
  });
  EQ_CHECK(in != ranges_.rend(), "what is taken was there");
  const ItemRange before{in->first, range.first - in->first};
  const ItemRange after{range.first + range.items, in->items - before.items - range.items};
  EQ_CHECK(after.items >= 0, "what is taken was there");
  remaining_ -= range.items;
  auto place = ranges_.erase(std::next(in).base());
  if (before.items > 0) place = ranges_.insert(place, before);
  if (after.items > 0) ranges_.insert(place, after);
}

void Pool::put_back(ItemRange range) {
  remaining_ += range.items;
  auto after = std::lower_bound(ranges_.begin(), ranges_.end(), range,
                                [](const auto& a, const auto& b) { return a.first > b.first; });
  after = ranges_.insert(after, range);  // descending order: the range with smaller items comes
                                         // after it
  if (after + 1 != ranges_.end() && (after + 1)->first + (after + 1)->items == after->first) {
    (after + 1)->items += after->items;
    after = ranges_.erase(after);
  }
  if (after != ranges_.begin() && after->first + after->items == (after - 1)->first) {
    after->items += (after - 1)->items;
    ranges_.erase(after - 1);
  }
}

void Coverage::add(ItemRange range) {
  const auto after =
      std::lower_bound(ranges_.begin(), ranges_.end(), range,
                       [](const auto& a, const auto& b) { return a.first < b.first; });
  const Items end = range.first + range.items;
  const bool joins_before =
      after != ranges_.begin() && (after - 1)->first + (after - 1)->items >= range.first;
  const bool joins_after = after != ranges_.end() && end >= after->first;
  EQ_CHECK(!joins_before || (after - 1)->first + (after - 1)->items == range.first,
           "an item is accepted once");
  EQ_CHECK(!joins_after || end == after->first, "an item is accepted once");
  if (joins_before && joins_after) {
    (after - 1)->items += range.items + after->items;
    ranges_.erase(after);
  } else if (joins_before) {
    (after - 1)->items += range.items;
  } else if (joins_after) {
    after->first = range.first;
    after->items += range.items;
  } else {
    ranges_.insert(after, range);
  }
}

bool Coverage::covers(ItemRange range) const {
  return ranges_.size() == 1 && ranges_.front().first == range.first &&
         ranges_.front().items == range.items;
}

}  // namespace equipoise
