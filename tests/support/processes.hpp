// Looks at other processes through /proc.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace equipoise {

/// The state and the parent of a process; state 0 if it does not exist.
struct ProcessFacts {
  char state = 0;
  pid_t parent = 0;

  /// Whether it does something: it exists and is not dead.
  [[nodiscard]] bool lives() const { return state != 0 && state != 'Z' && state != 'X'; }
};

[[nodiscard]] inline ProcessFacts facts_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::ostringstream read;
  read << file.rdbuf();  // nothing, without an exception, of a process that ends meanwhile
  const std::string text = read.str();
  ProcessFacts facts;
  if (text.empty()) return facts;
  std::istringstream(text.substr(text.rfind(')') + 1)) >> facts.state >> facts.parent;
  return facts;
}

/// The living children of `parent`.
[[nodiscard]] inline std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto process = static_cast<pid_t>(std::stol(name));
    const ProcessFacts facts = facts_of(process);
    if (facts.lives() && facts.parent == parent) children.push_back(process);
  }
  return children;
}

/// The paths of the open files of a process.
[[nodiscard]] inline std::vector<std::string> open_files_of(pid_t process) {
  std::vector<std::string> paths;
  const std::string folder = "/proc/" + std::to_string(process) + "/fd";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::error_code closed;
    paths.push_back(std::filesystem::read_symlink(entry.path(), closed).string());
  }
  return paths;
}

}  // namespace equipoise
