// The format of work files.
#include "traces/work_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/text/nearest_name.hpp"
#include "traces/files/input_file.hpp"
#include "traces/json_document.hpp"
#include "traces/json_record.hpp"

namespace equipoise {
namespace {

constexpr std::int64_t items_max = std::numeric_limits<std::int64_t>::max() / 2;
constexpr std::size_t longest_work = std::size_t{1} << 20;
constexpr double bytes_max = 1e18;
constexpr double timeout_max_s = 1e9;

/// Where a text with placeholders is used.
enum class PlaceholderUse : std::uint8_t {
  each_block,   ///< for a block alone
  many_blocks,  ///< for all blocks of a unit
  all_results   ///< for the check
};

/// Throws InputError unless all placeholders in `text` have a value where it is used. Other words
/// in braces stand for themselves, unless they are nearly placeholders.
void check_placeholders(const std::string& text, PlaceholderUse use, const std::string& where) {
  std::vector<std::string> known;
  for (const CommandPlaceholder& one : command_placeholders) known.emplace_back(one.name);
  for (const std::string& name : names_in_braces(text)) {
    const auto found =
        std::ranges::find(command_placeholders, std::string_view(name),
                          [](const CommandPlaceholder& one) { return std::string_view(one.name); });
    if (found == command_placeholders.end()) {
      const std::vector<std::string> near = near_names(name, known);
      if (near.empty()) continue;
      throw InputError(where, fmt::format("unknown placeholder {{{}}}; did you mean {{{}}}?", name,
                                          near.front()));
    }
    if (use == PlaceholderUse::many_blocks && found->of_block) {
      throw InputError(where, fmt::format("{{{}}} is of one block, and with \"mode\": \"serve\" a "
                                          "process does many: it reads lines FIRST COUNT; leave "
                                          "it out",
                                          name));
    }
    if (use == PlaceholderUse::all_results && name != "results") {
      throw InputError(where, fmt::format("{{{}}} has no value in a check of all results; use "
                                          "{{results}}",
                                          name));
    }
  }
}

/// Reads the texts of a work file, and checks them.
class WorkReader {
 public:
  WorkReader(const std::string& text, const std::string& path)
      : path_(path), document_(parse_json(text, path)) {}

  [[nodiscard]] CommandWork read() {
    const JsonObject top(
        document_, path_, "a work file",
        {"schema", "name", "items", "item", "grain", "mode", "says_ready", "run", "env", "units",
         "in_bytes_per_item", "out_bytes_per_item", "check", "timeout_s"});
    expect_schema(top.text("schema"), work_schema, top.where(top.at("schema")));
    CommandWork work;
    work.name = name_of(top);
    work.items = top.whole("items", 1, items_max);
    if (top.find("item") != nullptr) work.item = top.text("item");
    if (top.find("grain") != nullptr) work.grain_items = top.whole("grain", 1, items_max);
    if (top.find("mode") != nullptr) work.mode = value_of<CommandMode>(top.field("mode"), {}, {});
    if (top.find("says_ready") != nullptr) work.says_ready = top.flag("says_ready");
    if (work.says_ready && work.mode == CommandMode::exec) {
      throw InputError(top.where(top.at("says_ready")),
                       "says_ready is for \"mode\": \"serve\"; leave it out");
    }
    use_ =
        work.mode == CommandMode::exec ? PlaceholderUse::each_block : PlaceholderUse::many_blocks;
    read_line(top, work.all);
    if (top.find("units") != nullptr) read_units(top, work);
    if (work.all.words.empty() && work.units.empty()) {
      throw InputError(top.where(),
                       "no command: add \"run\", a list of a program and its "
                       "arguments");
    }
    for (const auto& [name, bytes] : {std::pair("in_bytes_per_item", &work.in_bytes_per_item),
                                      std::pair("out_bytes_per_item", &work.out_bytes_per_item)}) {
      if (top.find(name) != nullptr) *bytes = top.quantity(name, 0.0, bytes_max);
    }
    if (top.find("check") != nullptr)
      work.check = words_of(top, "check", PlaceholderUse::all_results);
    if (top.find("timeout_s") != nullptr) {
      work.timeout =
          Seconds{top.quantity("timeout_s", std::numeric_limits<double>::min(), timeout_max_s)};
    }
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    if (!folder.empty()) work.folder = folder;
    return work;
  }

 private:
  [[nodiscard]] std::string name_of(const JsonObject& top) const {
    const std::string& name = top.text("name");
    const auto is_legal = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-' || c == '.';
    };
    if (!name.empty() && std::ranges::all_of(name, is_legal)) return name;
    throw InputError(
        top.where(top.at("name")),
        fmt::format("'{}' is no name of a kernel; use letters, digits, '_', '-', '.'", name));
  }

