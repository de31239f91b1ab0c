// What a policy costs the controller per block. Runs the whole run loop with the fake executor.
// Unit memory limits every block to one item, so that policies with few large blocks are asked as
// often as policies with many small ones.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <string>

#include "shared_policies/contract/fake_executor.hpp"
#include "shared_policies/fit/speed_curve.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "tests/support/scripted.hpp"

namespace equipoise {
namespace {

/// A journal that drops all records.
class NoJournal final : public Journal {
 public:
  void block(const BlockRecord& /*record*/) override {}
  void decision(const DecisionRecord& /*record*/) override {}
  void event(const EventRecord& /*record*/) override {}
};

/// CPU time per block. `info` null: a policy that answers every request with one item.
void controller_blocks(benchmark::State& state, const PolicyInfo* info) {
  const auto units = static_cast<std::size_t>(state.range(0));
  constexpr Items items = 100'000;
  FakeSetup fake;
  KnownCosts known;
  RunSetup setup = setup_of(units, items_of(items));
  setup.phases[0].memory_bytes_per_item = 1.0;
  for (std::size_t p = 0; p < units; ++p) {
    const double item_s = 1.0 + 0.01 * static_cast<double>(p);
    fake.units.push_back(affine_unit(0.0, item_s));
    known.phases.front().push_back(std::make_unique<AffineCurve>(0.0, item_s));
    setup.units[p].memory_bytes = 1.0;
  }
  for (auto _ : state) {
    const auto executor = make_fake_executor(fake);
    NoJournal journal;
    const std::unique_ptr<Policy> policy =
        info != nullptr ? make_policy(*info, {{}, &known})
                        : std::make_unique<Scripted>([](const auto&, const auto& event, auto& to) {
                            if (const auto* idle = std::get_if<UnitIdle>(&event.what)) {
                              to.assign(idle->unit, 1);
                            }
                          });
    if (!run_policy(*executor, *policy, setup, journal).complete) state.SkipWithError("incomplete");
  }
  state.counters["s_per_block"] =
      benchmark::Counter(static_cast<double>(items), benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
}

/// One benchmark for every policy of the catalog, and one ("none") for the run loop alone.
[[maybe_unused]] const bool registered = [] {
  const auto add = [](const std::string& name, const PolicyInfo* info) {
    auto* const bench = benchmark::RegisterBenchmark(
        ("controller_blocks/" + name).c_str(),
        [info](benchmark::State& state) { controller_blocks(state, info); });
    bench->ArgName("units")->Arg(2)->Arg(28)->Unit(benchmark::kMillisecond);
    // Our own policy promises a cost that grows with the logarithm of the units at most.
    if (name == "none" || name == "equipoise") bench->Arg(4)->Arg(256);
  };
  add("none", nullptr);
  for (const PolicyInfo& info : policy_catalog()) add(info.name, &info);
  return true;
}();

}  // namespace
}  // namespace equipoise
