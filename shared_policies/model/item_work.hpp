// How much work the items of a workload are, for those who are told.
#pragma once

#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// The work of the items of an iteration, in items of mean work, the same in every iteration.
class ItemWork {
 public:
  ItemWork() = default;
  virtual ~ItemWork() = default;

  /// The work of the `count` items from `first` on; all of them exist.
  [[nodiscard]] virtual double sum(Items first, Items count) const = 0;

 protected:
  ItemWork(const ItemWork&) = default;
  ItemWork& operator=(const ItemWork&) = default;
};

}  // namespace equipoise
