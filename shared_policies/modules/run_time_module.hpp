// Shared libraries of ours that the program opens when it needs them.
//
// They keep libraries out of programs that do not need them, and apart from each other: SimGrid
// exports MPI's functions (its SMPI), which would take the calls of Ipopt's MUMPS, and on Debian 13
// Ipopt starts OpenMPI as soon as it is loaded. So each module sees only its own libraries; that of
// MPI finds libmpi, which is opened for the whole process, where mpirun has started it. Clp and
// `matmul` bring OpenBLAS, which starts threads as soon as it is loaded.
#pragma once

#include <optional>
#include <string>

namespace equipoise {

/// A module and what to tell a user if it cannot be opened.
struct RunTimeModule {
  const char* name;          ///< its file is NAME.so, and it exports a table called NAME
  const char* folder;        ///< the folder of the build tree in which it lies
  const char* refusal;       ///< how the message begins, such as "cannot simulate"
  const char* remedy;        ///< what to do if it was not built, or a library of it is missing
  bool is_built = true;      ///< with this program
  const char* instead = "";  ///< what else the user may do; may be empty
};

/// The path of the module: beside the program or shared library that has this code, where the build
/// leaves it, or where it is installed (lib/equipoise beside their folder). None if there is none.
[[nodiscard]] std::optional<std::string> file_of(const RunTimeModule& module);

/// The file of the program `equipoise`: that of this process, or the one that lies with the shared
/// library that has this code. Throws BackendError if there is none.
[[nodiscard]] std::string file_of_program();

/// Opens the module and returns its table: the one that `file_of` finds, or else one in the folders
/// that the program was linked to search, as tests outside of this tree are
/// (tools/equipoise-config.cmake). Throws BackendError if it is missing or cannot be opened. It is
/// never closed: threads and handlers of its library live until the program ends.
[[nodiscard]] const void* table_of(const RunTimeModule& module);

/// `table_of` with its type.
template <class Table>
[[nodiscard]] const Table& open_module(const RunTimeModule& module) {
  return *static_cast<const Table*>(table_of(module));
}

}  // namespace equipoise
