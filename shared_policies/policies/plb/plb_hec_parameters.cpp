// The parameters that plb-hec and dlb-gpu share: the places of their defaults in both papers, the
// preset `robust`, and reading.
#include "shared_policies/policies/plb/plb_hec.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {

std::vector<ParameterInfo> plb_hec_loop_parameters(const std::string& sync_order) {
  return {
      initial_block_parameter(),
      {"multipliers", "1/2/4/8", "x initial block",
       "sizes of the training rounds; doubles after the last",
       "PLB-HeC III.B; does not say for rounds after the fourth; DLB-GPU III: doubles"},
      {"ratio_mode", "normalised", "",
       "training speed ratios: of items per second of the latest round (normalised), of round 1 "
       "(first), of raw times of the latest round (literal)",
       "III.B: tf / tk, of equal blocks; does not say for later rounds; chosen because raw times "
       "of "
       "unequal "
       "blocks would make round 3 equal-sized"},
      {"training_share_max", "0.2", "share of the items", "training ends here at the latest",
       "PLB-HeC III.B; DLB-GPU: not said; chosen because training has to end"},
      {"threshold", "0.1", "x block time", "spread of block times that starts a rebalancing",
       "PLB-HeC III.D, V.A: 10 % of a block's time; DLB-GPU III: found empirically"},
      {"noise_allowance", "0", "standard errors",
       "part of the spread attributed to noise: compares means since the last solve, less this "
       "many standard errors; 0: compares the latest times",
       "PLB-HeC III.D, Alg. 2 line 15; DLB-GPU III, Alg. 2: the plain difference"},
      {"step_fraction", "0.05", "share of the items", "items of one step, one block a unit",
       "not said: eq. 3 adds up to all items (step_fraction=1), and yet III.D has units ask for "
       "more "
       "tasks of the same size, Fig. 3 shows several, and V.b speaks of the data of a single step; "
       "chosen because 20 steps repeat blocks and leave time to rebalance, which one step cannot"},
      {"step", "fraction", "",
       "fraction: step_fraction of the items; doubled: twice the last training round",
       "not said; see step_fraction"},
      {"sync_order", sync_order, "",
       "on imbalance: fit what is there, then wait for all (fit_then_sync), or wait, then fit "
       "(drain_then_fit)",
       "PLB-HeC III.D: synchronizes, then fits (Alg. 2 has the reverse); DLB-GPU III, Alg. 2: "
       "fits, "
       "then synchronizes"},
      {"tail_resolve", "false", "", "solve once more when less than a step remains",
       "PLB-HeC III.D, DLB-GPU III: blocks of the same size until all are done"}};
}

Preset plb_hec_robust() {
  return {
      "robust",
      "times that scatter do not rebalance at every step, and smaller steps end closer together",
      {{"noise_allowance", "6"}, {"step_fraction", "0.02"}}};
}

PlbHecOptions read_plb_hec_options(const Parameters& read) {
  PlbHecOptions options;
  options.initial_block_items = read.items_or_auto("initial_block_items", 1);
  options.multipliers = read.positive_list("multipliers");
  options.ratio_mode =
      static_cast<RatioMode>(read.choice("ratio_mode", {"normalised", "first", "literal"}));
  options.training_share_max = read.number("training_share_max", 0.0, 1.0);
  options.balance.threshold = read.number("threshold", 0.0, 1e9);
  options.balance.noise_allowance = read.number("noise_allowance", 0.0, 1e9);
  options.step_fraction = read.number("step_fraction", 0.0, 1.0);
  options.step = static_cast<StepRule>(read.choice("step", {"fraction", "doubled"}));
  options.sync_order =
      static_cast<SyncOrder>(read.choice("sync_order", {"drain_then_fit", "fit_then_sync"}));
  options.tail_resolve = read.flag("tail_resolve");
  return options;
}

}  // namespace equipoise
