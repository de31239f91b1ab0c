// ss, fsc, mfsc, gss, tss, fac, fac2, wf, awf-b, awf-c, awf-d, awf-e, af: dynamic loop
// self-scheduling. R of the N items remain; an idle one of P units asks, and gets a block of
//
//     ss       a grain (Tang and Yew 1986)                                PureSelfScheduling
//     fsc      (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3)                 KnownScatterFixedSize
//              (Kruskal and Weiss 1985)
//     mfsc     0.55 + m ln 2 / ln m, m = ceil(N / P) (DLS4LB, LB4OMP)     FixedSize
//     gss      R / P (Polychronopoulos and Kuck 1987)                     Guided
//     tss      f, f - delta, f - 2 delta, ..., 1, f = N / (2 P)           Trapezoid
//              (Tzen and Ni 1993)
//     fac2     R / (2 P) for each of a batch of P blocks                  Factoring
//     fac      R / (x P), x by the variation of item times                KnownVariationFactoring
//              (both: Hummel, Schonberg, Flynn 1992)
//     wf       w_p R / (2 P), with known weights                          WeightedFactoring
//              (Hummel, Schmidt, Uma, Wein 1996)
//     awf-b    w_p R / (2 P), weights by computing times of this run      AdaptiveWeightedFactoring
//     awf-c    the same, with the R of now, not that of a batch           AdaptiveWeightedFactoring
//     awf-d/e  awf-b and awf-c, with times from request to end            AdaptiveWeightedFactoring
//              (Carino and Banicescu 2008)
//     af       by mean and variance of each unit's item times             AdaptiveFactoring
//              (Banicescu and Liu 2000)
//
// loop_sizes.hpp has the formulas and their sources, item_times.hpp what is learned of the units,
// speed_shares.hpp the weights.
// Of the same family: taper and bold (scatter_rules.cpp), hguided (hguided.cpp).
//
// Where we depart:
//  - The number of units is that of the present units. A batch of factoring ends when its items are
//    handed out, because heterogeneous units do not take turns. Lost work begins a new batch; for
//    tss, it begins a new trapezoid over the remaining items when the first trapezoid has ended.
//  - The smallest block is a grain unless `min_block_items` says otherwise: accelerators are slow
//    on small blocks, so the family performs badly with a single item, and a few thousand items are
//    a fairer setting.
//  - Where a unit's own times are used, its first block is the common first block of all policies,
//    not one item, which says nothing about an accelerator (`initial_block_items=1` gives the
//    libraries' own first block). Weights are updated at each request, as in DLS4LB. With
//    `update=iteration` awf-b is the AWF of Banicescu, Velusamy and Devaprasad (2003), whose
//    weights change between the iterations of an application. What was learned of a kernel is kept
//    over iterations and phases.
//  - af estimates the deviation of item times from pieces of a unit's first block (`FirstPieces`),
//    and continues with whole blocks.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/policies/block_sizes.hpp"
#include "shared_policies/policies/known_work.hpp"
#include "shared_policies/policies/loop/first_pieces.hpp"
#include "shared_policies/policies/loop/item_times.hpp"
#include "shared_policies/policies/loop/loop_parameters.hpp"
#include "shared_policies/policies/loop/loop_sizes.hpp"
#include "shared_policies/policies/loop/self_scheduling.hpp"
#include "shared_policies/policies/loop/speed_shares.hpp"
#include "shared_policies/policies/policies.hpp"

namespace equipoise {
namespace {

// -- Rules that measure nothing ----------------------------------------------------------------

class PureSelfScheduling final : public SelfScheduling {
 public:
  explicit PureSelfScheduling(const Parameters& read) : SelfScheduling(min_block(read)) {}

 private:
  WantedBlock wanted(UnitId /*unit*/) override { return {1.0}; }
};

/// With `min_block_items` = k this is the GSS(k) of Polychronopoulos and Kuck.
class Guided final : public SelfScheduling {
 public:
  explicit Guided(const Parameters& read) : SelfScheduling(min_block(read)) {}

