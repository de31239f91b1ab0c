// `equipoise new policy`: writes a project with a policy, ready to be built.
#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared_policies/model/failure.hpp"
#include "shared_policies/policies/catalog.hpp"
#include "tools/commands/commands.hpp"
#include "tools/console/console.hpp"
#include "tools/new_policy/new_policy_files.hpp"

namespace equipoise {
namespace {

namespace fs = std::filesystem;

void expect_good_name(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-';
  });
  if (!is_plain || name.empty() || std::islower(static_cast<unsigned char>(name.front())) == 0) {
    throw InputError("NAME", fmt::format("'{}' is no name of a policy; write small letters, digits "
                                         "and -, a letter first, such as my-policy",
                                         name));
  }
  // CMake has targets of these names.
  const std::set<std::string> of_cmake = {"all",     "clean",      "codegen", "depend", "help",
                                          "install", "preinstall", "package", "test"};
  if (of_cmake.contains(name)) {
    throw InputError("NAME", fmt::format("{} is what CMake calls something of its own in every "
                                         "project; choose another name",
                                         name));
  }
  if (std::ranges::any_of(policy_catalog(), [&](const auto& row) { return row.name == name; })) {
    throw InputError(
        "NAME", fmt::format("{} is one of Equipoise's own policies; choose another name", name));
  }
}

/// "my-policy" in the name of a class: "MyPolicy".
std::string in_camel_case(const std::string& name) {
  std::string camel;
  bool begins_word = true;
  for (const char c : name) {
    if (c != '-') camel += begins_word ? static_cast<char>(std::toupper(c)) : c;
    begins_word = c == '-';
  }
  return camel;
}

/// The class of the policy "my-policy", "MyPolicy", or "greatest": "GreatestPolicy". Nothing that a
/// policy includes is called so.
std::string class_of(const std::string& name) {
  const std::string camel = in_camel_case(name);
  return camel.ends_with("Policy") && camel != "Policy" ? camel : camel + "Policy";
}

/// The folder under which CMake finds this program's package: where it is installed, or its build
/// folder.
fs::path prefix_of_this_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  fs::path prefix = program.parent_path().parent_path();
  if (fs::exists(prefix / "lib/cmake/equipoise/equipoise-config.cmake", error)) return prefix;
  throw BackendError(
      "no headers and libraries of Equipoise beside this program; install it as a whole with cmake "
      "--install, or use it from its build folder");
}

/// A text of the policy weighted-greedy for a policy called `name`.
std::string renamed(std::string text, const std::string& name) {
  boost::replace_all(text, "weighted-greedy", name);
  boost::replace_all(text, "weighted_greedy", boost::replace_all_copy(name, "-", "_"));
  boost::replace_all(text, "WeightedGreedyPolicy", class_of(name));
  return text;
}

}  // namespace

int new_policy_command(const NewPolicyRequest& request) {
  const std::string& name = request.name;
  expect_good_name(name);
  const std::string& folder = request.out.empty() ? name : request.out;
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    throw InputError(folder, "is there and not empty; choose another folder with --out");
  }
  const std::string prefix = prefix_of_this_program().string();
  std::vector<WholeFile> files;
  for (const EmbeddedFile& file : new_policy_files()) {
    std::string text = boost::replace_all_copy(std::string(file.text), "/usr/local", prefix);
    files.push_back({fmt::format("{}/{}", folder, renamed(std::string(file.name), name)),
                     renamed(std::move(text), name)});
  }
  make_folder(folder, "--out");
  write_whole_files(files);
  for (const WholeFile& file : files) print_out("{}\n", file.path);
  const bool is_path = folder.starts_with('/') || folder.starts_with('.');
  return print_out(
      "\nNow build and test it:  cd {} && cmake --workflow --preset all\n"
      "Then use it:            --policy {}\n",
      shell_word(folder),
      shell_word(fmt::format("{}{}/build/{}.so", is_path ? "" : "./", folder, name)));
}

}  // namespace equipoise
