// Reads experiments from JSON: applies defaults, expands variables, and resolves paths.
#include "tools/sweep/campaign_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "shared_policies/model/cost_limit.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/nearest_name.hpp"
#include "shared_policies/model/spec.hpp"
#include "tools/worlds/cost_meters.hpp"
#include "traces/json_document.hpp"

namespace equipoise {
namespace {

/// Members that an experiment may have, or a campaign for all its experiments.
const std::vector<std::string> shared_members = {
    "platform", "traces", "scenario", "workloads",     "policies",        "without", "baseline",
    "reps",     "seed",   "noise",    "decision_cost", "dispatch_cost_s", "group"};

constexpr std::size_t most_experiments = 100'000;

std::vector<std::string> with_shared_members(std::vector<std::string> own) {
  own.insert(own.end(), shared_members.begin(), shared_members.end());
  return own;
}

/// The values of the variables in `for`, by name.
using Variables = std::map<std::string, std::string>;

/// A text, or a number as it is written in the file.
const std::string& spelled(const JsonObject& in, const JsonValue& value) {
  if (value.kind == JsonValue::Kind::text || value.kind == JsonValue::Kind::number) {
    return value.text;
  }
  throw InputError(in.where(value),
                   fmt::format("{} stands where a text or a number must", value.kind_words()));
}

/// Resolves `path`, which is relative to the campaign's folder.
std::string from_folder(const std::string& folder, const std::string& path) {
  return (std::filesystem::path(folder) / path).lexically_normal().string();
}

/// Reads one experiment for one combination of its variables.
class ExperimentReader {
 public:
  ExperimentReader(const JsonObject& campaign, const JsonObject& own, std::string folder,
                   const Variables& variables)
      : campaign_(campaign), own_(own), folder_(std::move(folder)), variables_(variables) {}

  [[nodiscard]] Experiment read() const {
    Experiment experiment;
    experiment.where = own_.where(own_.at("name"));
    experiment.name = filled(own_.at("name"));
    check_name(experiment);
    if (const JsonValue* group = find("group")) experiment.group = filled(*group);
    Options& o = experiment.options;
    o.platform_file = from_folder(folder_, filled(required("platform")));
    for (const std::string& file : texts("traces")) {
      o.trace_files.push_back(from_folder(folder_, file));
    }
    o.workloads = texts("workloads");
    o.policies = texts("policies");
    if (find("without") != nullptr) o.without = texts("without");
    read_settings(o);
    return experiment;
  }

 private:
  /// The experiment's own member or else the campaign's; nullptr if none.
  [[nodiscard]] const JsonValue* find(const std::string& name) const {
    const JsonValue* value = own_.find(name);
    return value != nullptr ? value : campaign_.find(name);
  }

  [[nodiscard]] const JsonValue& required(const std::string& name) const {
    const JsonValue* value = find(name);
    return value != nullptr ? *value : own_.at(name);
  }

  /// The value's text with all {variable}s replaced.
  [[nodiscard]] std::string filled(const JsonValue& value) const {
    const std::string& text = spelled(own_, value);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] != '{') {
        out += text[at++];
        continue;
      }
      const std::size_t end = text.find('}', at);
      if (end == std::string::npos) {
        throw InputError(own_.where(value),
                         fmt::format("'{}' opens a brace and does not close it; write "
                                     "{{variable}}",
                                     text));
      }
      out += variable(text.substr(at + 1, end - at - 1), value);
      at = end + 1;
    }
    return out;
  }

  [[nodiscard]] const std::string& variable(const std::string& name, const JsonValue& at) const {
    const auto found = variables_.find(name);
    if (found != variables_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [known_name, value] : variables_) known.push_back(known_name);
    throw InputError(own_.where(at),
                     known.empty() ? fmt::format("'{{{}}}' is no variable; name it in 'for'", name)
                                   : unknown_name("variable of 'for'", name, known));
  }

  /// A list of texts, or a single text.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const {
    const JsonValue& value = required(name);
    if (value.kind != JsonValue::Kind::list) return {filled(value)};
    if (value.list.empty()) {
      throw InputError(own_.where(value), fmt::format("'{}' is empty; name at least one", name));
    }
    std::vector<std::string> all;
    for (const JsonValue& one : value.list) all.push_back(filled(one));
    return all;
  }

  void check_name(const Experiment& experiment) const {
    const std::string& name = experiment.name;
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '-' || c == '_';
    });
    if (plain && !name.empty() && name.front() != '.' && name.size() <= 200) return;
    throw InputError(experiment.where,
                     fmt::format("'{}' cannot name a folder; use letters, digits, - and _", name));
  }

  void read_settings(Options& o) const {
    if (const JsonValue* value = find("scenario")) {
      o.scenario_file = from_folder(folder_, filled(*value));
    }
    if (const JsonValue* value = find("baseline")) o.baseline = filled(*value);
    if (const JsonValue* value = find("reps")) {
      o.reps = static_cast<int>(whole(*value, "reps", 1, 1'000'000));
    }
    if (const JsonValue* value = find("seed")) {
      o.seed = static_cast<std::uint64_t>(whole(*value, "seed", 0, (Items{1} << 53) - 1));
    }
    if (find("noise") != nullptr) {
      o.noise = own_.find("noise") != nullptr ? own_.flag("noise") : campaign_.flag("noise");
    }
    if (const JsonValue* value = find("decision_cost")) {
      o.decision_cost = filled(*value);
      try {
        static_cast<void>(make_cost_meter(o.decision_cost, 0.0));
      } catch (const InputError& refusal) {
        throw InputError(own_.where(*value), "decision_cost: " + refusal.why());
      }
    }
    if (const JsonValue* value = find("dispatch_cost_s")) {
      const double seconds = parse_number(filled(*value), own_.where(*value));
      if (seconds < 0.0 || seconds > most_cost_s) {
        throw InputError(own_.where(*value),
                         "handing out a block costs from 0 to 1e6 seconds; give that");
      }
      o.dispatch_cost = Seconds{seconds};
    }
  }

  [[nodiscard]] Items whole(const JsonValue& value, const char* name, Items low, Items high) const {
    const Items items = parse_items(filled(value), own_.where(value));
    if (items >= low && items <= high) return items;
    throw InputError(own_.where(value),
                     fmt::format("'{}' is {}; it must be from {} to {}", name, items, low, high));
  }

  const JsonObject& campaign_;
  const JsonObject& own_;
  std::string folder_;
  const Variables& variables_;
};

