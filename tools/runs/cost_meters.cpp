// Decision costs: a constant, that of a paper, or the measured time of the policy.
#include "tools/runs/cost_meters.hpp"

#include <cstddef>
#include <ctime>
#include <utility>

#include "real/threads/clock.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/text/nearest_name.hpp"

namespace equipoise {
namespace {

/// The time that the paper gives for models solved in a phase; other calls cost nothing, because
/// papers do not say what they cost.
class PaperCost final : public CostMeter {
 public:
  explicit PaperCost(std::vector<PaperPrice> by_phase) : by_phase_(std::move(by_phase)) {}
  void begin(int phase) override { phase_ = static_cast<std::size_t>(phase); }
  Seconds price(const Decision& /*decision*/) override {
    PaperPrice& price = by_phase_.at(phase_);
    return Seconds{price.is_of_run ? std::exchange(price.seconds, 0.0) : price.seconds};
  }

 private:
  std::vector<PaperPrice> by_phase_;
  std::size_t phase_ = 0;
};

/// The same for every decision of every policy: for each solved model, and for each call that hands
/// out work without one.
class ConstantCost final : public CostMeter {
 public:
  explicit ConstantCost(Seconds cost) : cost_(cost) {}
  void begin(int /*phase*/) override { is_paid_ = false; }
  Seconds price(const Decision& /*decision*/) override {
    is_paid_ = true;
    return cost_;
  }
  Seconds price_answer(bool is_over) override {
    return is_over || std::exchange(is_paid_, true) ? Seconds{} : cost_;
  }

 private:
  Seconds cost_;
  bool is_paid_ = false;
};

/// The processor time that the policy itself took, without that of the run loop and the executor.
/// Other programs on the same cores do not count.
class MeasuredCost final : public CostMeter {
 public:
  void begin(int /*phase*/) override {
    spent_ = {};
    begin_ = processor_time();
  }
  void pause() override { spent_ += processor_time() - begin_; }
  void resume() override { begin_ = processor_time(); }
  Seconds price(const Decision& /*decision*/) override { return std::exchange(spent_, {}); }
  Seconds price_answer(bool /*is_over*/) override { return std::exchange(spent_, {}); }

 private:
  /// Of this thread.
  static Seconds processor_time() { return Seconds{seconds_of(CLOCK_THREAD_CPUTIME_ID)}; }

  Seconds begin_;
  Seconds spent_;
};

Seconds parse_cost(const std::string& spelling, const std::string& where) {
  double seconds = 0.0;
  try {
    seconds = parse_quantity(spelling, "s", where);
  } catch (const InputError&) {
    const bool is_time = !spelling.empty() && spelling.front() >= '0' && spelling.front() <= '9';
    if (is_time) throw;
    throw InputError(where, unknown_name("cost", spelling, {"none", "paper", "measured"}) +
                                ", or a time such as 5e-6 or 5us");
  }
  if (seconds >= 0.0 && seconds <= most_cost_s) return Seconds{seconds};
  throw InputError(where,
                   "a decision costs from 0 to 1e6 seconds; give none, paper, measured or that");
}

}  // namespace

std::unique_ptr<CostMeter> make_cost_meter(const std::string& spelling,
                                           std::vector<PaperPrice> paper,
                                           const std::string& where) {
  if (spelling == "none") return nullptr;
  if (spelling == "paper") return std::make_unique<PaperCost>(std::move(paper));
  if (spelling == "measured") return std::make_unique<MeasuredCost>();
  return std::make_unique<ConstantCost>(parse_cost(spelling, where));
}

}  // namespace equipoise
