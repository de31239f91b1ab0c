// Files that say how the items of a workload differ: `equipoise.costs/1`, or CSV of one column.
#pragma once

#include <string>

#include "shared_policies/machine/item_costs.hpp"
#include "shared_policies/model/measures.hpp"

namespace equipoise {

/// Throws InputError at `where` unless `record` is in order and whole: ranges from item 0 to all
/// items, one after another, of which one costs something.
void check_costs(const CostsRecord& record, const std::string& where);

/// Reads the relative costs of `items` items: a JSON file that begins with `{`, or a CSV file with
/// the cost of an item in each line, which may have a heading. The costs are scaled to mean 1.
/// Throws InputError, also if the file is of another number of items.
[[nodiscard]] ItemCosts read_costs(const std::string& path, Items items);

}  // namespace equipoise
