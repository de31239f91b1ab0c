// Static checks of platform files through pugixml, and the meaning of host properties.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <pugixml.hpp>
#include <sstream>

#include "platforms/platform_file.hpp"
#include "shared_policies/model/failure.hpp"
#include "traces/files/input_file.hpp"

namespace equipoise {
namespace {

std::optional<double> number_from(const std::string& text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

double not_negative(const std::string& text, const char* property) {
  const std::optional<double> value = number_from(text);
  if (!value || *value < 0.0 || *value > 9.2e18) {
    throw InputError("", fmt::format("property {} must be a number from 0 on, not `{}`; correct it",
                                     property, text));
  }
  return *value;
}

int whole(const std::string& text, const char* property, int least, int most) {
  const std::optional<double> value = number_from(text);
  if (!value || *value != std::floor(*value) || *value < least || *value > most) {
    throw InputError(
        "", fmt::format("property {} must be a whole number from {} to {}, not `{}`; correct it",
                        property, least, most, text));
  }
  return static_cast<int>(*value);
}

/// Idle and busy watts from SimGrid's "idle:all", "idle:epsilon:all" or "all", of the first state.
void read_watts(const std::string& text, Unit& unit) {
  std::vector<double> watts;
  std::istringstream split(text.substr(0, text.find(',')));
  for (std::string part; std::getline(split, part, ':');) {
    const std::size_t first = part.find_first_not_of(" \t");
    const std::size_t last = part.find_last_not_of(" \t");
    const std::optional<double> value = first == std::string::npos
                                            ? std::nullopt
                                            : number_from(part.substr(first, last - first + 1));
    if (!value || *value < 0.0) watts.clear();
    if (!value || *value < 0.0) break;
    watts.push_back(*value);
  }
  if (watts.empty() || watts.size() > 3) {
    throw InputError("", "property wattage_per_state must be watts as `idle:busy`, not `" + text +
                             "`; correct it");
  }
  if (watts.back() < watts.front()) {
    throw InputError("", "property wattage_per_state has fewer watts busy than idle, `" + text +
                             "`; write idle:busy");
  }
  unit.idle_w = watts.front();
  unit.busy_w = watts.back();
}

/// Takes in one property that means something to us; throws InputError without a place.
void apply_property(const std::string& name, const std::string& value, PlatformUnit& result) {
  Unit& unit = result.unit;
  if (name == "kind") {
    const std::optional<UnitKind> kind = unit_kind_from(value);
    if (!kind) {
      throw InputError("",
                       "property kind must be cpu, gpu or mic, not `" + value + "`; correct it");
    }
    unit.kind = *kind;
  } else if (name == "memory_bytes") {
    unit.memory_bytes = not_negative(value, "memory_bytes");
  } else if (name == "copy_engines") {
    unit.copy_engines = whole(value, "copy_engines", 0, 2);
  } else if (name == "slots") {
    unit.slots = whole(value, "slots", 1, 1000000);
  } else if (name == "wattage_per_state") {
    read_watts(value, unit);
  } else if (name == "master") {
    if (value != "true" && value != "false") {
      throw InputError("",
                       "property master must be true or false, not `" + value + "`; correct it");
    }
  } else if (name == "node") {
    unit.node = value;
  } else if (name == "model") {
    unit.model = value;
  } else if (name == "trace_unit") {
    if (value.empty()) throw InputError("", "property trace_unit is empty; name a unit of a trace");
    result.trace_unit = value;
  }
}

/// Finds lines and walks the file.
class PlatformChecker {
 public:
  PlatformChecker(const std::string& path, std::string text) : path_(path), text_(std::move(text)) {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '\n') line_ends_.push_back(i);
    }
  }

  PlatformFileFacts check() {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed =
        document.load_buffer(text_.data(), text_.size(), pugi::parse_default | pugi::parse_doctype);
    if (!parsed) {
      const bool empty = parsed.status == pugi::status_no_document_element;
      refuse(empty ? 0 : parsed.offset,
             std::string("not XML: ") + parsed.description() + "; give a SimGrid platform file");
    }
    const pugi::xml_node platform = document.child("platform");
    if (!platform) {
      refuse(document.document_element().offset_debug(),
             "no <platform>; give a SimGrid platform file");
    }
    check_version(platform);
    visit_all(platform);
    if (facts_.hosts.empty() && !facts_.generates_hosts) {
      refuse(platform.offset_debug(), "a platform without hosts; add the machine's hosts");
    }
    if (facts_.master.empty() && !facts_.hosts.empty()) {
      facts_.master = facts_.hosts.front().name;
    }
    return std::move(facts_);
  }