/// Sets the variable `name` or, if the value is an object, the variables that it names.
void set_variables(const JsonObject& own, const std::string& name, const JsonValue& value,
                   Variables& variables) {
  if (value.kind != JsonValue::Kind::object) {
    variables[name] = spelled(own, value);
    return;
  }
  for (const JsonMember& member : value.object) {
    variables[member.name] = spelled(own, member.value);
  }
}

/// All combinations of the variables in `for`; the last variable changes fastest.
std::vector<Variables> choices_of(const JsonObject& own) {
  std::vector<Variables> choices(1);
  const JsonValue* lists = own.find("for");
  if (lists == nullptr) return choices;
  if (lists->kind != JsonValue::Kind::object) {
    throw InputError(own.where(*lists), "'for' must be an object of lists, one for each variable");
  }
  for (const JsonMember& member : lists->object) {
    if (member.value.kind != JsonValue::Kind::list || member.value.list.empty()) {
      throw InputError(
          own.where(member.value),
          fmt::format("variable '{}' needs a list of at least one value", member.name));
    }
    std::vector<Variables> more;
    for (const Variables& choice : choices) {
      for (const JsonValue& value : member.value.list) {
        Variables with = choice;
        set_variables(own, member.name, value, with);
        more.push_back(std::move(with));
      }
      if (more.size() > most_experiments) {
        throw InputError(own.where(*lists),
                         fmt::format("makes more than {} experiments; split it", most_experiments));
      }
    }
    choices = std::move(more);
  }
  return choices;
}

void add_experiments(const JsonObject& top, const JsonValue& value, const std::string& file,
                     Campaign& campaign) {
  const JsonObject own(value, file, "an experiment", with_shared_members({"name", "for"}));
  const std::string folder = std::filesystem::path(file).parent_path().string();
  std::set<std::string> taken;
  for (const Experiment& experiment : campaign.experiments) taken.insert(experiment.name);
  for (const Variables& variables : choices_of(own)) {
    Experiment experiment = ExperimentReader(top, own, folder, variables).read();
    if (!taken.insert(experiment.name).second) {
      throw InputError(experiment.where,
                       fmt::format("a second experiment is called '{}'; give it a name of its own, "
                                   "with {{variables}} where 'for' makes several",
                                   experiment.name));
    }
    campaign.experiments.push_back(std::move(experiment));
  }
}

PublishedFigure read_figure(const JsonValue& value, const std::string& file) {
  const JsonObject own(value, file, "a published figure",
                       {"experiment", "policy", "over", "speedup", "source"});
  PublishedFigure figure;
  figure.where = own.where();
  figure.experiment = own.text("experiment");
  figure.policy = own.text("policy");
  figure.over = own.find("over") != nullptr ? own.text("over") : "greedy";
  figure.speedup = own.number("speedup", 1e-6, 1e6);
  figure.source = own.text("source");
  return figure;
}

void read_published(const JsonObject& top, Campaign& campaign, std::vector<std::string>& problems) {
  if (top.find("published") == nullptr) return;
  std::vector<std::string> names;
  for (const Experiment& experiment : campaign.experiments) names.push_back(experiment.name);
  for (const JsonValue& value : top.list("published")) {
    try {
      PublishedFigure figure = read_figure(value, campaign.file);
      if (std::find(names.begin(), names.end(), figure.experiment) == names.end()) {
        throw InputError(figure.where, unknown_name("experiment", figure.experiment, names));
      }
      campaign.published.push_back(std::move(figure));
    } catch (const InputError& refusal) {
      problems.emplace_back(refusal.what());
    }
  }
}

}  // namespace

Campaign read_campaign(const std::string& file, std::vector<std::string>& problems) {
  const JsonValue document = read_json_file(file);
  const JsonObject top(
      document, file, "a campaign",
      with_shared_members({"schema", "title", "experiments", "published", "reference"}));
  expect_schema(top.text("schema"), "equipoise.campaign/1", top.where(top.at("schema")));
  Campaign campaign;
  campaign.file = file;
  campaign.title = top.find("title") != nullptr ? top.text("title")
                                                : std::filesystem::path(file).stem().string();
  if (const JsonValue* reference = top.find("reference")) {
    campaign.reference = top.text("reference");
    campaign.reference_where = top.where(*reference);
  }
  for (const JsonValue& experiment : top.list("experiments")) {
    try {
      add_experiments(top, experiment, file, campaign);
    } catch (const InputError& refusal) {
      problems.emplace_back(refusal.what());
    }
  }
  if (campaign.experiments.empty() && problems.empty()) {
    throw InputError(top.where(top.at("experiments")), "holds no experiment; add one");
  }
  if (problems.empty()) read_published(top, campaign, problems);
  return campaign;
}

}  // namespace equipoise
