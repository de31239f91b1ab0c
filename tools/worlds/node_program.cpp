// Opens units and kernels on a node by the functions that open them for a run on one machine.
#include "tools/worlds/node_program.hpp"

#include <utility>

#include "real/mpi/mpi_module.hpp"
#include "real/nodes/rank_placement.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/records/archive.hpp"
#include "tools/console/terminal.hpp"
#include "tools/runs/two_level_run.hpp"
#include "tools/runs/version.hpp"
#include "tools/worlds/node_units.hpp"
#include "tools/worlds/real_machine.hpp"

namespace equipoise {
namespace {

class NodeProgram final : public NodeService {
 public:
  explicit NodeProgram(const RunOptions& options) : options_(options) {}

  std::string answer(const std::string& text) override {
    UnitsAnswer answer;
    answer.host = this_host();
    answer.machine = this_machine();
    try {
      const UnitsQuestion question = read_units_question(text);
      RunOptions options = options_;
      options.units = question.units;
      options.workloads = question.workloads;
      options.results_folder = question.results_folder;
      per_node_ = question.per_node;
      machine_ = load_node_machine(options, question.traces, question.node, question.computes);
      for (const auto& kernel : machine_.kernels) {
        if (kernel) kernel->prepare_programs();
      }
      describe(answer);
    } catch (const InputError& refused) {
      answer.where = refused.where();
      answer.why = refused.why();
    } catch (const std::exception& failure) {
      answer.why = failure.what();
    }
    return archived(answer);
  }

  const std::vector<UnitSpec>& units() const override { return machine_.specs; }
  const std::vector<Workload>& phases() const override { return machine_.phases; }
  std::vector<Kernel*> kernels() const override {
    std::vector<Kernel*> kernels;
    for (const auto& kernel : machine_.kernels) kernels.push_back(kernel.get());
    return kernels;
  }
  DivideBlocks make_agent(const NodeAgentSetup& agent, const Scenario& scenario,
                          std::shared_ptr<Journal> journal) override {
    const PolicyChoice policy = parse_policy(per_node_, "--per-node");
    std::vector<Unit> units;
    for (const UnitSpec& spec : machine_.specs) units.push_back(as_remote(spec.unit));
    AgentSetup setup{policy,
                     known_to(policy, machine_),
                     nodes_of(units).front().units_of(units),
                     machine_.phases,
                     scenario,
                     "measured",
                     agent.number};
    if (agent.recorded.run != nullptr) {
      setup.recorded = std::make_shared<const RecordedDecisions>(*agent.recorded.run, setup.units,
                                                                 setup.phases, agent.recorded.file,
                                                                 first_block_of(agent.number));
    }
    return equipoise::make_agent(std::move(setup), std::move(journal));
  }

 private:
  void describe(UnitsAnswer& answer) const {
    answer.phases = machine_.phases;
    const std::vector<PlacedUnit> placed = placed_units(machine_.specs);
    for (std::size_t i = 0; i < machine_.specs.size(); ++i) {
      const UnitSpec& spec = machine_.specs[i];
      answer.units.push_back({spec.unit, spec.factory->trace_unit(), placed[i]});
    }
  }

  RunOptions options_;
  RealMachine machine_;
  std::string per_node_;
};

}  // namespace

std::string archived(const UnitsQuestion& question) { return archive_of(question); }
std::string archived(const UnitsAnswer& answer) { return archive_of(answer); }
UnitsQuestion read_units_question(const std::string& text) {
  return read_archive<UnitsQuestion>(text);
}
UnitsAnswer read_units_answer(const std::string& text) { return read_archive<UnitsAnswer>(text); }

std::shared_ptr<Communicator> connect_ranks() {
  if (!is_started_by_mpirun()) return nullptr;
  CommunicatorSetup setup;
  setup.connect = connect_by_mpi;
  setup.signal = std::make_shared<WakeSignal>(std::chrono::microseconds(0));
  setup.build = source_id() + " " + built_with_text();
  setup.host = this_machine().name;
  take_for_a_pipe();
  auto communicator = std::make_shared<Communicator>(std::move(setup));
  if (communicator->ranks() > 1) return communicator;
  communicator->leave(true);
  return nullptr;
}

int be_node(Communicator& communicator, const RunOptions& options) {
  NodeProgram program(options);
  return serve_node(communicator, program);
}

}  // namespace equipoise