 private:
  [[nodiscard]] int line_of(std::ptrdiff_t offset) const {
    const auto position = static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0));
    const auto before = std::lower_bound(line_ends_.begin(), line_ends_.end(), position);
    return static_cast<int>(before - line_ends_.begin()) + 1;
  }

  [[noreturn]] void refuse(std::ptrdiff_t offset, const std::string& why) const {
    throw InputError(path_ + ":" + std::to_string(line_of(offset)), why);
  }

  void check_version(const pugi::xml_node& platform) const {
    const std::string version = platform.attribute("version").as_string();
    const std::optional<double> value = number_from(version);
    if (!value) {
      refuse(platform.offset_debug(),
             "<platform> has no version that can be read; write version=\"4.1\"");
    }
    if (*value < 4.0) {
      refuse(platform.offset_debug(), "a platform of version " + version +
                                          ", which SimGrid no longer reads; convert it with "
                                          "`simgrid_update_xml FILE`");
    }
  }

  /// Depth first in the order of the file, without recursion: files may be nested absurdly.
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
    root.traverse(visitor);
  }

  void visit(const pugi::xml_node& node) {
    const std::string name = node.name();
    if (name == "cluster" || name == "peer" || name == "cabinet") facts_.generates_hosts = true;
    check_simulable(node);
    if (name == "host") visit_host(node);
  }

  /// SimGrid loads these and stops the program in the middle of a simulation.
  void check_simulable(const pugi::xml_node& node) const {
    const std::string name = node.name();
    const std::string subject = name + " " + node.attribute("id").as_string();
    const std::string trace_kind = node.attribute("kind").as_string("HOST_AVAIL");
    if (node.attribute("sharing_policy").as_string() == std::string("WIFI")) {
      refuse(node.offset_debug(),
             subject + ": sharing_policy WIFI is not supported; make it SHARED");
    }
    if (*node.attribute("state_file").as_string() != '\0') {
      refuse(node.offset_debug(), subject + ": a state_file is not supported; remove it");
    }
    if (name == "trace_connect" && (trace_kind == "HOST_AVAIL" || trace_kind == "LINK_AVAIL")) {
      refuse(node.offset_debug(),
             "trace_connect of kind " + trace_kind + " is not supported; remove it");
    }
  }

  void visit_host(const pugi::xml_node& node) {
    const std::string name = node.attribute("id").as_string();
    if (name.empty()) refuse(node.offset_debug(), "a host without id; name it");
    const int line = line_of(node.offset_debug());
    const auto [earlier, added] = line_of_host_.emplace(name, line);
    if (!added) {
      refuse(node.offset_debug(),
             fmt::format("host {} is there already, on line {}; rename or remove one", name,
                         earlier->second));
    }
    facts_.hosts.push_back({name, line});
    for (const pugi::xml_node& prop : node.children("prop")) visit_property(name, prop);
  }

  void visit_property(const std::string& host, const pugi::xml_node& prop) {
    const std::string name = prop.attribute("id").as_string();
    const std::string value = prop.attribute("value").as_string();
    PlatformUnit ignored;
    try {
      apply_property(name, value, ignored);
    } catch (const InputError& error) {
      refuse(prop.offset_debug(), "host " + host + ": " + error.why());
    }
    if (name != "master" || value != "true") return;
    if (!facts_.master.empty() && facts_.master != host) {
      refuse(prop.offset_debug(), "hosts " + facts_.master + " and " + host +
                                      " are both master; keep the one that holds the input");
    }
    facts_.master = host;
  }

  const std::string& path_;
  std::string text_;
  std::vector<std::size_t> line_ends_;
  std::map<std::string, int> line_of_host_;
  PlatformFileFacts facts_;
};

}  // namespace

PlatformFileFacts check_platform_file(const std::string& path) {
  std::string text = read_input(path, "give a SimGrid platform file");
  if (text.empty()) throw InputError(path, "the file is empty; give a SimGrid platform file");
  return PlatformChecker(path, std::move(text)).check();
}

PlatformUnit unit_from_properties(const std::string& host,
                                  const std::map<std::string, std::string>& properties) {
  PlatformUnit result;
  result.unit.name = host;
  result.unit.node = host;
  result.trace_unit = host;
  for (const auto& [name, value] : properties) {
    try {
      apply_property(name, value, result);
    } catch (const InputError& error) {
      throw InputError("host " + host, error.why());
    }
  }
  return result;
}

}  // namespace equipoise
