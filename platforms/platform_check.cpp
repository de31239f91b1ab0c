// Checks platform files before SimGrid reads them.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "platforms/host_properties.hpp"
#include "platforms/link_profile.hpp"
#include "platforms/platform_file.hpp"
#include "platforms/platform_settings.hpp"
#include "platforms/xml_file.hpp"
#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/printable_text.hpp"

namespace equipoise {
namespace {

constexpr double gibibyte = 0x1p30;
/// Tables of so many bytes fit everywhere.
constexpr double always_there = gibibyte / 16.0;

/// What is free on the machine, or the limit of this process (`ulimit -v`). Infinite where the
/// machine does not say.
double free_bytes() {
  double bytes = std::numeric_limits<double>::infinity();
  std::ifstream file("/proc/meminfo");
  double kibibytes = 0.0;
  for (std::string word; file >> word;) {
    if (word == "MemAvailable:" && file >> kibibytes) bytes = kibibytes * 1024.0;
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    bytes = std::min(bytes, static_cast<double>(limit.rlim_cur));
  }
  return bytes;
}

/// Removes blanks and a whole number >= 0 from the beginning of `text` and returns the number;
/// nothing if there is none.
std::optional<int> take_number(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// The number of hosts in `radical`, such as 0-9,12; nothing if it is malformed.
std::optional<double> hosts_of_radical(std::string_view radical) {
  for (double hosts = 0.0;;) {
    const std::optional<int> first = take_number(radical);
    std::optional<int> last = first;
    if (radical.starts_with('-')) {
      radical.remove_prefix(1);
      last = take_number(radical);
    }
    if (!first || !last || *last < *first) return std::nullopt;
    hosts += static_cast<double>(*last) - *first + 1.0;
    if (radical.empty()) return hosts;
    if (radical.front() != ',') return std::nullopt;
    radical.remove_prefix(1);
  }
}

/// An element that SimGrid or Equipoise does not use, and what the user should do.
struct RefusedElement {
  std::string_view name;
  std::string_view why;
};
constexpr std::array refused_elements{
    RefusedElement{"actor", "nothing is deployed here, policies hand out the work; remove it"},
    RefusedElement{"process", "nothing is deployed here, policies hand out the work; remove it"},
    RefusedElement{"include", "SimGrid no longer reads it; put the file's elements in its place"},
    RefusedElement{"storage", "SimGrid no longer reads it; remove it or make it a <disk>"},
    RefusedElement{"storage_type", "SimGrid no longer reads it; remove it"},
    RefusedElement{"mount", "SimGrid no longer reads it; remove it"},
};
/// All other elements of SimGrid's grammar.
constexpr std::array known_elements{
    "platform", "config",        "prop",          "zone",        "AS",
    "host",     "disk",          "router",        "link",        "link_ctn",
    "backbone", "cluster",       "cabinet",       "peer",        "host_link",
    "route",    "zoneRoute",     "ASroute",       "bypassRoute", "bypassZoneRoute",
    "trace",    "trace_connect", "bypassASroute", "random",      "model_prop"};

/// What SimGrid counts in the tables of a zone.
constexpr std::array<std::string_view, 7> vertex_elements{"host",    "router",  "zone", "AS",
                                                          "cluster", "cabinet", "peer"};

/// The name of an element in messages: `link l`.
std::string subject_of(const pugi::xml_node& node) {
  return fmt::format("{} {}", node.name(), printable(node.attribute("id").as_string()));
}

/// Visits and checks all elements of the file.
class PlatformChecker {
 public:
  explicit PlatformChecker(const std::string& path) : file_(path) {}

  PlatformFileFacts check() {
    const pugi::xml_node platform = file_.document().child("platform");
    if (!platform) {
      file_.refuse(file_.document().document_element(),
                   "no <platform>; give a SimGrid platform file");
    }
    check_version(platform);
    visit_all(platform);
    if (facts_.hosts.empty() && !facts_.generates_hosts) {
      file_.refuse(platform, "a platform without hosts; add the machine's hosts");
    }
    if (facts_.master.empty() && !facts_.hosts.empty()) {
      facts_.master = facts_.hosts.front().name;
    }
    refuse_fatpipes_with_profiles();
    settings_.drop_defaults();
    facts_.notices = settings_.notices();
    facts_.source.file = file_.path();
    facts_.source.xml = simgrid_xml(file_);
    return std::move(facts_);
  }

 private:
  void check_version(const pugi::xml_node& platform) const {
    const std::string version = platform.attribute("version").as_string();
    const std::optional<double> value = number_from(version);
    if (!value) {
      file_.refuse(platform, "<platform> has no version that can be read; write version=\"4.1\"");
    }
    if (*value < 4.0) {
      file_.refuse(platform, "a platform of version " + printable(version) +
                                 ", which SimGrid no longer reads; convert it with "
                                 "`simgrid_update_xml FILE`");
    }
  }

  /// Visits depth first in the order of the file, without recursion, because files may be nested
  /// very deeply.
  void visit_all(const pugi::xml_node& platform) {
    struct Visitor : pugi::xml_tree_walker {
      explicit Visitor(PlatformChecker& owner) : checker(owner) {}
      bool for_each(pugi::xml_node& node) override {
        checker.visit(node);
        return true;
      }
      PlatformChecker& checker;
    } visitor(*this);
    pugi::xml_node root = platform;
    check_attributes(root);
    root.traverse(visitor);
  }

  void visit(pugi::xml_node& node) {
    const std::string_view name = node.name();
    if (node.type() != pugi::node_element) {
      if (node.parent().name() == std::string_view("trace")) return;
      file_.refuse(
          node, fmt::format("text between elements, `{}`; remove it", printable(node.value(), 40)));
    }
    check_element(node);
    check_attributes(node);
    check_simulable(node);
    if (name == "host") visit_host(node);
    if (name == "link") visit_link(node);
    if (name == "cluster" || name == "cabinet") visit_generator(node);
    if (name == "peer") facts_.generates_hosts = true;
    if (name == "zone" || name == "AS") check_tables(node);
    if (name == "trace") visit_trace(node);
    if (name == "trace_connect") visit_connection(node);
    if (name == "config") {
      for (const pugi::xml_node& prop : node.children("prop")) settings_.take(file_, prop);
    } else {
      check_properties(node);
    }
    count_hosts(node, name == "host" || name == "peer" ? 1.0 : 0.0);
  }

  void check_element(const pugi::xml_node& node) const {
    const std::string_view name = node.name();
    for (const RefusedElement& refused : refused_elements) {
      if (name != refused.name) continue;
      file_.refuse(node, fmt::format("an element <{}>: {}", refused.name, refused.why));
    }
    if (std::ranges::find(known_elements, name) == known_elements.end()) {
      file_.refuse(node, fmt::format("<{}> is no element of a SimGrid platform; remove it",
                                     printable(name)));
    }
  }

  /// Names are written to traces, journals and results, which are UTF-8 without control
  /// characters, and SimGrid prints values in its messages.
  void check_attributes(const pugi::xml_node& node) const {
    std::set<std::string_view> names;
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      if (!is_utf8(attribute.name()) || !is_utf8(attribute.value())) {
        file_.refuse(node, fmt::format("{} of <{}> is not UTF-8, `{}`; convert the file (`iconv -t "
                                       "UTF-8`)",
                                       printable(attribute.name()), node.name(),
                                       printable(attribute.value())));
      }
      if (!is_printable(attribute.name()) || !is_printable(attribute.value())) {
        file_.refuse(node, fmt::format("{} of <{}> has control characters, `{}`; remove them",
                                       printable(attribute.name()), node.name(),
                                       printable(attribute.value())));
      }
      if (!names.insert(attribute.name()).second) {
        file_.refuse(node, fmt::format("<{}> has {} twice; remove one", node.name(),
                                       printable(attribute.name())));
      }
    }
  }

  /// Refuses what SimGrid loads, but then stops the program in the middle of a simulation or does
  /// not simulate at all.
  void check_simulable(const pugi::xml_node& node) const {
    if (node.attribute("sharing_policy").as_string() == std::string_view("WIFI")) {
      file_.refuse(node,
                   subject_of(node) + ": sharing_policy WIFI is not supported; make it SHARED");
    }
    if (*node.attribute("state_file").as_string() != '\0') {
      file_.refuse(node, subject_of(node) + ": a state_file is not supported; remove it");
    }
    for (const char* profile : {"speed_file", "availability_file"}) {
      if (*node.attribute(profile).as_string() == '\0') continue;
      file_.refuse(node, fmt::format("{}: {} is not simulated, times come from traces; remove it, "
                                     "and give a scenario an event of kind `profile`",
                                     subject_of(node), profile));
    }
  }

  /// Refuses an element with the id of an earlier one; `lines` has the line of each id.
  void expect_new(const pugi::xml_node& node, std::map<std::string, int>& lines) const {
    const auto [earlier, added] =
        lines.emplace(node.attribute("id").as_string(), file_.line_of(node));
    if (added) return;
    file_.refuse(node, fmt::format("{} is there already, on line {}; rename or remove one",
                                   subject_of(node), earlier->second));
  }

  /// Of two properties with one name, SimGrid takes the first.
  void check_properties(const pugi::xml_node& node) const {
    std::map<std::string, int> lines;
    for (const pugi::xml_node& prop : node.children("prop")) expect_new(prop, lines);
  }

  void visit_host(const pugi::xml_node& node) {
    const std::string name = node.attribute("id").as_string();
    if (name.empty()) file_.refuse(node, "a host without id; name it");
    expect_new(node, line_of_host_);
    facts_.hosts.push_back({name, file_.line_of(node)});
    std::map<std::string, std::string> properties;
    for (const pugi::xml_node& prop : node.children("prop")) {
      visit_property(name, prop);
      properties[prop.attribute("id").as_string()] = prop.attribute("value").as_string();
    }
    if (properties.contains("device")) visit_device(name, properties, node);
  }

  /// Checks the unit that `node` describes against those of its device before it.
  void visit_device(const std::string& host, const std::map<std::string, std::string>& properties,
                    const pugi::xml_node& node) {
    try {
      Unit unit = unit_from_properties(host, properties).unit;
      check_device(unit, units_of_devices_, "");
      units_of_devices_.push_back(std::move(unit));
    } catch (const InputError& error) {
      file_.refuse(node, "host " + printable(host) + ": " + error.why());
    }
  }

  void visit_property(const std::string& host, const pugi::xml_node& prop) {
    const std::string name = prop.attribute("id").as_string();
    const std::string value = prop.attribute("value").as_string();
    PlatformUnit ignored;
    try {
      apply_property(name, value, ignored);
    } catch (const InputError& error) {
      file_.refuse(prop, "host " + printable(host) + ": " + error.why());
    }
    if (name != "master" || value != "true") return;
    if (!facts_.master.empty() && facts_.master != host) {
      file_.refuse(prop, fmt::format("hosts {} and {} are both master; keep the one that holds the "
                                     "input",
                                     printable(facts_.master), printable(host)));
    }
    facts_.master = host;
  }

  /// A cluster or cabinet: SimGrid generates its hosts while it loads the file, so they are counted
  /// here beforehand.
  void visit_generator(const pugi::xml_node& node) {
    facts_.generates_hosts = true;
    const char* const radical = node.attribute("radical").as_string();
    const std::optional<double> hosts = hosts_of_radical(radical);
    if (!hosts) {
      file_.refuse(node, fmt::format("{}: radical must be numbers and ranges as 0-9,12, not `{}`; "
                                     "correct it",
                                     subject_of(node), printable(radical)));
    }
    count_hosts(node, *hosts);
  }

  void count_hosts(const pugi::xml_node& node, double more) {
    hosts_ += more;
    if (hosts_ <= most_hosts) return;
    file_.refuse(node,
                 fmt::format("more than {} hosts, {:.0f} up to here; describe a smaller platform",
                             most_hosts, hosts_));
  }

  /// SimGrid makes tables for each pair of hosts, routers and zones of a zone when it has read the
  /// zone, before it knows any route, and ends if they do not fit: with routing Full a pointer to
  /// the route, with Floyd also a cost and a predecessor, with others none.
  void check_tables(const pugi::xml_node& zone) {
    const auto is_vertex = [](const pugi::xml_node& child) {
      return std::ranges::find(vertex_elements, child.name()) != vertex_elements.end();
    };
    const auto vertices = static_cast<double>(std::ranges::count_if(zone.children(), is_vertex));
    const std::string_view routing = zone.attribute("routing").as_string();
    const double pair_bytes = routing == "Full" ? 8.0 : routing == "Floyd" ? 24.0 : 0.0;
    const double bytes = pair_bytes * vertices * vertices;
    table_bytes_ += bytes;
    if (table_bytes_ <= always_there || bytes == 0.0) return;
    const double free = free_bytes();
    if (table_bytes_ <= free) return;
    file_.refuse(
        zone,
        fmt::format("{}: SimGrid needs {:.1f} GiB for the routes of {:.0f} hosts and zones with "
                    "routing {} ({:.0f} bytes for every pair), and {:.1f} GiB are free; divide the "
                    "hosts among several zones, or describe them with <cluster>",
                    subject_of(zone), table_bytes_ / gibibyte, vertices, routing, pair_bytes,
                    free / gibibyte));
  }

  void visit_link(pugi::xml_node& node) {
    const std::string name = node.attribute("id").as_string();
    if (node.attribute("sharing_policy").as_string() == std::string_view("FATPIPE")) {
      fatpipes_.insert(name);
    }
    const std::optional<ProfileRange> bandwidths =
        check_profile_of(node, "bandwidth_file", least_bandwidth);
    if (bandwidths) note_profile(name, node, *bandwidths);
    static_cast<void>(check_profile_of(node, "latency_file", 0.0));
  }

  /// Notes that the bandwidth of `link` has a profile, because of `node`.
  void note_profile(const std::string& link, const pugi::xml_node& node,
                    const ProfileRange& bandwidths) {
    bandwidth_profiles_[link] = node;
    double& greatest = facts_.source.greatest_bandwidths[link];
    greatest = std::max(greatest, bandwidths.greatest);
  }

  /// SimGrid bounds a transfer by the bandwidth that a link has when the transfer begins. For links
  /// that are shared we have a remedy (`ChangingLinks`), for FATPIPE there is none.
  void refuse_fatpipes_with_profiles() const {
    for (const auto& [link, node] : bandwidth_profiles_) {
      if (!fatpipes_.contains(link)) continue;
      file_.refuse(node,
                   fmt::format("link {} is a FATPIPE and its bandwidth has a profile; SimGrid "
                               "does not make transfers under way faster there; make the "
                               "link SHARED, or remove the profile",
                               printable(link)));
    }
  }

  /// Also keeps the text for SimGrid, which is to read exactly what was checked. Returns nothing if
  /// there is no profile.
  std::optional<ProfileRange> check_profile_of(pugi::xml_node& node, const char* name,
                                               double least) {
    pugi::xml_attribute attribute = node.attribute(name);
    if (*attribute.as_string() == '\0') return std::nullopt;
    const std::string where = fmt::format("{}:{}", file_.path(), file_.line_of(node));
    const std::string file = find_profile(attribute.as_string(), file_.path(), where);
    std::vector<std::string>& profiles = facts_.source.profiles;
    const std::string& text = profiles.emplace_back(profile_text(file));
    profile_bytes_ += text.size();
    if (profile_bytes_ > most_profile_bytes || profiles.size() > most_profiles) {
      file_.refuse(node, fmt::format("{}: more than {} profiles, or {} bytes of profiles; give "
                                     "fewer or shorter ones",
                                     subject_of(node), most_profiles, most_profile_bytes));
    }
    attribute.set_value(profile_name(profiles.size() - 1).c_str());
    return check_link_profile(text, -1.0, least, file, 1);
  }

  void visit_trace(pugi::xml_node& node) {
    expect_new(node, line_of_trace_);
    ProfileRange& range = traces_[node.attribute("id").as_string()];
    if (const std::optional<ProfileRange> in_file = check_profile_of(node, "file", 0.0)) {
      range = *in_file;
      return;
    }
    const std::optional<double> period_s =
        number_from(node.attribute("periodicity").as_string("-1"));
    if (!period_s) file_.refuse(node, subject_of(node) + ": periodicity is no number; correct it");
    std::string text;
    for (const pugi::xml_node& part : node.children()) text += part.value();
    range = check_link_profile(text, *period_s, 0.0, file_.path(), file_.line_of(node));
  }

  void visit_connection(const pugi::xml_node& node) {
    const std::string kind = node.attribute("kind").as_string("HOST_AVAIL");
    if (kind != "BANDWIDTH" && kind != "LATENCY") {
      file_.refuse(node,
                   fmt::format("trace_connect of kind {} is not supported; remove it, and say "
                               "in a scenario what disturbs hosts",
                               printable(kind)));
    }
    const std::string trace = node.attribute("trace").as_string();
    const auto range = traces_.find(trace);
    if (kind == "BANDWIDTH" && range != traces_.end()) {
      if (range->second.least < least_bandwidth) {
        file_.refuse(node, fmt::format("trace {} has values below 1 byte a second; correct it",
                                       printable(trace)));
      }
      note_profile(node.attribute("element").as_string(), node, range->second);
    }
    if (connected_.insert(kind + " " + trace).second) return;
    file_.refuse(node,
                 fmt::format("trace {} is connected already, and SimGrid would leave this one "
                             "out; write a second <trace>",
                             printable(trace)));
  }

  /// SimGrid does not finish loading a platform with more hosts.
  static constexpr double most_hosts = 1e6;
  /// Smallest bandwidth of a link with a profile, in bytes/s: without bandwidth, transfers would
  /// never end.
  static constexpr double least_bandwidth = 1.0;
  /// Each profile is an open file while SimGrid reads the platform; a process may have 1024.
  static constexpr std::size_t most_profiles = 500;

  XmlFile file_;
  std::vector<Unit> units_of_devices_;  ///< those of hosts with the property `device`
  std::map<std::string, int> line_of_host_;
  std::map<std::string, int> line_of_trace_;
  std::set<std::string> connected_;
  std::map<std::string, ProfileRange> traces_;  ///< the values of each <trace>
  std::set<std::string> fatpipes_;
  std::map<std::string, pugi::xml_node> bandwidth_profiles_;  ///< by link: what gives it one
  double hosts_ = 0.0;
  double table_bytes_ = 0.0;  ///< of all zones up to here
  std::size_t profile_bytes_ = 0;
  PlatformSettings settings_;
  PlatformFileFacts facts_;
};

}  // namespace

PlatformFileFacts check_platform_file(const std::string& path) {
  return PlatformChecker(path).check();
}

}  // namespace equipoise
