// Describes and reads the parameters that several of the loop self-scheduling policies have.
#include "shared_policies/policies/loop/loop_parameters.hpp"

#include <fmt/format.h>

#include "shared_policies/fit/cost_model.hpp"
#include "shared_policies/model/failure.hpp"

namespace equipoise {

ParameterInfo min_block_parameter() {
  return {"min_block_items", "auto", "items",
          "smallest block; auto: one grain (accelerators want more)",
          "the originals count single iterations of a loop: one grain"};
}

std::optional<Items> min_block(const Parameters& read) {
  return read.items_or_auto("min_block_items", 1);
}

ParameterInfo unknown_parameter() {
  return {"unknown", "smallest", "",
          "item time assumed of units without a finished block: the smallest known (DLS4LB's code) "
          "or the largest (its comment)",
          "not said; chosen because DLS4LB's code does so (its comment says the opposite)"};
}

UnknownUnit unknown_unit(const Parameters& read) {
  return read.choice<UnknownUnit>("unknown", {"smallest", "largest"});
}

ParameterInfo sub_blocks_parameter() {
  return {"sub_blocks", "10", "blocks", "pieces of a unit's first block, for a first variance",
          "LB4OMP: ten pieces of the first block; Banicescu and Liu (2000) time single items"};
}

std::optional<double> number_or_auto(const Parameters& read, const std::string& name, double low) {
  if (read.text(name) == "auto") return std::nullopt;
  return read.number(name, low, 1e300);
}

std::vector<double> one_for_each_unit(const Parameters& read, const std::string& name,
                                      const KnownCosts* known) {
  std::vector<double> numbers = read.positive_list(name);
  if (known != nullptr && known->phases.front().size() != numbers.size()) {
    throw InputError("policy",
                     fmt::format("{}={} has {} numbers for {} units; give one for each", name,
                                 read.text(name), numbers.size(), known->phases.front().size()));
  }
  return numbers;
}

std::optional<ItemSeconds> item_times_or_auto(const Parameters& read, const std::string& name,
                                              const KnownCosts* known) {
  if (read.text(name) == "auto") return std::nullopt;
  ItemSeconds times;
  for (const double speed : one_for_each_unit(read, name, known)) times.emplace_back(1.0 / speed);
  return times;
}

}  // namespace equipoise
