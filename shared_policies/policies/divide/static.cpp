// static: one division before the run, by a profile of earlier runs, without later correction (de
// Camargo, WAMCA 2012, as DLB-GPU and PLB-HeC describe it).
//
//     read the times of an earlier run                      read
//     divide so that all units take the same time           divide
//     one block for each unit                               count_blocks
//
// With costs=known, which is ours, what is divided is the work of the items (PlannedPolicy).
#include <algorithm>
#include <cmath>
#include <vector>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/divide/planned_division.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

/// The cost model that is read from the profile.
enum class ProfileModel {
  fpm,     ///< the profile itself: the functional performance model
  affine,  ///< a straight line fitted to the profile
  speed    ///< one speed, that at an even share
};

constexpr int profile_points = 16;  // at which a profile is read to fit a line

/// Divides so that all units take the same time, including copies, as in de Camargo (2012). A share
/// is one block, `blocks` equal blocks, or as many as the unit's memory requires.
class Static final : public PlannedPolicy {
 public:
  Static(const Parameters& read, const KnownCosts& known)
      : PlannedPolicy(known, "profile", takes_costs(read) ? KnownWork(known) : KnownWork()),
        model_(read.choice<ProfileModel>("model", {"fpm", "affine", "speed"})),
        blocks_(read.items("blocks", 1)) {}

 private:
  Costs read(const KnownCosts::Phase& profile) override {
    if (model_ == ProfileModel::fpm) return PlannedPolicy::read(profile);
    const double even = all_items() / static_cast<double>(view().units().size());
    read_.clear();
    for (const auto& known : profile) {
      read_.push_back(model_ == ProfileModel::affine
                          ? line_through(*known, even)
                          : AffineCurve(0.0, known->at(even).seconds / even));
    }
    return pointers_to(read_);
  }

  /// Least squares over sizes from a hundredth of an even share to an even share.
  static AffineCurve line_through(const CostModel& cost, double even_items) {
    std::vector<CostSample> samples;
    for (int k = 0; k < profile_points; ++k) {
      const double x = even_items * std::pow(10.0, -2.0 + 2.0 * k / (profile_points - 1));
      add_sample(samples, x, cost.at(x).seconds);
    }
    const TransferLine line = fit_transfer_line(samples);
    return {line.latency_s, line.seconds_per_item};
  }

  [[nodiscard]] std::vector<Items> divide(const Costs& costs) const override {
    return divide_among(view(), present_units(view()), view().workload().items, costs,
                        BlockRule::as_large_as_fits);
  }

  [[nodiscard]] Items count_blocks(const UnitState& unit, const CostModel& cost,
                                   Items share) const override {
    const Items grain = view().workload().grain_items;
    return std::max(PlannedPolicy::count_blocks(unit, cost, share),
                    std::min(blocks_, (share + grain - 1) / grain));
  }

  ProfileModel model_;
  Items blocks_;
  std::vector<AffineCurve> read_;
};

}  // namespace

PolicyInfo static_info() {
  return {.name = "static",
          .line = "divides once, before the run, by recorded block times; never corrects",
          .source = "de Camargo, WAMCA 2012 (10.1109/WAMCA.2012.13)",
          .parameters = {profile_parameter(),
                         {"model", "fpm", "",
                          "the profile as it is (fpm: functional performance model), a line fitted "
                          "to it (affine), or one speed",
                          "PLB-HeC II: profiles of previous executions, the same time for all "
                          "(DLB-GPU IV's own static: a speed)"},
                         {"blocks", "1", "blocks", "equal blocks that a share is handed out in",
                          "DLB-GPU IV: static block sizes at the beginning of the execution"},
                         costs_parameter()},
          .foresight = Foresight::informed,
          .make = make_a<Static>};
}

}  // namespace equipoise
