// Shared libraries of ours that the program opens when it needs them.
//
// They contain what calls libraries that must not meet, or must not start, in every program:
// SimGrid exports MPI's functions (its SMPI), and Ipopt's MUMPS on Debian 13 starts OpenMPI as soon
// as it is loaded. Each module is opened with a scope of its own.
#pragma once

#include <optional>
#include <string>

namespace equipoise {

/// A module and what to tell a user if it cannot be opened.
struct RunTimeModule {
  const char* file;     ///< its file name
  const char* folder;   ///< the folder of the build tree in which it lies
  const char* table;    ///< the name under which it exports the table of its functions
  const char* library;  ///< the library for which it exists, such as SimGrid
  const char* failing;  ///< what cannot be done without it: "cannot simulate"
  const char* remedy;   ///< what the user should do
};

/// The path of the module: beside the program, as installed, or where the build leaves it. None if
/// there is none.
[[nodiscard]] std::optional<std::string> file_of(const RunTimeModule& module);

/// Opens the module and returns its table. Throws BackendError if it is missing or cannot be
/// opened. It is never closed: threads and handlers of its library live until the program ends.
[[nodiscard]] const void* open_module(const RunTimeModule& module);

}  // namespace equipoise
