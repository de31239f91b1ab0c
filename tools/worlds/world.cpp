// Worlds on simulated platforms and on real units, and which of them `--on` means.
#include "tools/worlds/world.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "tools/console/console.hpp"
#include "tools/simulations/sim_world.hpp"
#include "tools/simulations/simulations.hpp"
#include "tools/worlds/comparison_runs.hpp"
#include "tools/worlds/real_world.hpp"
#include "tools/worlds/sim_world_loading.hpp"

namespace equipoise {
namespace {

/// Removes failures and joins. Returns whether there were any.
bool erase_failures(Scenario& scenario) {
  return std::erase_if(scenario.events, [](const Disturbance& event) {
           return event.kind == DisturbanceKind::fail || event.kind == DisturbanceKind::join;
         }) > 0;
}

/// Runs on a simulated platform, each in a process of the simulation server.
class SimulatedRuns final : public World {
 public:
  explicit SimulatedRuns(const Options& options)
      : options_(options), world_(std::make_shared<SimWorld>(load_sim_world(options))) {}

  std::string name() const override { return "sim"; }
  const std::vector<Unit>& units() const override { return world_->units; }
  const std::vector<Workload>& phases() const override { return world_->setup.phases; }
  WorldSettings settings() const override { return {true, settings_of(*world_, options_)}; }
  SimWorld* platform() override { return world_.get(); }
  void check_policy(const PolicyChoice& choice) const override {
    equipoise::check_policy(*world_, choice);
  }
  void leave_out_failures() override {
    Scenario scenario = world_->setup.scenario;
    if (erase_failures(scenario)) *world_ = under_scenario(*world_, std::move(scenario));
  }
  void prepare() override {}

  RunReport run(const PolicyChoice& choice, std::uint64_t repetition,
                const std::string& journal_file) override {
    return run_simulation(simulation_of(*world_, choice, options_, repetition, journal_file));
  }
  RunsByPolicy run_all(const std::vector<PolicyChoice>& choices, bool& failed) override {
    return simulate_all(*world_, choices, options_, failed);
  }

  [[nodiscard]] const std::shared_ptr<SimWorld>& world() const { return world_; }

 private:
  Options options_;
  std::shared_ptr<SimWorld> world_;
};

/// Runs in real time, one after another.
class RealRuns final : public World {
 public:
  explicit RealRuns(const Options& options) : options_(options), world_(load_real_world(options)) {}

  std::string name() const override { return world_.on; }
  const std::vector<Unit>& units() const override { return world_.units; }
  const std::vector<Workload>& phases() const override { return world_.phases; }
  WorldSettings settings() const override { return {false, world_.settings}; }
  SimWorld* platform() override { return world_.platform.get(); }
  void check_policy(const PolicyChoice& choice) const override {
    equipoise::check_policy(world_, choice);
  }
  void leave_out_failures() override {
    if (erase_failures(world_.scenario) && world_.platform) world_.platform->bound = {};
  }
  void prepare() override {
    world_.find_meters(options_);
    world_.allocate(options_.seed);
  }

  RunReport run(const PolicyChoice& choice, std::uint64_t repetition,
                const std::string& journal_file) override {
    return run_once(world_, choice, options_, repetition, journal_file);
  }
  RunsByPolicy run_all(const std::vector<PolicyChoice>& choices, bool& /*failed*/) override {
    return equipoise::run_all(world_, choices, options_);
  }

  void pair_with(std::shared_ptr<SimWorld> sim) {
    equipoise::pair_with(world_, std::move(sim), options_);
  }

 private:
  Options options_;
  RealWorld world_;
};

/// What else `--on` may say, for commands that have a choice.
std::string others(const std::string& command, const std::string& name) {
  return command == "simulate" ? std::string() : "; or say --on " + name;
}

Worlds open_simulated(const Options& options, const std::string& command) {
  if (options.platform_file.empty() || options.trace_files.empty()) {
    throw InputError(command, "to simulate, give --platform and --trace" + others(command, "real"));
  }
  Worlds worlds;
  worlds.push_back(std::make_unique<SimulatedRuns>(options));
  return worlds;
}

Worlds open_real(const Options& options, const std::string& command) {
  if (options.units.empty()) {
    throw InputError(command,
                     "to run for real, give --unit for each unit, such as --unit cpu "
                     "--unit cpu,slowdown=3 (see equipoise list units)" +
                         others(command, "paced"));
  }
  Worlds worlds;
  worlds.push_back(std::make_unique<RealRuns>(options));
  return worlds;
}

Worlds open_paced(const Options& options, const std::string& command) {
  if (options.units.empty() && (options.platform_file.empty() || options.trace_files.empty())) {
    throw InputError(command, "to pace units, give --platform and --trace; or --unit paced,...");
  }
  Worlds worlds;
  worlds.push_back(std::make_unique<RealRuns>(options));
  return worlds;
}

Worlds open_both(const Options& options, const std::string& command) {
  if (options.units.empty() || options.platform_file.empty() || options.trace_files.empty()) {
    throw InputError(command, "to simulate and run for real, give --platform, --trace and --unit");
  }
  auto simulated = std::make_unique<SimulatedRuns>(options);
  auto real = std::make_unique<RealRuns>(options);
  real->pair_with(simulated->world());
  Worlds worlds;
  worlds.push_back(std::move(simulated));
  worlds.push_back(std::move(real));
  return worlds;
}

/// What a value of `--on` means.
struct WorldKind {
  const char* name;
  Worlds (*open)(const Options& options, const std::string& command);
};

constexpr std::array<WorldKind, 4> kinds = {{
    {"sim", open_simulated},
    {"real", open_real},
    {"paced", open_paced},
    {"both", open_both},
}};

}  // namespace

Worlds open_worlds(const Options& options, const std::string& command) {
  const auto* const kind = std::ranges::find(kinds, options.on, &WorldKind::name);
  if (kind == kinds.end()) {
    throw InputError(command,
                     "there is no world '" + options.on + "'; say --on sim, real or paced");
  }
  return kind->open(options, command);
}

std::unique_ptr<World> open_world(const Options& options, const std::string& command) {
  Worlds worlds = open_worlds(options, command);
  if (worlds.size() > 1) {
    throw InputError(command, "makes one run; say --on sim, real or paced, not " + options.on);
  }
  return std::move(worlds.front());
}

}  // namespace equipoise
