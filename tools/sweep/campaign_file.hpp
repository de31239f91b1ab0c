// Campaign files, `equipoise.campaign/1`: many comparisons from one file. tools/campaigns/README.md
// describes all fields.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared_policies/records/description.hpp"
#include "tools/runs/options.hpp"

namespace equipoise {

/// One comparison of a campaign, as `compare` would make it.
struct Experiment {
  std::string name;   ///< unique; letters, digits and . - _ only, because it names a folder
  std::string group;  ///< experiments of a group are summarised together; may be empty
  std::string where;  ///< FILE:LINE in the campaign
  ComparisonOptions
      options;  ///< file paths are relative to the working folder, as if typed by a user
};

/// A number that a paper prints, or what it says of one.
struct PrintedValue {
  enum class Relation : std::uint8_t { equal, more, less, within };

  Relation relation = Relation::equal;  ///< of the paper's result to `value`
  double value = 0.0;                   ///< of `within`: the lower end
  double most = 0.0;                    ///< the upper end, of `within` only
};

constexpr auto words(DescriptionOf<PrintedValue::Relation> /*of*/) {
  using Relation = PrintedValue::Relation;
  return std::array{Word{Relation::equal, "="}, Word{Relation::more, ">"},
                    Word{Relation::less, "<"}, Word{Relation::within, ".."}};
}

/// Results of an experiment that are shown beside published ones: a row of a figure's table.
struct PublishedFigure {
  /// What is printed of one policy.
  struct OfPolicy {
    std::string spelling;                 ///< of the policy
    std::optional<PrintedValue> printed;  ///< none: ours is shown alone
  };

  std::string where;                 ///< FILE:LINE in the campaign
  std::string figure;                ///< rows of one figure make one table
  std::string experiment;            ///< name of an experiment
  std::string field = "makespan_s";  ///< as `numbers_at` takes it
  std::string over;  ///< the policy whose number is divided by each policy's; empty: none
  std::vector<OfPolicy> policies;
  std::string source;  ///< where the paper has it
};

/// The contents of a campaign file.
struct Campaign {
  std::string file;
  std::string title;
  std::vector<Experiment> experiments;  ///< in the order of the file, with `for` expanded
  std::vector<PublishedFigure> published;
  std::string reference;        ///< the policy with which others are paired; empty: not given
  std::string reference_where;  ///< FILE:LINE where it is given
  bool is_part = false;         ///< some experiments were left out
};

/// Reads a campaign. Paths in it are relative to its own folder. A problem with one experiment is
/// added to `problems` ("FILE:LINE: what; what to do"), and the other experiments are read
/// nevertheless. Throws InputError if the whole file is unusable: malformed JSON, another schema,
/// unknown members, or no experiments.
[[nodiscard]] Campaign read_campaign(const std::string& file, std::vector<std::string>& problems);

/// Leaves out the experiments whose names match none of the patterns (`*` and `?` as in a shell),
/// with their published figures. No patterns: nothing. Throws InputError (at `where`) for a pattern
/// that matches no experiment.
void keep_only(Campaign& campaign, const std::vector<std::string>& patterns,
               const std::string& where);

}  // namespace equipoise
