// PLB-HAC's algorithm 1 as a class: plb_hac.cpp implements the paper, plb_hac_changes.cpp what the
// paper leaves out.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/plb/expected_ends.hpp"
#include "shared_policies/policies/plb/learned_costs.hpp"
#include "shared_policies/policies/plb/left_out_units.hpp"
#include "shared_policies/policies/plb/shrinking_tail.hpp"
#include "shared_policies/policies/plb/training_rounds.hpp"
#include "shared_policies/run/policy.hpp"

namespace equipoise {

/// A block leaves a gap if its time is less than expected by a given difference, or by a given
/// ratio.
enum class GapRule { difference, ratio };
/// What fills a gap: a block that fits, or a whole one.
enum class GapFill { fitting, whole };
/// A virtual step begins when its first unit enters it, or when all units have ended the step
/// before.
enum class UpdateOn { first_unit, all_units };
/// Which unit spends the time of solving.
enum class SolveOn { first_cpu, entering_unit };

struct PlbHacOptions {
  std::optional<Items> initial_block_items;
  double step_fraction = 0.05;
  UpdateOn update_on = UpdateOn::first_unit;
  SolveOn solve_on = SolveOn::first_cpu;
  double min_solve_interval_s = 0.0;
  double gap_threshold_s = 0.4;
  GapRule gap_rule = GapRule::difference;
  double gap_ratio = 0.9;
  GapFill gap_fill = GapFill::fitting;
  TailOptions tail;
  std::optional<Items> min_block_items;
  SampleMemory memory;
  FitMode fit = FitMode::subset;
  BlockChooser::Solver solver = BlockChooser::Solver::direct;
};

class PlbHac final : public Policy {
 public:
  explicit PlbHac(const PlbHacOptions& options)
      : options_(options), chooser_(options.solver), tail_(options.tail) {}

  void decide(const View& view, const Event& event, Decisions& decisions) override;

 private:
  struct SteppingUnit {
    Items step = 0;                  ///< the virtual step it is in
    bool ended_step = false;         ///< its block of this step is back
    bool is_waiting = false;         ///< it requested a block and got none
    std::optional<Seconds> gap_end;  ///< if it ended early: when it was expected to end
  };

  static constexpr Items training_blocks = 2;  ///< x_init, then 2 x_init R

  // The paper.
  void train(const View& view, UnitId unit, Decisions& decisions);
  void end_training(const View& view, Decisions& decisions);
  void determine_model(const View& view);
  void solve_equation_system(const View& view, Decisions& decisions);
  [[nodiscard]] Items min_block(const View& view) const;
  void evaluate(const View& view, DecisionKind what, std::optional<UnitId> entering,
                Decisions& decisions);
  [[nodiscard]] std::optional<UnitId> solving_unit(const View& view,
                                                   std::optional<UnitId> entering) const;
  [[nodiscard]] bool enters_virtual_step_first(const View& view, UnitId unit);
  void plb_hac(const View& view, UnitId unit, Decisions& decisions);
  void distribute_task(UnitId unit, Decisions& decisions);
  void finished_task(const View& view, const BlockFinished& finished, Seconds at);
  [[nodiscard]] bool ended_early(const ExpectedEnds::Outcome& block) const;
  [[nodiscard]] Items gap_block(const View& view, UnitId unit);
  void request_task(const View& view, UnitId unit, Decisions& decisions);

  // What we add.
  void change(const View& view, const Event& event, Decisions& decisions);
  void begin_phase(const View& view);
  void change_units(const View& view, DecisionKind what, Decisions& decisions);
  void train_late_unit(const View& view, UnitId unit, Decisions& decisions);
  void note_exhaustion(const View& view, Decisions& decisions) const;

  PlbHacOptions options_;
  BlockChooser chooser_;
  ShrinkingTail tail_;
  std::map<std::string, LearnedCosts> kernels_;
  LearnedCosts* learned_ = nullptr;  ///< of the current phase's kernel
  TrainingRounds training_;
  ExpectedEnds expected_ends_;
  std::vector<SteppingUnit> units_;
  std::vector<Items> block_items_;  ///< the latest X
  LeftOutUnits left_out_;           ///< of X
  Items first_block_items_ = 1;     ///< x_init
  Items solved_step_ = 0;
  Seconds solved_at_;
  bool is_trained_ = false;
};

}  // namespace equipoise
