// greedy: gives equal pieces to units as they become idle; the papers' baseline, StarPU's `eager`.
//
//     cut the input into equal pieces                      on_phase
//     a unit is idle: it gets the next piece               on_idle
#include <optional>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/event_policy.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

class Greedy final : public EventPolicy {
 public:
  explicit Greedy(const Parameters& read)
      : initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        pieces_(read.items_or_auto("pieces", 1)) {}

 private:
  void on_phase() override {
    piece_ = pieces_ ? (view().workload().items + *pieces_ - 1) / *pieces_
                     : initial_block(view(), initial_block_items_);
  }
  void on_idle(UnitId unit) override { decisions().assign(unit, piece_); }

  std::optional<Items> initial_block_items_;
  std::optional<Items> pieces_;
  Items piece_ = 1;
};

}  // namespace

PolicyInfo greedy_info() {
  return {
      .name = "greedy",
      .line = "equal blocks, each to the next unit that is idle",
      .source = "StarPU's eager; baseline of PLB-HeC (2015) and DLB-GPU",
      .parameters =
          {initial_block_parameter(),
           {"pieces", "auto", "pieces",
            "how many equal pieces all items are cut into; auto: by initial_block_items",
            "PLB-HeC IV: the input divided in pieces; V.A: the same initial block size for all"}},
      .make = make_a<Greedy>};
}

}  // namespace equipoise
