// Reads policies as users type them, from the catalog and from libraries.
#include "tools/runs/policy_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "real/mpi/mpi_module.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/solve/equal_finish_ipopt.hpp"
#include "shared_policies/specs/spec.hpp"
#include "tools/console/quantity_text.hpp"
#include "tools/runs/loaded_policy.hpp"
#include "traces/trace_file.hpp"

namespace equipoise {
namespace {

/// Whether `part` is a parameter: key=value. In NAME:key=value the colon comes first.
bool is_parameter(const std::string& part) {
  const std::size_t equals = part.find('=');
  return equals != std::string::npos && part.find(':') >= equals;
}

/// `path`, relative to `folder` unless that is empty.
std::string in_folder(const std::string& folder, const std::string& path) {
  if (folder.empty()) return path;
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

std::string name_in_results(const PolicyChoice& of_library) {
  const std::string library = std::filesystem::path(of_library.loaded_from).stem().string();
  const std::string& name = of_library.info->name;
  return library == name ? name : name + "@" + library;
}

/// The value that was typed for the parameter; nothing for `auto` and other texts.
std::optional<double> given(const PolicyChoice& policy, const char* name) {
  const auto found = policy.parameters.find(name);
  return found == policy.parameters.end() ? std::nullopt : as_number(found->second);
}

/// The parameter that sets the size of the policy's blocks; null if none alone does.
const char* size_parameter(const PolicyChoice& policy) {
  if (!policy.loaded_from.empty()) return nullptr;
  const std::string& name = policy.info->name;
  if (name == "ss") return "min_block_items";
  if (name == "greedy") return "initial_block_items";
  return nullptr;
}

}  // namespace

std::vector<std::string> split_policies(const std::string& text, const std::string& where) {
  std::vector<std::string> policies;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = boost::trim_copy(text.substr(at, end - at));
    at = end + 1;
    if (part.empty()) {
      throw InputError(where, fmt::format("'{}' has an empty part; give NAME[:key=value,...], or "
                                          "several with commas between them",
                                          text));
    }
    if (!is_parameter(part)) {
      policies.push_back(part);
    } else if (policies.empty() || policies.back().find(':') == std::string::npos) {
      throw InputError(where,
                       policies.empty()
                           ? fmt::format("'{}' has no name; write NAME:{}", text, part)
                           : fmt::format("'{0}' stands behind '{1}', which has no colon; write "
                                         "{1}:{0} for a parameter of {1}",
                                         part, policies.back()));
    } else {
      policies.back() += "," + part;
    }
  }
  return policies;
}

PolicyChoice parse_policy(const std::string& typed, const std::string& where,
                          const std::string& folder) {
  Spec spec = parse_spec(typed, ':', where);
  PolicyChoice choice;
  choice.parameters = std::move(spec.parameters);
  choice.typed = choice.spelling = typed;
  if (is_policy_library(spec.name)) {
    choice.loaded_from = in_folder(folder, spec.name);
    const LoadedPolicy& loaded = load_policy(choice.loaded_from);
    choice.info = &loaded.info;
    choice.loaded_hash = loaded.hash;
    choice.spelling = name_in_results(choice) + typed.substr(spec.name.size());
  } else {
    choice.info = &find_policy(spec.name, where);
  }
  const auto given = choice.parameters.find("profile");
  if (given == choice.parameters.end()) return choice;
  given->second = in_folder(folder, given->second);
  choice.profile =
      std::make_shared<const std::vector<Trace>>(1, read_trace(given->second, nullptr));
  return choice;
}

std::string policy_from_folder(const std::string& folder, const std::string& typed,
                               const std::string& where) {
  const Spec spec = parse_spec(typed, ':', where);
  std::string moved = typed;
  const auto profile = spec.parameters.find("profile");
  if (profile != spec.parameters.end()) {
    const std::string given = "profile=" + profile->second;
    moved.replace(moved.find(given), given.size(), "profile=" + in_folder(folder, profile->second));
  }
  if (is_policy_library(spec.name)) {
    moved.replace(0, spec.name.size(), in_folder(folder, spec.name));
  }
  return moved;
}

void open_library(PolicyChoice& choice) {
  if (choice.loaded_from.empty()) return;
  const LoadedPolicy& loaded = load_policy(choice.loaded_from);
  if (loaded.hash != choice.loaded_hash) {
    throw InputError(choice.loaded_from,
                     "was replaced while this command ran; type the command again");
  }
  choice.info = &loaded.info;
}

namespace {

/// Throws InputError if the policy solves with Ipopt, whose MUMPS would wait for other ranks.
void expect_ipopt_without_ranks(const PolicyChoice& choice) {
  if (!may_have_other_ranks()) return;
  const std::map<std::string, std::string> parameters = all_parameters(choice);
  const auto solver = parameters.find("solver");
  if (solver == parameters.end() || solver->second != "ipopt" || !ipopt_uses_mpi()) return;
  throw InputError(choice.spelling,
                   "the MUMPS of this Ipopt uses MPI itself, and would wait for the other ranks; "
                   "give solver=direct");
}

}  // namespace

std::unique_ptr<Policy> make_policy(const PolicyChoice& choice, const KnownCosts* known,
                                    std::span<const Unit> units) {
  expect_ipopt_without_ranks(choice);
  const PolicyInputs inputs{choice.parameters, known, units};
  return choice.loaded_from.empty() ? make_policy(*choice.info, inputs)
                                    : make_loaded_policy(*choice.info, choice.loaded_from, inputs);
}

std::map<std::string, std::string> all_parameters(const PolicyChoice& policy) {
  std::map<std::string, std::string> all;
  for (const ParameterInfo& p : policy.info->parameters) all[p.name] = p.default_text;
  for (const auto& [name, value] : with_preset(*policy.info, policy.parameters)) all[name] = value;
  return all;
}

Fact parameter_fact(const std::string& text) {
  if (text == "true" || text == "false") return {text == "true"};
  const std::optional<double> number = as_number(text);
  if (!number) return {text};
  const bool is_whole = *number == std::floor(*number) && std::abs(*number) < 0x1p53;
  if (is_whole) return {static_cast<std::int64_t>(*number)};
  return {*number};
}

Facts parameter_facts(const std::map<std::string, std::string>& parameters) {
  Facts facts;
  for (const auto& [name, value] : parameters) facts.emplace_back(name, parameter_fact(value));
  return facts;
}

const std::vector<Trace>& profile_of(const PolicyChoice& choice, const std::vector<Trace>& own) {
  return choice.profile != nullptr ? *choice.profile : own;
}

double blocks_beforehand(const PolicyChoice& policy, std::span<const Workload> phases) {
  const char* const parameter = size_parameter(policy);
  if (parameter == nullptr) return 0.0;
  const bool is_one_grain = policy.info->name == "ss";
  const std::optional<double> pieces = given(policy, "pieces");
  const std::optional<double> size = given(policy, parameter);
  double blocks = 0.0;
  for (const Workload& phase : phases) {
    const auto items = static_cast<double>(phase.items);
    const auto grains = std::ceil(items / static_cast<double>(phase.grain_items));
    double in_iteration = is_one_grain ? grains : 0.0;
    if (size) in_iteration = std::min(grains, std::ceil(items / *size));
    if (pieces) in_iteration = std::min(grains, *pieces);
    blocks += in_iteration * phase.iterations;
  }
  return blocks;
}

std::string many_blocks_text(std::span<const PolicyChoice> policies,
                             std::span<const Workload> phases) {
  constexpr double enough_blocks = 1e5;
  const PolicyChoice* most = nullptr;
  double blocks = many_blocks;
  for (const PolicyChoice& policy : policies) {
    const double own = blocks_beforehand(policy, phases);
    if (own <= blocks) continue;
    blocks = own;
    most = &policy;
  }
  if (most == nullptr) return {};
  double items = 0.0;
  for (const Workload& phase : phases) items += static_cast<double>(phase.items) * phase.iterations;
  const std::optional<double> pieces = given(*most, "pieces");
  return fmt::format(
      "{} makes {} in each run, which takes long, and so does reading its run file; for fewer, "
      "write {}:{}={}",
      most->spelling, quantity_text(blocks, "blocks"), most->info->name,
      pieces ? "pieces" : size_parameter(*most),
      pieces ? std::floor(*pieces * enough_blocks / blocks) : std::ceil(items / enough_blocks));
}

}  // namespace equipoise
