// plb-hec: PLB-HeC (2015). Trains in rounds of growing blocks, fits a cost to every unit, chooses
// blocks that end together, lets every unit repeat its block, and chooses anew when they drift
// apart (train_then_repeat.hpp). Here: its cost model, E_p = F_p + G_p by seven functions and a
// transfer line, when a fit is good, and its solver.
//
// Where the paper is silent, contradicts itself, or its text and its code differ, a parameter
// decides; the catalog says which. What we add: units that are lost or join, several iterations and
// phases (what was learned of a kernel is kept), and work that ends inside training.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/policies/plb/learned_costs.hpp"
#include "shared_policies/policies/plb/train_then_repeat.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

struct PlbHecModelOptions {
  double min_r2 = 0.7;
  FitMode fit = FitMode::subset;
  bool adjusted_r2 = false;
  BlockChooser::Solver solver = BlockChooser::Solver::direct;
};

/// E_p(x) = F_p(x) + G_p(x), fitted anew from all samples (eqs 1 and 2), solved by eqs 3-5.
class PlbHecModel final : public StepModel {
 public:
  PlbHecModel(std::size_t units, const PlbHecModelOptions& options)
      : options_(options), learned_(units), chooser_(options.solver) {}

  void add(const BlockFinished& finished, bool brought_resident_data) override {
    learned_.add(finished, brought_resident_data);
  }

  void fit(const View& view) override {
    FitOptions fit;
    fit.mode = options_.fit;
    fit.scale_items = static_cast<double>(view.workload().items);
    fit.adjusted_r2 = options_.adjusted_r2;
    learned_.fit(fit);
  }

  [[nodiscard]] bool knows(UnitId unit) const override { return learned_.fit_of(unit).has_value(); }
  [[nodiscard]] bool knows_any() const override { return learned_.any_fit(); }
  [[nodiscard]] bool is_good(const View& view) const override {
    return learned_.worst_r2(view) > options_.min_r2;
  }
  [[nodiscard]] double relative_noise() const override { return learned_.relative_noise(); }

  [[nodiscard]] std::vector<Items> choose(const View& view, double items,
                                          Decisions& decisions) override {
    std::vector<Items> blocks = chooser_.choose(view, learned_, items);
    if (chooser_.failed()) {
      decisions.note("ipopt_failed");
    }
    return blocks;
  }

  [[nodiscard]] Decision decision(const std::string& what,
                                  const std::vector<Items>& block_items) const override {
    return decision_of(what, learned_, block_items);
  }

 private:
  PlbHecModelOptions options_;
  LearnedCosts learned_;
  BlockChooser chooser_;
};

std::vector<ParameterInfo> plb_hec_parameters() {
  std::vector<ParameterInfo> list = train_then_repeat_parameters("drain_then_fit");
  list.insert(list.end(),
              {{"min_rounds", "4", "rounds", "training rounds before the first fit"},
               {"min_r2", "0.7", "", "coefficient of determination that every fit must exceed"},
               {"async_train", "false", "", "no barrier between training rounds"},
               {"fit", "subset", "", "choice of functions: subset, single, full_ridge, nnls"},
               {"adjusted_r2", "false", "",
                "coefficients of determination adjusted for degrees of freedom"},
               {"solver", "direct", "", "direct or ipopt"}});
  return list;
}

std::unique_ptr<Policy> make_plb_hec(const Parameters& read, const KnownCosts* /*known*/) {
  TrainThenRepeatOptions options = read_train_then_repeat(read);
  options.min_rounds = read.items("min_rounds", 1);
  options.async_train = read.flag("async_train");
  PlbHecModelOptions model;
  model.min_r2 = read.number("min_r2", -1e9, 1.0);
  model.fit = static_cast<FitMode>(read.choice("fit", {"subset", "single", "full_ridge", "nnls"}));
  model.adjusted_r2 = read.flag("adjusted_r2");
  model.solver = static_cast<BlockChooser::Solver>(read.choice("solver", {"direct", "ipopt"}));
  return make_train_then_repeat(std::move(options), [model](std::size_t units) {
    return std::make_unique<PlbHecModel>(units, model);
  });
}

}  // namespace

PolicyInfo plb_hec_info() {
  return {"plb-hec",
          "learns block times in rounds, then repeats blocks that end together",
          "PLB-HeC (2015), algorithms 1 and 2",
          plb_hec_parameters(),
          Foresight::none,
          0.170,
          make_plb_hec};
}

}  // namespace equipoise
