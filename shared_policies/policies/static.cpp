// static: one division before the run, by a profile of earlier runs, and no correction later.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "shared_policies/fit/cost_samples.hpp"
#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/fit/transfer_line.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/block_plan.hpp"
#include "shared_policies/policies/division.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

/// How the profile is read.
enum class ProfileModel {
  fpm,     ///< as it is: the functional performance model
  affine,  ///< as a straight line through it
  speed    ///< as one speed, that of an even share
};

constexpr int profile_points = 16;  // where a line is laid through a profile

/// The whole duration of each unit's work, data included, is made equal, as in de Camargo (2012).
/// A share is one block, `blocks` equal ones, or as many as the unit's memory demands.
class Static final : public Policy {
 public:
  Static(const KnownCosts& known, ProfileModel model, Items blocks)
      : known_(known), model_(model), blocks_(blocks) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override {
    if (std::holds_alternative<PhaseStarted>(event.what)) {
      read_profile(view);
    } else if (std::holds_alternative<IterationStarted>(event.what)) {
      plan_iteration(view, decisions);
    } else if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
      plan_.offer(view, idle->unit, decisions);
    } else if (const auto* lost = std::get_if<UnitLost>(&event.what)) {
      plan_.drop(view, lost->unit, decisions);
    }
  }

 private:
  void read_profile(const View& view) {
    read_.clear();
    costs_.clear();
    const auto items = static_cast<double>(view.workload().items);
    const double even = items / static_cast<double>(view.units().size());
    for (const auto& known : known_.phases[static_cast<std::size_t>(view.phase())]) {
      if (model_ == ProfileModel::fpm) {
        costs_.push_back(known.get());
      } else {
        read_.push_back(std::make_unique<AffineCurve>(
            model_ == ProfileModel::affine ? line_through(*known, even)
                                           : AffineCurve(0.0, known->at(even).seconds / even)));
        costs_.push_back(read_.back().get());
      }
    }
  }

  /// Least squares from a hundredth of an even share to the whole of it.
  static AffineCurve line_through(const CostModel& cost, double even_items) {
    std::vector<CostSample> samples;
    for (int k = 0; k < profile_points; ++k) {
      const double x = even_items * std::pow(10.0, -2.0 + 2.0 * k / (profile_points - 1));
      add_sample(samples, x, cost.at(x).seconds);
    }
    const TransferLine line = fit_transfer_line(samples);
    return {line.latency_s, line.seconds_per_item};
  }

  void plan_iteration(const View& view, Decisions& decisions) {
    const Items grain = view.workload().grain_items;
    const std::vector<Items> shares = divide_all(view, costs_, BlockRule::as_large_as_fits);
    Thought thought{{}, "divide", {}};
    plan_.clear(view);
    for (const UnitState& unit : view.units()) {
      const Items share = shares[unit.id.index];
      if (share > 0) {
        const Items demanded = (share + unit.cap_items - 1) / unit.cap_items;
        const Items blocks = std::max(demanded, std::min(blocks_, (share + grain - 1) / grain));
        plan_.add(unit.id, share, blocks, grain);
        thought.beliefs.push_back({unit.id, "profile", {}, {}, (share + blocks - 1) / blocks});
      }
    }
    decisions.thought(std::move(thought));
  }

  const KnownCosts& known_;
  ProfileModel model_;
  Items blocks_;
  std::vector<std::unique_ptr<CostModel>> read_;
  std::vector<const CostModel*> costs_;  // (n)
  BlockPlan plan_;
};

std::unique_ptr<Policy> make_static(const Parameters& parameters, const KnownCosts* known) {
  EQ_CHECK(known != nullptr, "make_policy has seen to it");
  const auto model =
      static_cast<ProfileModel>(parameters.choice("model", {"fpm", "affine", "speed"}));
  return std::make_unique<Static>(*known, model, parameters.items("blocks", 1));
}

}  // namespace

PolicyInfo static_info() {
  return {"static",
          "one division before the run by a profile, never corrected",
          "de Camargo, WAMCA 2012 (10.1109/WAMCA.2012.13)",
          {profile_parameter(),
           {"model", "fpm", "", "the profile as it is (fpm), a line (affine), a speed (speed)"},
           {"blocks", "1", "blocks", "equal blocks that a share is handed out in"}},
          Foresight::informed,
          0.0,
          make_static};
}

}  // namespace equipoise