  /// The words of a command, of which there is at least one.
  [[nodiscard]] std::vector<std::string> words_of(const JsonObject& object, const char* name,
                                                  PlaceholderUse use) const {
    std::vector<std::string> words;
    for (const JsonValue& word : object.list(name)) {
      words.push_back(JsonField(word, path_, name).text());
      check_placeholders(words.back(), use, object.where(word));
    }
    if (words.empty() || words.front().empty()) {
      throw InputError(object.where(object.at(name)),
                       fmt::format("'{}' names no program; give a list of a program and its "
                                   "arguments, or leave it out",
                                   name));
    }
    return words;
  }

  /// Reads `run` and `env`, as far as they are there.
  void read_line(const JsonObject& object, CommandLine& line) const {
    if (object.find("run") != nullptr) line.words = words_of(object, "run", use_);
    if (object.find("env") == nullptr) return;
    for (const JsonMember& one : object.field("env").object()) {
      const std::string& value = JsonField(one.value, path_, one.name).text();
      check_placeholders(value, use_, object.where(one.value));
      if (one.name.empty() || one.name.find('=') != std::string::npos) {
        throw InputError(
            object.where(one.value),
            fmt::format("'{}' cannot be the name of a variable; choose another", one.name));
      }
      line.environment[one.name] = value;
    }
  }

  void read_units(const JsonObject& top, CommandWork& work) const {
    for (const JsonMember& one : top.field("units").object()) {
      const std::string what = "'" + one.name + "' of 'units'";
      const JsonObject of(one.value, path_, what, {"run", "env"});
      CommandOfUnits& units = work.units.emplace_back();
      units.pattern = one.name;
      read_line(of, units.line);
      if (units.line.words.empty() && work.all.words.empty()) {
        throw InputError(of.where(), what +
                                         " has no command, and there is none for all units; add "
                                         "\"run\"");
      }
    }
  }

  std::string path_;
  JsonValue document_;
  PlaceholderUse use_ = PlaceholderUse::each_block;
};

std::string list_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + json_string(word);
  return "[" + text + "]";
}

}  // namespace

CommandWork read_work(const std::string& path) {
  return parse_work(read_input(path, "give a work file", longest_work), path);
}

CommandWork parse_work(const std::string& text, const std::string& path) {
  return WorkReader(text, path).read();
}

std::string work_text(const CommandWork& work) {
  const auto environment = [](const CommandLine& line) {
    std::string text;
    for (const auto& [name, value] : line.environment) {
      text += (text.empty() ? "" : ", ") + json_string(name) + ": " + json_string(value);
    }
    return text;
  };
  std::string text = fmt::format("{{\n \"schema\": \"{}\",\n \"name\": {},\n", work_schema,
                                 json_string(work.name));
  text += fmt::format(" \"items\": {},\n \"item\": {},\n \"grain\": {},\n \"mode\": \"{}\"",
                      work.items, json_string(work.item), work.grain_items, to_string(work.mode));
  if (work.says_ready) text += ",\n \"says_ready\": true";
  if (!work.all.words.empty()) text += ",\n \"run\": " + list_text(work.all.words);
  if (!work.all.environment.empty()) text += ",\n \"env\": {" + environment(work.all) + "}";
  std::string units;
  for (const CommandOfUnits& of : work.units) {
    std::string members;
    if (!of.line.words.empty()) members = "\"run\": " + list_text(of.line.words);
    if (!of.line.environment.empty()) {
      members += (members.empty() ? "" : ", ") + ("\"env\": {" + environment(of.line) + "}");
    }
    units += (units.empty() ? "\n  " : ",\n  ") + json_string(of.pattern) + ": {" + members + "}";
  }
  if (!units.empty()) text += ",\n \"units\": {" + units + "\n }";
  if (work.in_bytes_per_item > 0.0) {
    text += fmt::format(",\n \"in_bytes_per_item\": {}", work.in_bytes_per_item);
  }
  if (work.out_bytes_per_item > 0.0) {
    text += fmt::format(",\n \"out_bytes_per_item\": {}", work.out_bytes_per_item);
  }
  if (!work.check.empty()) text += ",\n \"check\": " + list_text(work.check);
  if (work.timeout < Seconds::infinity()) {
    text += fmt::format(",\n \"timeout_s\": {}", work.timeout.value);
  }
  return text + "\n}\n";
}

}  // namespace equipoise