 private:
  WantedBlock wanted(UnitId /*unit*/) override { return {remaining() / present()}; }
};

/// mFSC: one size for the whole iteration, chosen when its first block is requested.
class FixedSize : public SelfScheduling {
 public:
  explicit FixedSize(const Parameters& read) : SelfScheduling(min_block(read)) {}

 private:
  void on_iteration() final { size_.reset(); }
  WantedBlock wanted(UnitId /*unit*/) final {
    if (!size_) size_ = choose();
    return {*size_};
  }
  [[nodiscard]] virtual double choose() const {
    return as_many_as_factoring_items(all_items(), present());
  }

  std::optional<double> size_;
};

/// FSC. A profile of mean times does not have the inputs of the formula, so `auto` uses the nearest
/// values that it has. For the overhead: the fixed part of a block's time, averaged over units. For
/// the deviation: that between units, because the master does not know which unit a block will go
/// to. All items of a block are then slow or fast together.
class KnownScatterFixedSize final : public FixedSize {
 public:
  KnownScatterFixedSize(const Parameters& read, const KnownCosts& known)
      : FixedSize(read),
        known_(known),
        overhead_s_(number_or_auto(read, "overhead_s")),
        sigma_s_(number_or_auto(read, "sigma_s")) {}

 private:
  [[nodiscard]] double choose() const override {
    const double items = all_items();
    const double overhead_s = overhead_s_ ? *overhead_s_ : profile_fixed_s(known_, view());
    if (sigma_s_) return fixed_size_items(items, present(), overhead_s, *sigma_s_);
    const ItemTime item = item_time_between_units(profile_item_times(known_, view()));
    return fixed_size_alike_items(items, present(), overhead_s, item.mean_s,
                                  std::sqrt(item.variance_s2) / item.mean_s);
  }

  const KnownCosts& known_;
  std::optional<double> overhead_s_;
  std::optional<double> sigma_s_;
};

class Trapezoid final : public SelfScheduling {
 public:
  explicit Trapezoid(const Parameters& read)
      : SelfScheduling(min_block(read)),
        floor_delta_(read.choice("delta", {"floor", "real"}) == 0) {}

 private:
  void on_iteration() override { sizes_ = TrapezoidSizes(); }
  WantedBlock wanted(UnitId /*unit*/) override {
    if (sizes_.is_over()) {
      sizes_ = TrapezoidSizes(remaining(), present(), min_items(), floor_delta_);
    }
    return {sizes_.next()};
  }

  bool floor_delta_;
  TrapezoidSizes sizes_;
};

// -- Factoring ---------------------------------------------------------------------------------

/// FAC2: batches, each half of what remains. A batch is handed out in blocks of one base size, or
/// of weighted multiples of it. It ends when its items are handed out, no matter to which units,
/// because units of different speed do not take turns; with equal units this is after P blocks.
/// Lost work ends it: otherwise the small sizes meant for the end of a loop would cut that work
/// into very small blocks.
class Factoring : public SelfScheduling {
 public:
  explicit Factoring(const Parameters& read) : SelfScheduling(min_block(read)) {}

 protected:
  void on_iteration() override {
    is_first_batch_ = true;
    end_remaining_.reset();
  }

  WantedBlock wanted(UnitId unit) override {
    const double left = remaining_work();
    if (!end_remaining_ || left <= *end_remaining_) {
      const double base = left / (divisor(is_first_batch_) * present());
      base_items_ = whole_grains_up(std::max(base, min_items()));
      end_remaining_ = left - present() * base_items_;
      is_first_batch_ = false;
    }
    return {next_items(weight(unit) * base_items_)};
  }

  /// x: a batch takes 1 / x of what remains.
  [[nodiscard]] virtual double divisor(bool /*is_first_batch*/) const { return 2.0; }
  /// The factor on the base size for a unit; the factors of all units add up to P.
  [[nodiscard]] virtual double weight(UnitId /*unit*/) const { return 1.0; }
  /// What remains, in items of mean work, and how many of the next items are so much work.
  [[nodiscard]] virtual double remaining_work() const { return remaining(); }
  [[nodiscard]] virtual double next_items(double work) const { return work; }

