// Ends what a program has started if the program ends without doing so itself, be it killed.
#pragma once

#include <sys/types.h>

#include <string>

namespace equipoise {

/// A process beside this program, with which it ends. It is started when it is first needed, and
/// one serves the whole program. It knows the process groups of commands that run and the folders
/// that hold their results; when this program is gone, it kills the groups and removes the folders.
/// A process that has left its group is not found. Any thread may call these functions.
namespace process_guard {

/// Starts it, unless it runs. Throws BackendError if it cannot be started.
void start();
/// The socket through which a new process sends its own entry before it becomes a command, so that
/// none is missed. To be called after `start`.
[[nodiscard]] int socket();
/// The group of a command has ended.
void forget(pid_t group);
/// The folder at `path` is temporary, or has been removed. Paths of `guard_path_max` bytes or more
/// are ignored.
void remember_folder(const std::string& path);
void forget_folder(const std::string& path);

}  // namespace process_guard

inline constexpr unsigned guard_path_max = 1000;

/// What is written to the guard, in one piece.
struct GuardEntry {
  char kind = '+';  ///< '+', '-': a group begins, ends; 'f', 'g': a folder is there, is gone
  pid_t group = 0;
  char path[guard_path_max] = {};
};

/// Returns whether the guard gets the entry. May be called between vfork and exec.
bool send_to_guard(int socket, const GuardEntry& entry);

}  // namespace equipoise
