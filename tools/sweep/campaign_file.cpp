// Reads experiments and published figures from JSON: applies defaults, resolves paths, and repeats
// entries for all values of their variables.
#include "tools/sweep/campaign_file.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/model/measures.hpp"
#include "shared_policies/specs/spec.hpp"
#include "shared_policies/specs/unit_map.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "tools/runs/cost_meters.hpp"
#include "tools/runs/policy_choice.hpp"
#include "tools/worlds/inputs.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

/// The values of the variables in `for`, by name.
using Variables = std::map<std::string, std::string>;

constexpr std::size_t most_choices = 100'000;

/// A text, or a number as it is written in the file.
const std::string& spelled(const JsonObject& in, const JsonValue& value) {
  if (value.kind == JsonValue::Kind::text || value.kind == JsonValue::Kind::number) {
    return value.text;
  }
  throw InputError(in.where(value),
                   fmt::format("{} stands where a text or a number must", value.kind_words()));
}

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

const std::string& variable(const std::string& name, const std::string& where,
                            const Variables& variables) {
  const auto found = variables.find(name);
  if (found != variables.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [known_name, value] : variables) known.push_back(known_name);
  throw InputError(where, known.empty()
                              ? fmt::format("'{{{}}}' is no variable; name it in 'for'", name)
                              : unknown_name("variable of 'for'", name, known));
}

/// All combinations of the variables in the member `for` of `own`; the last variable changes
/// fastest. A single combination without variables if there is no such member.
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
      if (more.size() > most_choices) {
        throw InputError(own.where(*lists),
                         fmt::format("makes more than {} experiments; split it", most_choices));
      }
    }
    choices = std::move(more);
  }
  return choices;
}

/// The text of `value`, which stands in `own`, with all {variable}s replaced; of a number, its
/// digits.
std::string filled(const JsonObject& own, const JsonValue& value, const Variables& variables) {
  const std::string& text = spelled(own, value);
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '{') {
      out += text[at++];
      continue;
    }
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) {
      throw InputError(
          own.where(value),
          fmt::format("'{}' opens a brace and does not close it; write {{variable}}", text));
    }
    out += variable(text.substr(at + 1, end - at - 1), own.where(value), variables);
    at = end + 1;
  }
  return out;
}

/// Members that an experiment may have, or a campaign for all its experiments.
const std::vector<std::string> shared_members = {
    "platform", "traces",   "map",  "scenario", "workloads",     "policies",        "without",
    "per_node", "baseline", "reps", "seed",     "decision_cost", "dispatch_cost_s", "group"};