 private:
  void on_block_lost(const BlockLost& /*lost*/) final { end_remaining_.reset(); }

  double base_items_ = 0.0;              ///< of mean work, as is the next
  std::optional<double> end_remaining_;  ///< items that remain when the batch ends; none: no batch
  bool is_first_batch_ = true;
};

/// FAC. A profile of mean times does not have the coefficient of variation of item times, so `auto`
/// uses the variation between units, as for fsc.
class KnownVariationFactoring final : public Factoring {
 public:
  KnownVariationFactoring(const Parameters& read, const KnownCosts& known)
      : Factoring(read), known_(known), given_(number_or_auto(read, "coefficient_of_variation")) {}

 private:
  [[nodiscard]] double divisor(bool is_first_batch) const override {
    return factoring_divisor(remaining(), present(), given_ ? *given_ : between_units(),
                             is_first_batch);
  }

  [[nodiscard]] double between_units() const {
    const ItemTime item = item_time_between_units(profile_item_times(known_, view()));
    return std::sqrt(item.variance_s2) / item.mean_s;
  }

  const KnownCosts& known_;
  std::optional<double> given_;
};

/// WF: given weights, or the speeds in the profile at an even share of the items. With costs=known,
/// which is ours, batches are halves of the remaining work, and blocks have so much work.
class WeightedFactoring final : public Factoring {
 public:
  WeightedFactoring(const Parameters& read, const KnownCosts& known)
      : Factoring(read),
        known_(known),
        work_(takes_costs(read) ? KnownWork(known) : KnownWork()),
        given_item_s_(item_times_or_auto(read, "weights", &known)) {}

 private:
  void on_event(const Event& event) override { shares_.include(view(), event); }
  void on_phase() override {
    shares_.begin(view(), given_item_s_ ? *given_item_s_ : profile_item_times(known_, view()));
  }
  [[nodiscard]] double weight(UnitId unit) const override {
    return present() * shares_.of(unit, UnknownUnit::as_fastest);
  }
  [[nodiscard]] double remaining_work() const override { return work_.remaining(view()); }
  [[nodiscard]] double next_items(double work) const override {
    return work_.next_items(view(), work);
  }

  const KnownCosts& known_;
  KnownWork work_;
  std::optional<ItemSeconds> given_item_s_;  ///< (n); none: from the profile
  SpeedShares shares_;                       ///< for this phase
};

// -- Rules that measure ------------------------------------------------------------------------

/// AWF-B to AWF-E, by their letters.
template <char letter>
class AdaptiveWeightedFactoring final : public Factoring {
 public:
  explicit AdaptiveWeightedFactoring(const Parameters& read)
      : Factoring(read),
        initial_block_items_(read.items_or_auto("initial_block_items", 1)),
        unknown_(unknown_unit(read)),
        update_each_iteration_(letter == 'b' &&
                               read.choice("update", {"request", "iteration"}) == 1),
        times_(letter > 'c' ? TimedPart::request
                            : read.choice<TimedPart>("time", {"compute", "block"})) {}

 private:
  static constexpr bool is_batched = letter == 'b' || letter == 'd';

  void on_event(const Event& event) override {
    times_.include(view(), event);
    shares_.include(view(), event);
  }
  void on_phase() override { shares_.begin(view(), times_.recency_weighted_s()); }
  void on_iteration() override {
    Factoring::on_iteration();
    if (update_each_iteration_) shares_.begin(view(), times_.recency_weighted_s());
  }
  void on_finished(const BlockFinished& finished) override {
    if (update_each_iteration_) return;
    const UnitId unit = finished.unit;
    shares_.set(view().unit(unit), times_.recency_weighted_s()[unit.index]);
  }

  WantedBlock wanted(UnitId unit) override {
    if (!update_each_iteration_ && times_.blocks(unit) == 0) {
      return {static_cast<double>(initial_block(view(), initial_block_items_)), BlockTag::train};
    }
    if (is_batched) return Factoring::wanted(unit);
    return {weight(unit) * whole_grains_up(remaining() / (2.0 * present()))};
  }

