// Divides items by the block sizes that policies are given.
#include "tools/runs/block_count.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "shared_policies/specs/spec.hpp"
#include "tools/console/quantity_text.hpp"

namespace equipoise {
namespace {

/// The value that was typed for the parameter; nothing for `auto` and other texts.
std::optional<double> given(const PolicyChoice& policy, const char* name) {
  const auto found = policy.parameters.find(name);
  return found == policy.parameters.end() ? std::nullopt : as_number(found->second);
}

/// The parameter that sets the size of the policy's blocks; null if none alone does.
const char* size_parameter(const PolicyChoice& policy) {
  if (!policy.loaded_from.empty()) return nullptr;
  const std::string& name = policy.info->name;
  if (name == "ss") return "min_block_items";
  if (name == "greedy") return "initial_block_items";
  return nullptr;
}

}  // namespace

double blocks_beforehand(const PolicyChoice& policy, std::span<const Workload> phases) {
  const char* const parameter = size_parameter(policy);
  if (parameter == nullptr) return 0.0;
  const bool is_one_grain = policy.info->name == "ss";
  const std::optional<double> pieces = given(policy, "pieces");
  const std::optional<double> size = given(policy, parameter);
  double blocks = 0.0;
  for (const Workload& phase : phases) {
    const auto items = static_cast<double>(phase.items);
    const auto grains = std::ceil(items / static_cast<double>(phase.grain_items));
    double in_iteration = is_one_grain ? grains : 0.0;
    if (size) in_iteration = std::min(grains, std::ceil(items / *size));
    if (pieces) in_iteration = std::min(grains, *pieces);
    blocks += in_iteration * phase.iterations;
  }
  return blocks;
}

std::string many_blocks_text(std::span<const PolicyChoice> policies,
                             std::span<const Workload> phases) {
  constexpr double enough_blocks = 1e5;
  const PolicyChoice* most = nullptr;
  double blocks = many_blocks;
  for (const PolicyChoice& policy : policies) {
    const double own = blocks_beforehand(policy, phases);
    if (own <= blocks) continue;
    blocks = own;
    most = &policy;
  }
  if (most == nullptr) return {};
  double items = 0.0;
  for (const Workload& phase : phases) items += static_cast<double>(phase.items) * phase.iterations;
  const std::optional<double> pieces = given(*most, "pieces");
  return fmt::format(
      "{} makes {} in each run, which takes long, and so does reading its run file; for fewer, "
      "write "
      "{}:{}={}",
      most->spelling, quantity_text(blocks, "blocks"), most->info->name,
      pieces ? "pieces" : size_parameter(*most),
      pieces ? std::floor(*pieces * enough_blocks / blocks) : std::ceil(items / enough_blocks));
}

}  // namespace equipoise