std::vector<std::string> with_shared_members(std::vector<std::string> own) {
  own.insert(own.end(), shared_members.begin(), shared_members.end());
  const std::vector<std::string> settings = member_names<RunSettings>(in_campaigns);
  own.insert(own.end(), settings.begin(), settings.end());
  return own;
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
    ComparisonOptions& o = experiment.options;
    o.blocks_max = BlocksMax{};  // none: an experiment has results of all its policies
    o.quiet = true;  // the sweep shows its own progress, and the results say what took part
    o.platform_file = from_folder(folder_, filled(required("platform")));
    for (const std::string& file : texts("traces")) {
      o.trace_files.push_back(from_folder(folder_, file));
    }
    if (const JsonValue* map = find("map")) {
      o.maps = texts("map");
      static_cast<void>(parse_maps(o.maps, own_.where(*map)));  // throws if unreadable
    }
    for (const std::string& workload : texts("workloads")) {
      o.workloads.push_back(workload_from_folder(folder_, workload));
    }
    o.policies = texts("policies");
    if (find("without") != nullptr) o.without = texts("without");
    if (const JsonValue* given = find("per_node")) {
      const std::string per_node = filled(*given);
      if (!per_node.empty()) {
        o.per_node = policy_from_folder(folder_, per_node, own_.where(*given));
      }
    }
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

  [[nodiscard]] std::string filled(const JsonValue& value) const {
    return equipoise::filled(own_, value, variables_);
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

  void read_settings(ComparisonOptions& o) const {
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
    for (const JsonObject* const object : {&campaign_, &own_}) {
      read_members(*object, static_cast<RunSettings&>(o), {.place = in_campaigns});
    }
    if (const JsonValue* value = find("decision_cost")) {
      o.decision_cost = filled(*value);
      try {
        static_cast<void>(make_cost_meter(o.decision_cost, {}));
      } catch (const InputError& refusal) {
        throw InputError(own_.where(*value), "decision_cost: " + refusal.why());
      }
    }
    if (const JsonValue* value = find("dispatch_cost_s")) {
      const double seconds = parse_quantity(filled(*value), "s", own_.where(*value));
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

/// Reads "1.2..2.5"; nothing if the text is no interval.
std::optional<PrintedValue> read_interval(const std::string& text, const std::string& where) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const double least = parse_number(text.substr(0, dots), where);
  const double most = parse_number(text.substr(dots + 2), where);
  if (least >= most) {
    throw InputError(where, fmt::format("the interval '{}' is empty; write LEAST..MOST", text));
  }
  return PrintedValue{PrintedValue::Relation::within, least, most};
}

/// Reads "2.2", "> 1.2", "< 1" or "1.2..2.5". Nothing for null: the paper's number is not known.
std::optional<PrintedValue> read_printed(const JsonObject& own, const JsonValue& value,
                                         const Variables& variables) {
  if (value.kind == JsonValue::Kind::null) return std::nullopt;
  std::string text = filled(own, value, variables);
  if (const auto interval = read_interval(text, own.where(value))) return interval;
  PrintedValue printed;
  if (text.starts_with('>')) printed.relation = PrintedValue::Relation::more;
  if (text.starts_with('<')) printed.relation = PrintedValue::Relation::less;
  if (printed.relation != PrintedValue::Relation::equal) {
    text.erase(0, text.find_first_not_of(' ', 1));
  }
  printed.value = parse_number(text, own.where(value));
  return printed;
}

PublishedFigure read_figure(const JsonObject& own, const Variables& variables) {
  const auto text = [&](const char* name) { return filled(own, own.at(name), variables); };
  PublishedFigure figure;
  figure.where = own.where();
  figure.figure = text("figure");
  figure.experiment = text("experiment");
  if (own.find("field") != nullptr) figure.field = text("field");
  if (own.find("over") != nullptr) figure.over = text("over");
  figure.source = text("source");
  const JsonValue& values = own.at("values");
  if (values.kind != JsonValue::Kind::object || values.object.empty()) {
    throw InputError(own.where(values),
                     "'values' must be an object: the printed number of each policy, or null");
  }
  for (const JsonMember& member : values.object) {
    JsonValue policy = member.value;
    policy.kind = JsonValue::Kind::text;
    policy.text = member.name;
    figure.policies.push_back(
        {filled(own, policy, variables), read_printed(own, member.value, variables)});
  }
  return figure;
}

void add_figures(const JsonValue& value, Campaign& campaign) {
  const JsonObject own(value, campaign.file, "a published figure",
                       {"figure", "for", "experiment", "field", "over", "values", "source"});
  std::vector<std::string> names;
  for (const Experiment& experiment : campaign.experiments) names.push_back(experiment.name);
  for (const Variables& variables : choices_of(own)) {
    PublishedFigure figure = read_figure(own, variables);
    if (std::find(names.begin(), names.end(), figure.experiment) == names.end()) {
      throw InputError(figure.where, unknown_name("experiment", figure.experiment, names));
    }
    campaign.published.push_back(std::move(figure));
  }
}

void read_published(const JsonObject& top, Campaign& campaign, std::vector<std::string>& problems) {
  if (top.find("published") == nullptr) return;
  for (const JsonValue& value : top.list("published")) {
    try {
      add_figures(value, campaign);
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

void keep_only(Campaign& campaign, const std::vector<std::string>& patterns,
               const std::string& where) {
  if (patterns.empty()) return;
  const auto matches = [](const std::string& pattern, const std::string& name) {
    return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
  };
  for (const std::string& pattern : patterns) {
    const bool used = std::any_of(campaign.experiments.begin(), campaign.experiments.end(),
                                  [&](const Experiment& e) { return matches(pattern, e.name); });
    if (used) continue;
    const std::string longer = pattern + "-*";
    const bool would_match =
        std::any_of(campaign.experiments.begin(), campaign.experiments.end(),
                    [&](const Experiment& e) { return matches(longer, e.name); });
    throw InputError(where,
                     fmt::format("no experiment of {} is called '{}'; {}", campaign.file, pattern,
                                 would_match ? fmt::format("did you mean '{}'?", longer)
                                             : std::string("write a name, or part of one with *")));
  }
  const auto left_out = [&](const std::string& name) {
    return std::none_of(patterns.begin(), patterns.end(),
                        [&](const std::string& pattern) { return matches(pattern, name); });
  };
  const auto missing =
      std::erase_if(campaign.experiments, [&](const Experiment& e) { return left_out(e.name); });
  campaign.is_part = campaign.is_part || missing > 0;
  std::erase_if(campaign.published,
                [&](const PublishedFigure& f) { return left_out(f.experiment); });
}

}  // namespace equipoise