  [[nodiscard]] double weight(UnitId unit) const override {
    return present() * shares_.of(unit, unknown_);
  }

  std::optional<Items> initial_block_items_;
  UnknownUnit unknown_;
  bool update_each_iteration_;
  ItemTimes times_;
  SpeedShares shares_;  // as of now or of the iteration's start
};

/// AF.
class AdaptiveFactoring final : public SelfScheduling {
 public:
  explicit AdaptiveFactoring(const Parameters& read)
      : SelfScheduling(min_block(read)),
        pieces_(read),
        unknown_(unknown_unit(read)),
        times_(timed_part(read)) {}

 private:
  void on_event(const Event& event) override { times_.include(view(), event); }

  WantedBlock wanted(UnitId unit) override {
    if (const auto piece = pieces_.next(view(), times_, unit)) return {*piece, BlockTag::train};
    const std::size_t p = gather(unit);
    return {adaptive_factoring_items(remaining(), estimates_, p)};
  }

  /// Fills the estimates of the present units and returns the position of `unit` in them. A unit
  /// without measurements is assumed to be like the fastest or the slowest measured unit.
  std::size_t gather(UnitId unit) {
    estimates_.clear();
    std::size_t position = 0;
    std::optional<ItemTime> extreme;
    std::size_t unknown = 0;
    for (const UnitState& state : view().units()) {
      if (!state.present) continue;
      const std::optional<double>& mean_s = times_.mean_s()[state.id.index];
      if (!mean_s) {
        ++unknown;
        continue;
      }
      if (state.id == unit) position = estimates_.size();
      estimates_.push_back({*mean_s, times_.variance_s2(state.id)});
      if (!extreme || (unknown_ == UnknownUnit::as_fastest ? *mean_s < extreme->mean_s
                                                           : *mean_s > extreme->mean_s)) {
        extreme = estimates_.back();
      }
    }
    estimates_.insert(estimates_.end(), unknown, extreme.value_or(ItemTime{}));
    return position;
  }

