// The work of items as a policy knows it: each its own, if the policy knows costs, else one.
#pragma once

#include "shared_policies/model/item_work.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/run/view.hpp"

namespace equipoise {

/// Work in items of mean work: the number of items, unless these are known to differ. Speeds that
/// are known before the run are of items of mean work.
class KnownWork {
 public:
  /// All items are alike, as far as is known.
  KnownWork() = default;
  /// The costs in `known`, which outlives this.
  explicit KnownWork(const KnownCosts& known) : known_(&known) {}

  /// Whether the items of the current phase are known to differ.
  [[nodiscard]] bool differs(const View& view) const { return in(view) != nullptr; }
  /// The work of the `count` items from `first` on.
  [[nodiscard]] double of(const View& view, Items first, Items count) const;
  [[nodiscard]] double of(const View& view, const Block& block) const {
    return of(view, block.first, block.items);
  }
  /// The work that is not handed out. O(ranges of such items).
  [[nodiscard]] double remaining(const View& view) const;
  /// How many items from `first` on are `work`; the last may be a part of one. Items without work
  /// behind them count, too. Behind the last of `most` items they are taken to have mean work.
  /// O(log(most)).
  [[nodiscard]] double items_from(const View& view, Items first, Items most, double work) const;
  /// The same, of the items that are handed out next. Work is left.
  [[nodiscard]] double next_items(const View& view, double work) const;

 private:
  [[nodiscard]] const ItemWork* in(const View& view) const;

  const KnownCosts* known_ = nullptr;
};

}  // namespace equipoise
