// Campaign files, `equipoise.campaign/1`: many comparisons from one file. The format, field by
// field, is in tools/campaigns/README.md.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/commands/options.hpp"

namespace equipoise {

/// One comparison of a campaign, with all that `compare` would have been told.
struct Experiment {
  std::string name;   ///< unique; letters, digits and . - _ only, so that it can name a folder
  std::string group;  ///< those of one group are summed up together; may be empty
  std::string where;  ///< FILE:LINE in the campaign
  Options options;    ///< files: relative to the working folder, as a user would have typed them
};

/// A figure that somebody published, to stand beside ours.
struct PublishedFigure {
  std::string where;       ///< FILE:LINE in the campaign
  std::string experiment;  ///< the name of one
  std::string policy;
  std::string over;      ///< the policy that it is compared with
  double speedup = 0.0;  ///< time of `over` divided by time of `policy`
  std::string source;    ///< which table or figure of which paper
};

/// A campaign, read.
struct Campaign {
  std::string file;
  std::string title;
  std::vector<Experiment> experiments;  ///< in the order of the file; `for` is multiplied out
  std::vector<PublishedFigure> published;
  std::string reference;        ///< the policy that others are paired with; empty: none was named
  std::string reference_where;  ///< FILE:LINE where it is named
};

/// Reads a campaign. Paths in it are relative to its own folder. What keeps one experiment from
/// being read is added to `problems` ("FILE:LINE: what; what to do"), and the others are read all
/// the same. Throws InputError for what spoils the whole file: malformed JSON, another schema,
/// unknown members, no experiments.
[[nodiscard]] Campaign read_campaign(const std::string& file, std::vector<std::string>& problems);

}  // namespace equipoise
