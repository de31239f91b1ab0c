// A constant, and a stopwatch.
#include "tools/worlds/cost_meters.hpp"

#include <chrono>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/spec.hpp"

namespace equipoise {
namespace {

class ConstantCost final : public CostMeter {
 public:
  explicit ConstantCost(Seconds cost) : cost_(cost) {}
  Seconds price(const Thought&) override { return cost_; }

 private:
  Seconds cost_;
};

/// The time that the policy really took; several Thoughts of one decision share it, the first pays.
class MeasuredCost final : public CostMeter {
 public:
  void begin() override { begin_ = Clock::now(); }
  Seconds price(const Thought&) override {
    const Clock::time_point now = Clock::now();
    const Seconds cost{std::chrono::duration<double>(now - begin_).count()};
    begin_ = now;
    return cost;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_;
};

}  // namespace

std::unique_ptr<CostMeter> make_cost_meter(const std::string& spelling, double paper_s) {
  if (spelling == "none") return nullptr;
  if (spelling == "paper") return std::make_unique<ConstantCost>(Seconds{paper_s});
  if (spelling == "measured") return std::make_unique<MeasuredCost>();
  const double seconds = parse_number(spelling, "--decision-cost");
  if (seconds < 0.0 || seconds > most_cost_s) {
    throw InputError("--decision-cost",
                     "a decision costs from 0 to 1e6 seconds; give none, paper, measured or that");
  }
  return std::make_unique<ConstantCost>(Seconds{seconds});
}

}  // namespace equipoise