  FirstPieces pieces_;
  UnknownUnit unknown_;
  ItemTimes times_;
  std::vector<ItemTime> estimates_;  // of the present units
};

// -- Catalog -----------------------------------------------------------------------------------

/// `time` of awf-b and awf-c; awf-d and awf-e are what they are with times from the request.
ParameterInfo copies_parameter() {
  return {"time", "compute", "", "what counts as a block's time: compute or block (copies too)",
          "the variants of Carino and Banicescu (2008): B and C time the computation alone, D and "
          "E everything from the request on"};
}

}  // namespace

std::vector<PolicyInfo> loop_rules_info() {
  return {
      {.name = "ss",
       .line = "one grain (the smallest block) at a time",
       .source = "Tang and Yew (1986)",
       .parameters = {min_block_parameter()},
       .make = make_a<PureSelfScheduling>},
      {.name = "fsc",
       .line = "blocks of one size, which weighs overhead against scatter of times",
       .source = "Kruskal and Weiss (1985)",
       .parameters =
           {profile_parameter(),
            {"overhead_s", "auto", "s",
             "h, of one request; auto: the fixed part of block times, mean of the profile's units",
             "Kruskal and Weiss (1985): h is given; not said from where; chosen because the fixed "
             "part is what one more block costs"},
            {"sigma_s", "auto", "s",
             "standard deviation of independent item times; auto: all items of a block deviate "
             "together, as much as the profile's units do",
             "Kruskal and Weiss (1985): sigma is given, items are independent; auto is ours, "
             "chosen because a profile has means alone, and units differ more than items"},
            min_block_parameter()},
       .foresight = Foresight::informed,
       .make = make_a<KnownScatterFixedSize>},
      {.name = "mfsc",
       .line = "blocks of one size, about as many as fac2 has",
       .source = "DLS4LB; LB4OMP",
       .parameters = {min_block_parameter()},
       .make = make_a<FixedSize>},
      {.name = "gss",
       .line = "an even share of the remaining items",
       .source = "Polychronopoulos and Kuck (1987)",
       .parameters = {min_block_parameter()},
       .make = make_a<Guided>},
      {.name = "tss",
       .line = "blocks that shrink by a constant",
       .source = "Tzen and Ni (1993)",
       .parameters = {{"delta", "floor", "",
                       "step between sizes: floor, rounded down, or real, which ends with "
                       "smaller blocks (1000 items, 4 units: 14 instead of 28)",
                       "Tzen and Ni (1993): rounded down (DLS4LB: not rounded)"},
                      min_block_parameter()},
       .make = make_a<Trapezoid>}};
}

std::vector<PolicyInfo> factoring_info() {
  return {
      {.name = "fac",
       .line = "batches of equal blocks; the more times scatter, the smaller",
       .source = "Hummel, Schonberg, Flynn (1992)",
       .parameters =
           {profile_parameter(),
            {"coefficient_of_variation", "auto", "",
             "standard deviation of item times over their mean; auto: between the profile's units",
             "Hummel, Schonberg, Flynn (1992): sigma and mu are known; not said from where; auto "
             "is chosen because a profile has means alone, and which unit gets an item is not "
             "known before"},
            min_block_parameter()},
       .foresight = Foresight::informed,
       .make = make_a<KnownVariationFactoring>},
      {.name = "fac2",
       .line = "batches of equal blocks, each half of what remains",
       .source = "Hummel, Schonberg, Flynn (1992)",
       .parameters = {min_block_parameter()},
       .make = make_a<Factoring>},
      {.name = "wf",
       .line = "fac2 with fixed weights from speeds known before the run",
       .source = "Hummel, Schmidt, Uma, Wein (1996)",
       .parameters =
           {profile_parameter(),
            {"weights", "auto", "",
             "relative speeds of the units in their order, 4/1/1; auto: the profile's at an even "
             "share",
             "Hummel, Schmidt, Uma, Wein (1996): weights are known before and stay; not said from "
             "where; chosen because an even share is the size of an average unit's whole work"},
            min_block_parameter(),
            costs_parameter()},
       .foresight = Foresight::informed,
       .make = make_a<WeightedFactoring>}};
}

std::vector<PolicyInfo> adaptive_rules_info() {
  return {
      {.name = "awf-b",
       .line = "fac2 with weights learned from finished blocks",
       .source = "Carino and Banicescu (2008); AWF: Banicescu, Velusamy, Devaprasad (2003)",
       .parameters =
           {initial_block_parameter(),
            copies_parameter(),
            {"update", "request", "",
             "when weights follow what was learned: at each request, or at each iteration (AWF)",
             "Carino and Banicescu (2008), as DLS4LB does it: at each request; AWF (2003): "
             "between the time steps of an application"},
            unknown_parameter(),
            min_block_parameter()},
       .make = make_a<AdaptiveWeightedFactoring<'b'>>},
      {.name = "awf-c",
       .line = "awf-b without batches: blocks by what remains at each request",
       .source = "Carino and Banicescu (2008)",
       .parameters = {initial_block_parameter(), copies_parameter(), unknown_parameter(),
                      min_block_parameter()},
       .make = make_a<AdaptiveWeightedFactoring<'c'>>},
      {.name = "awf-d",
       .line = "awf-b with block times that include copies and waiting",
       .source = "Carino and Banicescu (2008)",
       .parameters = {initial_block_parameter(), unknown_parameter(), min_block_parameter()},
       .make = make_a<AdaptiveWeightedFactoring<'d'>>},
      {.name = "awf-e",
       .line = "awf-c with block times that include copies and waiting",
       .source = "Carino and Banicescu (2008)",
       .parameters = {initial_block_parameter(), unknown_parameter(), min_block_parameter()},
       .make = make_a<AdaptiveWeightedFactoring<'e'>>},
      {.name = "af",
       .line = "block sizes from mean and variance of each unit's item times",
       .source = "Banicescu and Liu (2000)",
       .parameters = {initial_block_parameter(), sub_blocks_parameter(), time_parameter("compute"),
                      unknown_parameter(), min_block_parameter()},
       .make = make_a<AdaptiveFactoring>}};
}

}  // namespace equipoise
