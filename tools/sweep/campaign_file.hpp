// Campaign files, `equipoise.campaign/1`: many comparisons from one file. tools/campaigns/README.md
// describes all fields.
#pragma once

#include <string>
#include <vector>

#include "tools/worlds/options.hpp"

namespace equipoise {

/// One comparison of a campaign, with all the options that `compare` would get.
struct Experiment {
  std::string name;   ///< unique; letters, digits and . - _ only, because it names a folder
  std::string group;  ///< experiments of a group are summarised together; may be empty
  std::string where;  ///< FILE:LINE in the campaign
  Options options;    ///< file paths are relative to the working folder, as if typed by a user
};

/// A published result that is shown beside ours.
struct PublishedFigure {
  std::string where;       ///< FILE:LINE in the campaign
  std::string experiment;  ///< name of an experiment
  std::string policy;
  std::string over;      ///< the policy that it is compared with
  double speedup = 0.0;  ///< time of `over` divided by time of `policy`
  std::string source;    ///< the table or figure of the paper
};

/// The contents of a campaign file.
struct Campaign {
  std::string file;
  std::string title;
  std::vector<Experiment> experiments;  ///< in the order of the file, with `for` expanded
  std::vector<PublishedFigure> published;
  std::string reference;        ///< the policy with which others are paired; empty: not given
  std::string reference_where;  ///< FILE:LINE where it is given
};

/// Reads a campaign. Paths in it are relative to its own folder. A problem with one experiment is
/// added to `problems` ("FILE:LINE: what; what to do"), and the other experiments are read
/// nevertheless. Throws InputError if the whole file is unusable: malformed JSON, another schema,
/// unknown members, or no experiments.
[[nodiscard]] Campaign read_campaign(const std::string& file, std::vector<std::string>& problems);

}  // namespace equipoise
