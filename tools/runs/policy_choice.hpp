// A policy as the user chose it: NAME[:k=v,...], with the library, the traces and the experience
// that it needs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_policies/machine/trace.hpp"
#include "shared_policies/model/workload.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "shared_policies/records/facts.hpp"
#include "shared_policies/run/recorded_run.hpp"

namespace equipoise {

/// A policy as the user chose it.
struct PolicyChoice {
  const PolicyInfo* info = nullptr;
  /// What results call it: as typed, "plb-hec:threshold=0.1"; for a policy of a library with the
  /// policy's name instead of the file's, "mine:k=v", or "mine@LIBRARY:k=v" if the file LIBRARY.so
  /// is called otherwise than its policy.
  std::string spelling;
  std::map<std::string, std::string> parameters;  ///< the given ones
  /// The traces of the file that the parameter `profile` names; null if it is not given.
  std::shared_ptr<const std::vector<Trace>> profile;
  /// The recorded run whose decisions are issued again in place of new ones of the policy; of one
  /// of two levels, the master's part and those of its nodes' agents. Null unless this is a replay.
  std::shared_ptr<const std::vector<RecordedRun>> replayed;
  std::string replayed_file;  ///< the run file of `replayed`
  /// Block times known from earlier runs; null unless there are any and the policy uses them.
  std::shared_ptr<const Experience> experience{};
  std::string typed{};        ///< exactly as typed: "./mine.so:k=v"
  std::string loaded_from{};  ///< of a policy from a library; empty: it is one of the catalog
  std::string loaded_hash{};  ///< of that file's contents
  /// A run of a comparison that makes more blocks ends, and the policy is left out; none: no limit.
  std::optional<std::uint64_t> blocks_max{};

  [[nodiscard]] bool is_experienced() const { return experience != nullptr; }
  /// Whether it follows the best schedule that is known.
  [[nodiscard]] bool is_oracle() const { return info->foresight == Foresight::oracle; }
  /// Whether it needs block times before the run.
  [[nodiscard]] bool is_informed() const { return info->foresight != Foresight::none; }
  /// Whether it is told what each item costs, where items differ and anybody knows how.
  [[nodiscard]] bool knows_costs() const { return equipoise::knows_costs(*info, parameters); }
};

/// Takes a list of policies apart, "greedy,plb-hec:threshold=0.2,step_fraction=0.05,gss". What
/// stands behind a comma is another parameter of the policy before it if it is key=value, and else
/// the next policy: its name, or the path of a library (which contains '/' or ends in ".so"),
/// perhaps with parameters after a colon. Throws InputError (at `where`) for an empty part, and for
/// a parameter of a policy that has no colon. Whether the policies exist is not checked.
[[nodiscard]] std::vector<std::string> split_policies(const std::string& text,
                                                      const std::string& where);

/// Parses `NAME[:k=v,...]`, where NAME may be the path of a library (see loaded_policy.hpp), and
/// reads its profile. Paths are relative to `folder` if that is not empty. Throws InputError, at
/// `where`, at the library or at the profile.
[[nodiscard]] PolicyChoice parse_policy(const std::string& typed, const std::string& where = {},
                                        const std::string& folder = {});

/// `typed` as above, in which paths are relative to `folder`, with paths from the working folder.
[[nodiscard]] std::string policy_from_folder(const std::string& folder, const std::string& typed,
                                             const std::string& where);

/// Opens the library of `choice`, if it has one, in a process that was sent the choice. Throws
/// InputError if that is another library by now.
void open_library(PolicyChoice& choice);

/// Makes the policy of `choice`. Throws as `make_policy` and `make_loaded_policy` do.
[[nodiscard]] std::unique_ptr<Policy> make_policy(const PolicyChoice& choice,
                                                  const KnownCosts* known,
                                                  std::span<const Unit> units);

/// The policy's parameters, including defaults.
[[nodiscard]] std::map<std::string, std::string> all_parameters(const PolicyChoice& policy);
/// The value of a parameter, for JSON: true or false, a number (an integer if it is whole), or
/// text.
[[nodiscard]] Fact parameter_fact(const std::string& text);
/// The values of several parameters, by name.
[[nodiscard]] Facts parameter_facts(const std::map<std::string, std::string>& parameters);

/// The traces from which an informed policy learns the units' speeds: its profile if given,
/// otherwise the run's own traces, `own`.
[[nodiscard]] const std::vector<Trace>& profile_of(const PolicyChoice& choice,
                                                   const std::vector<Trace>& own);

/// Users are warned of runs of more blocks: such a run takes long, and so does everything that
/// reads its file.
inline constexpr double many_blocks = 1e6;

/// The blocks of a run of `policy`, over all phases and iterations, if its parameters alone say how
/// large they are (`ss`, and `greedy` with `pieces` or `initial_block_items` given); else 0.
[[nodiscard]] double blocks_beforehand(const PolicyChoice& policy,
                                       std::span<const Workload> phases);

/// A sentence for the policy with the most blocks, if these are more than `many_blocks`: how many
/// there are, and which parameter makes fewer; else empty.
[[nodiscard]] std::string many_blocks_text(std::span<const PolicyChoice> policies,
                                           std::span<const Workload> phases);

}  // namespace equipoise
