// Reads the parameters of the loop self-scheduling family.
#include "shared_policies/policies/loop/loop_parameters.hpp"

#include <fmt/format.h>

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

ParameterInfo time_parameter(const std::string& default_text) {
  return {"time", default_text, "",
          "what counts as a block's time: compute, block (copies too) or request (from the request "
          "to the end, dispatch too)",
          "by the definition of each policy"};
}

TimedPart timed_part(const Parameters& read) {
  return static_cast<TimedPart>(read.choice("time", {"compute", "block", "request"}));
}

ParameterInfo unknown_parameter() {
  return {"unknown", "smallest", "",
          "item time assumed of units without a finished block: the smallest known (DLS4LB's code) "
          "or the largest (its comment)",
          "not said; chosen because DLS4LB's code does so (its comment says the opposite)"};
}

UnknownUnit unknown_unit(const Parameters& read) {
  return static_cast<UnknownUnit>(read.choice("unknown", {"smallest", "largest"}));
}

std::optional<double> number_or_auto(const Parameters& read, const std::string& name) {
  if (read.text(name) == "auto") return std::nullopt;
  return read.number(name, 0.0, 1e300);
}

std::optional<std::vector<std::optional<double>>> item_times_or_auto(const Parameters& read,
                                                                     const std::string& name,
                                                                     const KnownCosts* known) {
  if (read.text(name) == "auto") return std::nullopt;
  std::vector<std::optional<double>> times;
  for (const double speed : read.positive_list(name)) times.emplace_back(1.0 / speed);
  if (known != nullptr && known->phases.front().size() != times.size()) {
    throw InputError("--policy",
                     fmt::format("{}={} has {} numbers for {} units; give one for each", name,
                                 read.text(name), times.size(), known->phases.front().size()));
  }
  return times;
}

}  // namespace equipoise
