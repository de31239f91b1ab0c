// greedy: gives equal pieces to units as they become idle; the papers' baseline, StarPU's `eager`.
#include <algorithm>
#include <variant>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

class Greedy final : public Policy {
 public:
  Greedy(std::optional<Items> initial_block_items, std::optional<Items> pieces)
      : initial_block_items_(initial_block_items), pieces_(pieces) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      piece_ = pieces_ ? (view.workload().items + *pieces_ - 1) / *pieces_
                       : initial_block(view, initial_block_items_);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      decisions.assign(idle->unit, piece_);
    }
  }

 private:
  std::optional<Items> initial_block_items_;
  std::optional<Items> pieces_;
  Items piece_ = 1;
};

std::unique_ptr<Policy> make_greedy(const Parameters& parameters, const KnownCosts* /*known*/) {
  return std::make_unique<Greedy>(parameters.items_or_auto("initial_block_items", 1),
                                  parameters.items_or_auto("pieces", 1));
}

}  // namespace

PolicyInfo greedy_info() {
  return {"greedy",
          "equal blocks, each to the next unit that is idle",
          "StarPU's eager; baseline of PLB-HeC (2015) and DLB-GPU",
          {initial_block_parameter(),
           {"pieces", "auto", "pieces",
            "how many equal pieces all items are cut into; auto: by initial_block_items",
            "PLB-HeC IV: the input divided in pieces; V.A: the same initial block size for all"}},
          Foresight::none,
          0.0,
          make_greedy};
}

}  // namespace equipoise
